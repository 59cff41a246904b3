// Computes required alerts from the script of the targets alone, independent of recorded results.
import { retryPausesMs } from '#domain/deliveries/delivery.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import { clocksWithinMs } from './answered.ts';
import type { Channel } from './expected.ts';
import { channels, type Installation } from './installation.ts';
import type { Verdict } from './verdict.ts';
import { type Span, doneBy, seenMs } from './resumed.ts';
import { type Answer, degradedAboveMs, type Phase, phasesOf } from './script.ts';

/** Last state of a check that was reported to a channel. */
type Notified = 'nothing' | 'degraded' | 'failure';

/** The first request of an alert. */
export type Came = Pick<Request, 'channel' | 'alertType' | 'checkId' | 'at' | 'startedAt' | 'responseMs'>;

/** A phase that must be detected, and by when, epoch ms: before any result of the next phase. */
export interface SurePhase extends Phase {
  readonly seenBy: number;
}

/** Expected alerts of a check according to the script. */
export interface Expectation {
  readonly sure: readonly SurePhase[];
  /** Required failures and recoveries, and optional failures. */
  readonly counts: { readonly failures: number; readonly recoveries: number; readonly optional: number };
}

/** Maximum wait of a failure in the queue of its channel, ms: four are sent concurrently, and each takes a second. */
const deliveredMs = 10_000;

/**
 * Phases of a target that must be detected: those longer than two slots, overlapping faults, the 15 s in which work
 * resumes, and clock differences.
 *
 * @param known from the creation of the check until the end of the evaluation
 */
export function expectationOf(index: number, known: Span, storms: readonly Span[]): Expectation {
  const phases = phasesOf(index, known.from, known.to);
  const sure = phases
    .map((phase) => ({ ...phase, seenBy: doneBy(phase.from, seenMs, storms) }))
    // Clocks differ, so a result of the next phase may seem early, and one of this phase late.
    .filter(({ to, seenBy }) => seenBy + 2 * clocksWithinMs < to);
  const failing = (of: readonly Phase[]): number => of.filter(({ answer }) => answer === 'failing').length;
  // Phases in between are optional; the first required passing phase causes the recovery.
  const ends = sure.filter(({ answer }) => answer !== 'slow');
  const recoveries = ends.filter(({ answer }, at) => answer === 'passing' && ends[at - 1]?.answer === 'failing').length;
  const failures = failing(sure);
  return { sure, counts: { failures, recoveries, optional: failing(phases) - failures } };
}

/** Reported state after an alert; null = the alert is out of order or not enabled for the channel. */
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

/** Problem of a single alert; null = none. */
function oddOf(index: number, { alertType, at, startedAt, responseMs }: Came, storms: readonly Span[]): string | null {
  const waitedMs = Number.isNaN(responseMs) ? 0 : responseMs;
  const inspected = phasesOf(index, startedAt - clocksWithinMs, startedAt + waitedMs + clocksWithinMs);
  const said = inspected.map(({ answer }) => answer);
  const isFoundLate = alertType === 'ALERT_DEGRADED' && waitedMs > degradedAboveMs && said.includes('passing');
  if (!said.some((answer) => answer === answersBehind[alertType]) && !isFoundLate)
    return `its target was ${said.join(', then ')} at ${startedAt}`;
  if (at < startedAt - clocksWithinMs) return `it arrived at ${at}, before the run at ${startedAt}`;
  // An attempt that failed during a storm is retried after a pause.
  const retried = storms.map(({ from, to }) => ({ from, to: to + (retryPausesMs[0] ?? 0) }));
  const by = doneBy(startedAt, deliveredMs, retried);
  return at > by ? `it arrived at ${at}, ${at - by} ms too late` : null;
}

/** At the end of each required phase, the reported state must match the phase. */
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
      // Channels without degraded alerts get neither the degradation nor the improvement to it.
      slow: !channel.sendDegraded || notified === 'degraded',
    }[answer];
    return isRight ? [] : [`${answer} from ${from}, but ${notified} was reported by ${seenBy}`];
  });
}

/** Alerts of one check to one channel without repeats, in the order of their runs. */
function inOrder(requests: readonly Request[]): Request[] {
  const first = [...Map.groupBy(requests, ({ deliveryId }) => deliveryId).values()].flatMap(([one]) => one ?? []);
  return first.sort((a, b) => a.startedAt - b.startedAt);
}

/**
 * Compares alerts with the script: every required alert arrives once, and none is wrong, out of order or late.
 *
 * @param storms periods with faults, oldest first
 * @param until end of the last rest, epoch ms
 */
export function judgeNotified(
  { checkIds, made }: Installation,
  requests: readonly Request[],
  storms: readonly Span[],
  until: number,
): Verdict[] {
  const byCheck = Map.groupBy(requests, ({ checkId }) => checkId);
  const [missing, odd]: [string[], string[]] = [[], []];
  const [sums, checked] = [
    { failures: 0, recoveries: 0, optional: 0 },
    { phases: 0, alerts: 0 },
  ];
  for (const [index, checkId] of checkIds.entries()) {
    const { sure, counts } = expectationOf(index, { from: made[index]?.to ?? until, to: until }, storms);
    for (const name of ['failures', 'recoveries', 'optional'] as const) sums[name] += counts[name];
    for (const channel of channels) {
      const alerts = inOrder((byCheck.get(checkId) ?? []).filter((one) => one.channel === channel.id));
      const where = `check ${index}, channel ${channel.id}`;
      checked.phases += sure.length;
      checked.alerts += alerts.length;
      missing.push(...unnotified(sure, alerts, channel).map((why) => `${where}: ${why}`));
      let notified: Notified = 'nothing';
      for (const alert of alerts) {
        const next = afterAlert(notified, alert.alertType, channel);
        const why = next === null ? `it follows ${notified}` : oddOf(index, alert, storms);
        if (why !== null) odd.push(`${where}: ${alert.alertType}: ${why}`);
        notified = next ?? notified;
      }
    }
  }
  const strange = requests.filter(({ checkId }) => !checkIds.includes(checkId));
  odd.push(...strange.map(({ alertType, checkId }) => `${alertType} of ${checkId}, which is not scripted`));
  const isEmpty = sums.failures === 0 || sums.recoveries === 0;
  const words = `${sums.failures} failures and ${sums.recoveries} recoveries required, ${sums.optional} failures optional`;
  return [
    {
      guarantee: `required alerts arrive (${words})`,
      checked: checked.phases,
      violations: isEmpty ? ['no failure or no recovery was required', ...missing] : missing,
    },
    {
      guarantee: 'alerts match the script: in order, in their phase, in time',
      checked: checked.alerts,
      violations: odd,
    },
  ];
}
