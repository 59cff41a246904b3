// Which alerts there must be, by the script of the targets alone: whatever the service recorded changes nothing of it.
import { retryPausesMs } from '#domain/alerts/delivery.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import { clocksWithinMs } from './answered.ts';
import type { Channel } from './expected.ts';
import { channels, type Installation } from './installation.ts';
import type { Verdict } from './verdict.ts';
import type { Span } from './resumed.ts';
import { type Answer, degradedAboveMs, type Phase, phasesOf } from './script.ts';
import { doneBy, seenMs } from './storms.ts';

/** What a channel was told last of a check. */
type Notified = 'nothing' | 'degraded' | 'failure';

/** One alert as it came first. */
export type Came = Pick<Request, 'channel' | 'alertType' | 'checkId' | 'at' | 'startedAt' | 'responseMs'>;

/** A phase that cannot pass unseen, and by when it has been seen, epoch ms: before anything is seen of the next. */
export interface SurePhase extends Phase {
  readonly seenBy: number;
}

/** What the script says of one check. */
export interface Expectation {
  readonly sure: readonly SurePhase[];
  /** Failures that must be told, and those that may; recoveries that must follow. */
  readonly counts: { readonly failures: number; readonly recoveries: number; readonly optional: number };
}

/** A failure that waits behind others of its channel, ms: four go at once, and each takes its receiver a second. */
const deliveredMs = 10_000;

/**
 * The phases of a target that must be seen: those that last longer than two slots, the faults that they meet, the 15 s in which
 * work goes on again, and what clocks differ by.
 *
 * @param known from when the check was there, and until when it is judged
 */
export function expectationOf(index: number, known: Span, storms: readonly Span[]): Expectation {
  const phases = phasesOf(index, known.from, known.to);
  const sure = phases
    .map((phase) => ({ ...phase, seenBy: doneBy(phase.from, seenMs, storms) }))
    // By the clocks of others a look of the next phase may seem to be as much before it as one of this phase after its time.
    .filter(({ to, seenBy }) => seenBy + 2 * clocksWithinMs < to);
  const failing = (of: readonly Phase[]): number => of.filter(({ answer }) => answer === 'failing').length;
  // Phases in between that nobody need have seen: the first sure one that passes again ends what was told.
  const ends = sure.filter(({ answer }) => answer !== 'slow');
  const recoveries = ends.filter(({ answer }, at) => answer === 'passing' && ends[at - 1]?.answer === 'failing').length;
  const failures = failing(sure);
  return { sure, counts: { failures, recoveries, optional: failing(phases) - failures } };
}

/** What becomes of what was told by an alert; null = it is out of turn, or none that the channel asked for. */
function afterAlert(notified: Notified, alertType: string, { sendDegraded }: Channel): Notified | null {
  if (alertType === 'ALERT_FAILURE') return notified === 'failure' ? null : 'failure';
  if (alertType === 'ALERT_DEGRADED') return notified === 'degraded' || !sendDegraded ? null : 'degraded';
  if (alertType === 'ALERT_RECOVERY') return notified === 'failure' ? 'nothing' : null;
  if (alertType === 'ALERT_DEGRADED_RECOVERY') return notified === 'degraded' ? 'nothing' : null;
  return null;
}

const answersBehind: Readonly<Record<string, Answer>> = {
  ALERT_FAILURE: 'failing',
  ALERT_DEGRADED: 'slow',
  ALERT_RECOVERY: 'passing',
  ALERT_DEGRADED_RECOVERY: 'passing',
};

/** What is wrong with one alert by itself; null = nothing. */
function oddOf(index: number, { alertType, at, startedAt, responseMs }: Came, storms: readonly Span[]): string | null {
  const waitedMs = Number.isNaN(responseMs) ? 0 : responseMs;
  const inspected = phasesOf(index, startedAt - clocksWithinMs, startedAt + waitedMs + clocksWithinMs);
  const said = inspected.map(({ answer }) => answer);
  const isFoundLate = alertType === 'ALERT_DEGRADED' && waitedMs > degradedAboveMs && said.includes('passing');
  if (!said.some((answer) => answer === answersBehind[alertType]) && !isFoundLate)
    return `its target was ${said.join(', then ')} at ${startedAt}`;
  if (at < startedAt - clocksWithinMs) return `it came at ${at}, before the look at ${startedAt}`;
  // An attempt that a storm made fail is tried again after a pause.
  const retried = storms.map(({ from, to }) => ({ from, to: to + (retryPausesMs[0] ?? 0) }));
  const by = doneBy(startedAt, deliveredMs, retried);
  return at > by ? `it came at ${at}, ${at - by} ms too late` : null;
}

