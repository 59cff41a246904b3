// Runs the check on demand and shows each location's result as it ends.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { LoaderCircle, X } from 'lucide-react';
import { use } from 'react';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { ErrorMessage } from '../../ui/layout/feedback.tsx';
import { milliseconds, sentence } from '../../ui/text/format.ts';
import { OutcomeBadge } from '../../ui/checks/state.tsx';
import { text } from './strings.ts';
import css from './check.module.css';

const pollMs = 700;

/** @param startedAt epoch ms: each start has its own query */
export function RunNow({
  checkId,
  startedAt,
  onClose,
}: {
  readonly checkId: string;
  readonly startedAt: number;
  readonly onClose: () => void;
}) {
  const accountId = use(AccountContext);
  const runs = useQuery({
    queryKey: [accountId, 'listCheckTriggerRuns', { params: { checkId }, startedAt }],
    queryFn: async ({ signal }) =>
      clientOf(accountId).call('listCheckTriggerRuns', { params: { checkId }, query: { limit: 100 }, signal }),
    placeholderData: () => undefined,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.length > 0 && data.every(({ state }) => state === 'ended') ? false : pollMs,
  });
  return (
    <section className={css['run']} aria-label={text.runTitle}>
      <div role="status">
        {runs.error && runs.data === undefined && <ErrorMessage error={runs.error} />}
        {(runs.data ?? []).length === 0 && !runs.error && <Running location="" />}
        {(runs.data ?? []).map(({ id, runLocation, outcome, responseTime, message }) =>
          outcome === null ? (
            <Running key={id} location={runLocation} />
          ) : (
            <p key={id} className={css['runLine']}>
              <OutcomeBadge outcome={outcome} /> <span className="quiet">{runLocation}</span>
              {responseTime !== null && <span>{milliseconds(responseTime)}</span>}
              <Link to="/checks/$checkId/results/$resultId" params={{ checkId, resultId: id }}>
                {text.showResult}
              </Link>
              {message !== null && <span className={css['message']}>{sentence(message)}</span>}
            </p>
          ),
        )}
      </div>
      <IconButton label={text.runClose} onPress={onClose}>
        <X size={16} />
      </IconButton>
    </section>
  );
}

function Running({ location }: { readonly location: string }) {
  return (
    <p className={css['runLine']}>
      <LoaderCircle size={15} aria-hidden className={css['spin']} /> {text.running}{' '}
      <span className="quiet">{location}</span>
    </p>
  );
}
