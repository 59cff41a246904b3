// What windows hold back, and when it must be told: by the other opinion of when they are.
import type { AlertJudge } from './judge-alerts.ts';
import type { CheckRecord } from './fixture.ts';

const quarterMs = 15 * 60_000;

/** In how many ms the next window ends that holds a failure back, by the clock of the process; Infinity = none does. */
export function windowsEndIn(records: Iterable<CheckRecord>, alerts: AlertJudge, now: number): number {
  const held = [...records].filter(({ check }) => alerts.isHeld(check.id));
  const spans = held.flatMap(({ check }) => check.silenced.filter(({ from, to }) => from <= now && now < to));
  return Math.min(...spans.map(({ to }) => to - now));
}

/**
 * States are looked at without a result: what no window holds back any more must be told, unless nobody knows any more how the
 * check is (docs/decisions/0100). Answers with how many there are.
 */
export function inspectHeld(records: Iterable<CheckRecord>, alerts: AlertJudge, now: number): number {
  let reported = 0;
  for (const { check, isSilenced, slotAt } of records) {
    const isKnown = now - slotAt <= 2 * check.intervalMs + quarterMs;
    if (!alerts.isHeld(check.id) || isSilenced(now) || !isKnown) continue;
    alerts.inspect(check.id);
    reported++;
  }
  return reported;
}
