// Every short history of a check that is edited between its rounds: it runs in two locations at once, or in either of them.
import assert from 'node:assert/strict';
import { type CheckState, foldResult, newCheckState, type StateRules } from '#domain/checks/check-state.ts';
import { minute, start } from './alert-families.ts';

const pair = ['l0', 'l1'] as const;
const verdicts = ['passed', 'degraded', 'failed'] as const;
/** From the mildest on. */
const statuses = { passed: 'passing', degraded: 'degraded', failed: 'failing' } as const;

/**
 * Follows every history of a check that is edited between its rounds: it runs in two locations at once, or in either of them. What
 * a whole round has found is where the check stands, whatever ran where before, and a change of it is alerted of once; a run in two
 * locations that began before a round in one of them moves nothing after it.
 *
 * @returns how many histories there are, orders counted
 * @throws {Error} that names the rounds after which it is not so
 */
export function exploreEdits(depth: number): number {
  const kinds: readonly (readonly string[])[] = [[...pair], [...pair].toReversed(), ['l0'], ['l1']];
  const follow = (state: CheckState, path: readonly string[]): number => {
    if (path.length === depth) return 0;
    let histories = 0;
    for (const order of kinds) {
      const found =
        order.length === 2 ? verdicts.flatMap((a) => verdicts.map((b) => [a, b])) : verdicts.map((a) => [a]);
      for (const outcomesOf of found) {
        const next = [...path, order.map((code, index) => `${code} ${outcomesOf[index]}`).join(' and ')];
        histories += 1 + follow(editedRound(state, order, outcomesOf, next), next);
      }
    }
    return histories;
  };
  return follow(newCheckState, []);
}

function rulesOf(isParallel: boolean): StateRules {
  const parallel = isParallel ? { locations: [...pair], failingShare: null } : null;
  return { escalation: { type: 'RUN_BASED', runs: 1 }, isMuted: false, reminders: null, parallel };
}

/** @param order of the locations of this round, as they answer */
function editedRound(
  before: CheckState,
  order: readonly string[],
  found: readonly (typeof verdicts)[number][],
  path: readonly string[],
): CheckState {
  const at = start + path.length * minute;
  const rules = rulesOf(order.length > 1);
  const raised: string[] = [];
  let state = before;
  for (const [index, location] of order.entries()) {
    const outcome = found[index] ?? 'passed';
    const step = foldResult(state, { outcome, location, at, startedAt: at }, rules);
    if (step.opens !== null) raised.push(step.opens);
    state = step.state;
  }
  const what = `after ${path.join(', then ')}`;
  const worst = verdicts.findLast((verdict) => found.includes(verdict)) ?? 'passed';
  assert.equal(state.status, statuses[worst], what);
  const due = { passed: [], degraded: ['ALERT_DEGRADED'], failed: ['ALERT_FAILURE'] }[worst];
  assert.deepEqual(raised, state.status === before.status ? [] : due, what);
  if (rules.parallel !== null) return state;
  for (const location of pair) {
    const late = { outcome: 'failed', location, at: at - 1, startedAt: at - 1 } as const;
    assert.equal(foldResult(state, late, rulesOf(true)).isMoved, false, `${what}, then a late one`);
  }
  return state;
}
