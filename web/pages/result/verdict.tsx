// The verdict: outcome, time, location, and whether it is still current.
import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { useRead } from '../../api/query.ts';
import { Acknowledgement, useOpenIncident } from '../../ui/alerts/acknowledgement.tsx';
import { milliseconds, sentence } from '../../ui/text/format.ts';
import { Facts } from '../../ui/layout/page.tsx';
import { isCalled, timeLabel } from '../../ui/checks/kind.ts';
import { evidenceOf, type Result, shownTime } from '../../ui/checks/evidence.ts';
import { type CheckState, OutcomeBadge, StateBadge } from '../../ui/checks/state.tsx';
import { Ago, At, Lasting } from '../../ui/text/time.tsx';
import { LinkContext } from './link.ts';
import { text } from './strings.ts';
import css from './result.module.css';

export function Verdict({ result }: { readonly result: Result }) {
  const { outcome, startedAt, runLocation, attempts, resultType, runSource, checkType } = result;
  // Heartbeats have no location, because the job pings.
  const isPing = isCalled(checkType);
  const ms = shownTime(result);
  const { script } = evidenceOf(result);
  const linked = use(LinkContext);
  const said = sentenceOf(result);
  return (
    <div className={css['verdict']} data-outcome={outcome}>
      <div className={css['verdictHead']}>
        <OutcomeBadge outcome={outcome} large />
        {linked === null && <CurrentState result={result} />}
      </div>
      {said !== null && <p className={css['sentence']}>{said}</p>}
      {linked === null && <OpenIncident checkId={result.checkId} />}
      <Facts
        facts={[
          [
            text.when,
            <span key="when">
              <At at={startedAt} precise /> (<Ago at={startedAt} />)
            </span>,
          ],
          ...(linked === null ? [] : [[text.accountTime, linked.localStartedAt] as const]),
          ...(isPing ? [] : [[text.where, runLocation] as const]),
          ...(ms === null ? [] : [[timeLabel(checkType), milliseconds(ms)] as const]),
          ...(attempts > 1 || resultType === 'ATTEMPT'
            ? [[text.attempt, resultType === 'ATTEMPT' ? text.attemptRetried(attempts) : attempts] as const]
            : []),
          ...(isPing
            ? []
            : [[text.trigger, (text.sources as Readonly<Record<string, string>>)[runSource] ?? runSource] as const]),
          ...(script === undefined
            ? []
            : [
                ...(script.tests > 0 ? [[text.testsName, text.tests(script.failedTests, script.tests)] as const] : []),
                [text.runtime, script.runtimeVersion ?? text.none] as const,
              ]),
        ]}
      />
    </div>
  );
}

/** null = the outcome says it. */
function sentenceOf(result: Result): string | null {
  const { message, outcome, slots } = result;
  if (message !== null) return headOf(sentence(message), result);
  if (outcome === 'passed') return isCalled(result.checkType) ? text.pinged : null;
  if (outcome === 'missed') return slots > 1 ? text.missedMany(slots) : text.missed;
  return text.noMessage;
}

/** For scripts only the failed line, because their errors follow in full. */
function headOf(message: string, result: Result): string {
  const [error] = evidenceOf(result).script?.errors ?? [];
  if (error == null || error.file === null) return message;
  const place = `(${[error.file, error.line].filter((part) => part !== null).join(':')})`;
  const end = message.indexOf(place);
  return end === -1 ? message : message.slice(0, end + place.length);
}

function OpenIncident({ checkId }: { readonly checkId: string }) {
  const incident = useOpenIncident(checkId);
  if (incident === undefined) return null;
  return (
    <div>
      <Acknowledgement incident={incident} />
    </div>
  );
}

/** Whether it is still current, by the state of the check. */
function CurrentState({ result: { checkId, outcome } }: { readonly result: Result }) {
  const status = useRead('getCheckStatus', { params: { checkId } });
  if (status.data === undefined) return null;
  const { state, since } = status.data;
  const shown: CheckState = state === 'pending' ? 'unknown' : state;
  const isStill =
    (outcome === 'failed' && shown === 'failing') ||
    (outcome === 'degraded' && shown === 'degraded') ||
    (outcome === 'passed' && shown === 'passing');
  return (
    <Link to="/checks/$checkId" params={{ checkId }} search={{}} className={css['current']}>
      {isStill ? text.still : `${text.now}:`} <StateBadge state={shown} />
      {since !== null && (
        <span className="quiet">
          for <Lasting since={since} />
        </span>
      )}
    </Link>
  );
}
