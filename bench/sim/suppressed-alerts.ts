// Alerts suppressed by windows, and when they are due according to the reference implementation.
import type { AlertJudge } from './judge-alerts.ts';
import type { CheckRecord } from './fixture.ts';

const quarterMs = 15 * 60_000;

/** Time until the next window with a suppressed failure ends, ms, on the clock of the process; Infinity = none. */
export function windowsEndIn(records: Iterable<CheckRecord>, alerts: AlertJudge, now: number): number {
  const suppressed = [...records].filter(({ check }) => alerts.isSuppressed(check.id));
  const spans = suppressed.flatMap(({ check }) => check.silenced.filter(({ from, to }) => from <= now && now < to));
  return Math.min(...spans.map(({ to }) => to - now));
}

/**
 * States are evaluated without a result: an alert that no window suppresses any more is due, unless the state is too old
 * (docs/decisions/0100). Returns the number of alerts.
 */
export function reportUnsuppressed(records: Iterable<CheckRecord>, alerts: AlertJudge, now: number): number {
  let reported = 0;
  for (const { check, isSilenced, slotAt } of records) {
    const isKnown = now - slotAt <= 2 * check.intervalMs + quarterMs;
    if (!alerts.isSuppressed(check.id) || isSilenced(now) || !isKnown) continue;
    alerts.inspect(check.id);
    reported++;
  }
  return reported;
}