/** What was told of a check at the end of each sure phase's time to be seen is what the phase says. */
function unnotified(sure: readonly SurePhase[], alerts: readonly Came[], channel: Channel): string[] {
  return sure.flatMap(({ answer, from, seenBy }) => {
    const before = alerts.filter(({ startedAt }) => startedAt <= seenBy + clocksWithinMs);
    const notified = before.reduce<Notified>(
      (last, { alertType }) => afterAlert(last, alertType, channel) ?? last,
      'nothing',
    );
    const last = before.at(-1);
    const isFoundLate = notified === 'degraded' && last !== undefined && last.startedAt >= from - clocksWithinMs;
    const isRight = {
      failing: notified === 'failure',
      passing: notified === 'nothing' || isFoundLate,
      // Those who did not ask for it hear nothing of it, neither that it begins nor that it is better than it was.
      slow: !channel.sendDegraded || notified === 'degraded',
    }[answer];
    return isRight ? [] : [`${answer} from ${from}, and by ${seenBy} ${notified} was told`];
  });
}

/** Alerts of one check to one channel, each once, in the order in which the service looked. */
function inOrder(requests: readonly Request[]): Request[] {
  const first = [...Map.groupBy(requests, ({ deliveryId }) => deliveryId).values()].flatMap(([one]) => one ?? []);
  return first.sort((a, b) => a.startedAt - b.startedAt);
}

/**
 * Alerts against the script: what cannot pass unseen is told, once; nothing is told that was not so, nor out of turn, nor long
 * after.
 *
 * @param storms when faults came, the oldest first
 * @param until when the last rest was over, epoch ms
 */
export function judgeNotified(
  { checkIds, made }: Installation,
  requests: readonly Request[],
  storms: readonly Span[],
  until: number,
): Verdict[] {
  const byCheck = Map.groupBy(requests, ({ checkId }) => checkId);
  const [missing, odd]: [string[], string[]] = [[], []];
  const [sums, tried] = [
    { failures: 0, recoveries: 0, optional: 0 },
    { phases: 0, alerts: 0 },
  ];
  for (const [index, checkId] of checkIds.entries()) {
    const { sure, counts } = expectationOf(index, { from: made[index]?.to ?? until, to: until }, storms);
    for (const name of ['failures', 'recoveries', 'optional'] as const) sums[name] += counts[name];
    for (const channel of channels) {
      const alerts = inOrder((byCheck.get(checkId) ?? []).filter((one) => one.channel === channel.id));
      const where = `check ${index}, channel ${channel.id}`;
      tried.phases += sure.length;
      tried.alerts += alerts.length;
      missing.push(...unnotified(sure, alerts, channel).map((why) => `${where}: ${why}`));
      let notified: Notified = 'nothing';
      for (const alert of alerts) {
        const next = afterAlert(notified, alert.alertType, channel);
        const why = next === null ? `${notified} was told before it` : oddOf(index, alert, storms);
        if (why !== null) odd.push(`${where}: ${alert.alertType}: ${why}`);
        notified = next ?? notified;
      }
    }
  }
  const strange = requests.filter(({ checkId }) => !checkIds.includes(checkId));
  odd.push(...strange.map(({ alertType, checkId }) => `${alertType} of ${checkId}, which has no script`));
  const isEmpty = sums.failures === 0 || sums.recoveries === 0;
  const words = `${sums.failures} failures and ${sums.recoveries} recoveries sure, ${sums.optional} failures optional`;
  return [
    {
      promise: `what the script makes sure is told (${words})`,
      tried: tried.phases,
      breaches: isEmpty ? ['no failure or no recovery was sure', ...missing] : missing,
    },
    { promise: 'alerts fit the script: in turn, in their phase, in time', tried: tried.alerts, breaches: odd },
  ];
}
