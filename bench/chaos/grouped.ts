// Verifies what a channel of people received: in storms of alerts and while checks flap, nothing is lost or sent twice.
import type { GroupedAlert } from './recorded.ts';
import type { Verdict } from './verdict.ts';

/** A grouped notification leaves 45 s after the first new failure in it. */
const newsMs = 60_000;
/** Statuses of messages that were sent, were replaced by a newer one, or still collect alerts. */
const carried: ReadonlySet<string | null> = new Set(['delivered', 'superseded', 'collecting', 'pending']);

/**
 * @param until later alerts may still wait, epoch ms
 * @param outageMs longest time in which no process could send
 */
export function judgeGrouped(alerts: readonly GroupedAlert[], until: number, outageMs: number): Verdict[] {
  const settled = alerts.filter(({ createdAt }) => createdAt <= until);
  // A recovery closes what a channel knows: of one result, channels may receive alerts of different types.
  const uneven = [...Map.groupBy(settled, ({ resultId }) => resultId)]
    .map(([id, all]) => ({ id, deliveries: sumOf(all, 'deliveries'), everyAlert: sumOf(all, 'everyAlert') }))
    .filter(({ deliveries, everyAlert }) => deliveries !== everyAlert);
  const lost = settled.filter(({ status, deliveries }) => deliveries > 0 && !carried.has(status));
  const failures = settled.filter(
    ({ isFailure, isHeld, deliveries, status }) => isFailure && !isHeld && deliveries > 0 && status !== 'superseded',
  );
  const waited = failures.map(({ id, createdAt, attemptedAt }) => ({ id, ms: (attemptedAt ?? until) - createdAt }));
  const longestMs = waited.reduce((longest, { ms }) => Math.max(longest, ms), 0);
  return [
    {
      guarantee: 'people have one delivery wherever machines have one',
      checked: settled.length,
      violations: uneven.map(
        ({ id, deliveries, everyAlert }) => `result ${id}: ${deliveries} instead of ${everyAlert}`,
      ),
    },
    {
      guarantee: 'each is sent alone or in a message that exists',
      checked: settled.length,
      violations: lost.map(({ id, status }) => `alert ${id} is ${status ?? 'in no message'}`),
    },
    {
      guarantee: `new failures are sent within a minute of a running process (longest: ${(longestMs / 1000).toFixed(1)} s)`,
      checked: failures.length,
      violations: waited.filter(({ ms }) => ms > newsMs + outageMs).map(({ id, ms }) => `alert ${id} after ${ms} ms`),
    },
  ];
}

function sumOf(alerts: readonly GroupedAlert[], name: 'deliveries' | 'everyAlert'): number {
  return alerts.reduce((sum, alert) => sum + alert[name], 0);
}
