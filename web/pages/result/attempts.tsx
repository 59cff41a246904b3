// The attempts of the same run, if it was retried.
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { milliseconds, sentence } from '../../ui/text/format.ts';
import { Section } from '../../ui/layout/page.tsx';
import { timeLabel } from '../../ui/checks/kind.ts';
import { type Result, shownTime } from '../../ui/checks/evidence.ts';
import { OutcomeBadge } from '../../ui/checks/state.tsx';
import { Table } from '../../ui/layout/table.tsx';
import { At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';

/** Retries of a run end within this time of each other. */
const aroundMs = 900_000;

export function Attempts({ result }: { readonly result: Result }) {
  const at = Date.parse(result.startedAt);
  const isFinal = result.resultType === 'FINAL';
  // Newest first: the other attempts of a final result directly follow it in the list.
  const around = useRead('listCheckResults', {
    params: { checkId: result.checkId },
    query: {
      resultType: 'ALL',
      location: result.runLocation,
      limit: 100,
      from: new Date(at - aroundMs).toISOString(),
      to: new Date(at + (isFinal ? 1000 : aroundMs)).toISOString(),
    },
  });
  const attempts = (around.data ?? [])
    .filter(({ checkRunId }) => checkRunId === result.checkRunId)
    .toSorted((one, other) => one.attempts - other.attempts);
  if (attempts.length < 2) return null;
  return (
    <Section title={text.attempts}>
      <Table
        label={text.attempts}
        rows={attempts}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'attempt',
            title: text.attempt,
            isName: true,
            cell: ({ id, checkId, attempts: number }) =>
              id === result.id ? (
                <strong aria-current="true">
                  {number} ({text.thisOne})
                </strong>
              ) : (
                <Link to="/checks/$checkId/results/$resultId" params={{ checkId, resultId: id }}>
                  {number}
                </Link>
              ),
          },
          { id: 'outcome', title: text.outcome, cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
          { id: 'when', title: text.when, cell: ({ startedAt }) => <At at={startedAt} precise /> },
          {
            id: 'time',
            title: timeLabel(result.checkType),
            isNumber: true,
            cell: (each) => {
              const ms = shownTime(each);
              return ms === null ? text.none : milliseconds(ms);
            },
          },
          { id: 'message', title: 'Message', cell: ({ message }) => sentence(message ?? '') },
        ]}
      />
    </Section>
  );
}
