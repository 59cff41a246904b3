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
