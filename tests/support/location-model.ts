// Every short history of a check that runs in several locations at once, in every order in which they may answer.
import assert from 'node:assert/strict';
import { type CheckState, foldResult, judgeState, newCheckState, type StateRules } from '#domain/check-state.ts';

const outcomes = ['passed', 'degraded', 'failed', 'unknown'] as const;
type Outcome = (typeof outcomes)[number];

/** A check in the model. */
export interface LocationCase {
  readonly locations: number;
  readonly rounds: number;
  readonly failingShare: number | null;
  readonly runs: number;
}

/** Where a history stands, and what it raised so far. */
interface Node {
  readonly state: CheckState;
  readonly raised: readonly string[];
}

const start = Date.UTC(2026, 2, 10);
const minuteMs = 60_000;

/**
 * Follows every history: each location finds anything in each round, or comes without a verdict from some round on, and they
 * answer in any order. What was raised, and where the check stands, must be the same at the end of each round in every order. Only one
 * that has a verdict again after it had none may be a surprise (docs/decisions/0098).
 *
 * @returns how many histories there are, orders counted
 * @throws {Error} that names the first two orders that differ
 */
export function exploreOrders(given: LocationCase): number {
  const locations = Array.from({ length: given.locations }, (_, index) => `l${index}`);
  const parallel = { locations, failingShare: given.failingShare };
  const rules: StateRules = {
    escalation: { type: 'RUN_BASED', runs: given.runs },
    isMuted: false,
    reminders: null,
    parallel,
  };
  const orders = permutations(locations);
  const rounds = combinations(given.locations);

  const explore = (node: Node, round: number, silent: ReadonlySet<number>): number => {
    if (round === given.rounds) return 0;
    let histories = 0;
    for (const found of rounds) {
      if (found.some((outcome, index) => silent.has(index) && outcome !== 'unknown')) continue;
      const ends = orders.map((order) =>
        roundOf(node, order, { found, at: start + round * minuteMs }, rules, locations),
      );
      const [first] = ends;
      assert.ok(first !== undefined);
      for (const [index, end] of ends.entries()) {
        const what = `${found.join(', ')} in round ${round} of ${node.raised.join(', ')}, answered ${orders[index]?.join(' ')}`;
        assert.deepEqual(end, first, what);
      }
      const silentNow = found.flatMap((outcome, index) => (outcome === 'unknown' ? [index] : []));
      histories += orders.length + explore(first, round + 1, new Set(silentNow));
    }
    return histories;
  };
  return explore({ state: newCheckState, raised: [] }, 0, new Set());
}

interface Round {
  /** By location. */
  readonly found: readonly Outcome[];
  readonly at: number;
}

function roundOf(
  node: Node,
  order: readonly string[],
  { found, at }: Round,
  rules: StateRules,
  all: readonly string[],
) {
  let { state } = node;
  const raised = [...node.raised];
  for (const location of order) {
    const outcome = found[all.indexOf(location)] ?? 'passed';
    // All start at once: who answers first is chance.
    const step = foldResult(state, { outcome, location, at, startedAt: at }, rules);
    state = step.state;
    if (step.change !== null) raised.push(`${step.change.from ?? 'new'} to ${step.change.to}`);
    if (step.opens !== null) raised.push(step.opens);
    // Whenever it is looked at between two answers.
    const opens = judgeState(state, rules, { now: at, everyMs: minuteMs, lookedAt: at });
    assert.equal(opens, null, `${order.join(' ')}, ${location}: nothing is due that no result has opened`);
  }
  return { state: { ...state, byLocation: sorted(state.byLocation) }, raised };
}

function sorted(byLocation: CheckState['byLocation']): CheckState['byLocation'] {
  return Object.fromEntries(Object.entries(byLocation).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function permutations(items: readonly string[]): readonly (readonly string[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

function combinations(count: number): readonly (readonly Outcome[])[] {
  if (count === 0) return [[]];
  return combinations(count - 1).flatMap((rest) => outcomes.map((outcome) => [...rest, outcome]));
}

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
  const at = start + path.length * minuteMs;
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
