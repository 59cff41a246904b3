// Every short history of a check that runs in several locations at once, in every order of their results: each channel gets the
// same notifications, with or without mutes and windows, at any escalation.
import assert from 'node:assert/strict';
import type { AlertSettings, Escalation } from '#domain/alerts/alert-settings.ts';
import {
  alertedOf,
  type CheckState,
  type CheckStatus,
  foldResult,
  judgeState,
  newCheckState,
  type StateStep,
} from '#domain/checks/check-state.ts';
import type { RetryStrategy } from '#domain/checks/check.ts';
import { retryOf } from '#domain/checks/run.ts';
import { minute, start } from './alert-families.ts';
import { alertSettingsOf, type Rules, rulesOf } from './alert-rules.ts';
import { explore, type Explored } from './explore.ts';
import { type Channel, knownTo } from './received.ts';
import { settingsOf, freshChannels, notify } from './location-channels.ts';

/** `recovered`: the first attempt failed, and the retry passed. With retries, a failed run was retried, too. */
const outcomes = ['passed', 'degraded', 'failed', 'unknown', 'recovered'] as const;
type Found = (typeof outcomes)[number];

/** A check in the model. */
export interface LocationCase {
  readonly locations: number;
  readonly rounds: number;
  readonly failingShare: number | null;
  readonly escalation: Escalation;
  /** Where a failed attempt is tried once more; null = nowhere. */
  readonly retry: 'there' | 'elsewhere' | null;
  /** Whether a round may be asked for, a second after the one before it. */
  readonly isTriggered: boolean;
  /** What is switched on and off between rounds. */
  readonly hiding: 'mute' | 'window' | null;
}

/** What whole rounds say, kept apart from what the product makes of them. */
interface Trouble {
  readonly status: CheckStatus;
  readonly rounds: number;
  /** Since when it is so, and when a location last had a verdict; epoch ms. */
  readonly since: number;
  readonly seenAt: number;
  /**
   * What is known of it: the newest round with a verdict found it so; it left that open; or no location had a verdict since, so that
   * what each found last may be something else by now.
   */
  readonly is: 'certain' | 'open' | 'unknown';
  /** Whether it was due, and not hidden, at any time since the check last passed. */
  readonly isDue: boolean;
}

/** Where a history stands after a round. */
interface Node {
  /** Of the round, epoch ms. */
  readonly at: number;
  readonly state: CheckState;
  readonly trouble: Trouble | null;
  readonly channels: readonly Channel[];
  /** Locations that came without a verdict. */
  readonly silent: ReadonlySet<number>;
}

interface Round {
  /** By location. */
  readonly found: readonly Found[];
  readonly isHidden: boolean;
  /** How long after the round before it, ms. */
  readonly afterMs: number;
}

/**
 * Follows every history: each location finds anything in each round, or comes without a verdict from some round on, and they
 * answer in any order; between rounds the check is muted and unmuted. Notifications and the state of the check must be the
 * same at the end of each round in every order. Only one that has a verdict again after it had none may be a surprise
 * (docs/decisions/0098).
 *
 * @returns how many histories there are, orders counted
 * @throws {Error} that names the first two orders that differ
 */
export function exploreOrders(given: LocationCase): Explored {
  const codes = Array.from({ length: given.locations }, (_, index) => `l${index}`);
  const orders = permutations(codes);
  const rules = [false, true].map((isHidden) => rulesOfCase(given, codes, isHidden));
  const found = combinations(
    given.locations,
    outcomes.filter((each) => each !== 'recovered' || given.retry !== null),
  );
  const rounds = [false, true]
    .filter((isHidden) => !isHidden || given.hiding !== null)
    .flatMap((isHidden) =>
      [minute, 1000]
        .filter((afterMs) => afterMs === minute || given.isTriggered)
        .flatMap((afterMs) => found.map((each): Round => ({ found: each, isHidden, afterMs }))),
    );
  const first: Node = {
    at: start,
    state: newCheckState,
    trouble: null,
    channels: freshChannels,
    silent: new Set(),
  };
  const { sequences, situations } = explore<Node, Round>(
    {
      first,
      movesOf: ({ silent }) =>
        rounds.filter((round) => round.found.every((outcome, index) => !silent.has(index) || outcome === 'unknown')),
      follow: (node, round) => {
        const byRules = rules[Number(round.isHidden)];
        assert.ok(byRules !== undefined);
        return followRound(node, round, { given, codes, orders, byRules });
      },
      keyOf: ({ at, state, trouble, channels, silent }) =>
        `${JSON.stringify([at, state, trouble, [...silent]])} ${channels.map(({ key }) => key).join(' ')}`,
      nameOf: ({ found: each, isHidden, afterMs }) =>
        `${each.join(' and ')}${isHidden ? ', hidden' : ''}${afterMs === minute ? '' : ', asked for'}`,
    },
    given.rounds,
  );
  return { sequences: sequences * orders.length, situations };
}

const backoffSeconds = 20;

function rulesOfCase(
  { failingShare, escalation, retry, hiding }: LocationCase,
  codes: readonly string[],
  isHidden: boolean,
): Rules {
  const share: AlertSettings =
    failingShare === null ? {} : { parallelRunFailureThreshold: { enabled: true, percentage: failingShare * 100 } };
  const retryStrategy: RetryStrategy | null =
    retry === null
      ? null
      : {
          type: 'SINGLE_RETRY',
          baseBackoffSeconds: backoffSeconds,
          maxRetries: 1,
          maxDurationSeconds: 600,
          sameRegion: retry === 'there',
        };
  return rulesOf({
    check: { runParallel: true, frequency: 1, retryStrategy },
    alertSettings: { ...alertSettingsOf(escalation, null), ...share },
    served: codes,
    isMuted: isHidden && hiding === 'mute',
    isInWindow: isHidden && hiding === 'window',
  });
}

interface Setting {
  readonly given: LocationCase;
  readonly codes: readonly string[];
  readonly orders: readonly (readonly string[])[];
  readonly byRules: Rules;
}

function followRound(before: Node, round: Round, setting: Setting): Node {
  const at = before.at + round.afterMs;
  const { isHidden, found } = round;
  // Due alerts are sent before the first location responds.
  const opens = judgeState(before.state, setting.byRules.standing, { now: at, everyMs: minute, judgedAt: before.at });
  const notified =
    opens === null
      ? before
      : notify(before, stepOf(before.state, opens), { now: at, isHidden, rules: setting.byRules.rules }).node;
  const inspected = { ...notified, trouble: dueBy(notified.trouble, at, isHidden, setting) };
  checkKnown(inspected, isHidden);
  const ends = setting.orders.map((order) => roundOf({ ...inspected, at }, order, round, setting));
  const [first] = ends;
  assert.ok(first !== undefined);
  const words = wordsOf(first);
  for (const [index, end] of ends.entries()) {
    if (wordsOf(end) === words) continue;
    assert.deepEqual(end, first, `answered ${setting.orders[index]?.join(' ')}`);
  }
  const { node, isMoved } = first;
  checkWhole(node.state, found, setting.given);
  const silent = new Set(found.flatMap((outcome, index) => (outcome === 'unknown' ? [index] : [])));
  const trouble = troubleAfter(node, isMoved, found.length > silent.size);
  const after = { ...node, silent, trouble: dueBy(trouble, at, isHidden, setting) };
  checkKnown(after, isHidden);
  return after;
}

/** All that is said of a round, as a text. */
function wordsOf({ node, raised, isMoved }: ReturnType<typeof roundOf>): string {
  return `${JSON.stringify([node.state, raised, isMoved])} ${node.channels.map(({ key }) => key).join(' ')}`;
}

function stepOf(state: CheckState, opens: NonNullable<StateStep['opens']>): StateStep {
  return { state: alertedOf(state, opens), change: null, opens, isMoved: true };
}

/** A round as the locations answer, and all that was said of it. */
function roundOf(before: Node, order: readonly string[], { found, isHidden }: Round, setting: Setting) {
  const { byRules, codes } = setting;
  const { at } = before;
  const raised: string[] = [];
  let node = before;
  let isMoved = false;
  for (const location of order) {
    const { outcome, startedAt } = runOf(location, found[codes.indexOf(location)] ?? 'passed', at, setting);
    const step = foldResult(node.state, { outcome, location, at, startedAt }, byRules.rules);
    if (step.change !== null) raised.push(`${step.change.from ?? 'new'} to ${step.change.to}`);
    if (step.opens !== null) raised.push(step.opens);
    isMoved ||= step.isMoved;
    const notified = notify(node, step, { now: at, isHidden, rules: byRules.rules });
    raised.push(...notified.sent);
    node = notified.node;
    // Whenever it is looked at between two answers.
    const opens = judgeState(node.state, byRules.standing, { now: at, everyMs: minute, judgedAt: at });
    assert.equal(opens, null, `${order.join(' ')}, ${location}: nothing is due that no result has opened`);
  }
  return { node: { ...node, state: { ...node.state, byLocation: sorted(node.state.byLocation) } }, raised, isMoved };
}

/** What a run came to that began at that location: its last attempt says it, wherever that was made. */
function runOf(location: string, found: Found, at: number, { byRules, codes, given }: Setting) {
  // They start almost at once: who answers first is chance.
  const startedAt = at + codes.indexOf(location);
  const outcome = found === 'recovered' ? 'passed' : found;
  const isTriedAgain = given.retry !== null && (found === 'failed' || found === 'recovered');
  const verdict = isTriedAgain ? 'failed' : outcome;
  const ended = { verdict, reason: null, startedAt, stoppedAt: startedAt };
  const retry = retryOf({ attempt: 1, location, firstStartedAt: null }, ended, byRules.check, codes);
  assert.equal(retry !== null, isTriedAgain, 'a failed attempt is tried again, and no other is');
  if (retry === null) return { outcome, startedAt };
  assert.deepEqual(
    [retry.at, retry.location !== location],
    [startedAt + backoffSeconds * 1000, given.retry === 'elsewhere'],
  );
  return { outcome, startedAt: retry.at };
}

/** When all have a verdict, it says where the check stands. */
function checkWhole({ status }: CheckState, found: readonly Found[], { failingShare }: LocationCase): void {
  if (found.includes('unknown')) return;
  const failed = found.filter((outcome) => outcome === 'failed').length;
  const isFailing = failed > 0 && failed >= (failingShare ?? 0) * found.length;
  const expected = isFailing ? 'failing' : found.includes('degraded') ? 'degraded' : 'passing';
  assert.equal(status, expected, 'a whole round says where the check stands');
}

/**
 * @param isMoved whether the round made certain where the check stands
 * @param isSeen whether any location had a verdict in it
 */
function troubleAfter({ state, trouble, at }: Node, isMoved: boolean, isSeen: boolean): Trouble | null {
  const { status } = state;
  if (status === null || status === 'passing') return null;
  const seenAt = isSeen || trouble === null ? at : trouble.seenAt;
  const isDue = trouble?.isDue ?? false;
  if (trouble?.status !== status) return { status, rounds: 1, since: at, seenAt, is: 'certain', isDue };
  if (isMoved) return { ...trouble, rounds: trouble.rounds + 1, seenAt, is: 'certain' };
  if (isSeen) return { ...trouble, seenAt, is: 'open' };
  return trouble.is === 'open' ? { ...trouble, is: 'unknown' } : trouble;
}

/** The failure or degradation, once its alert is due; a change between them is due at once. */
function dueBy(trouble: Trouble | null, now: number, isHidden: boolean, { given }: Setting): Trouble | null {
  if (trouble === null || trouble.isDue || isHidden) return trouble;
  const { escalation } = given;
  // It is known to last until the next round was due, and no longer.
  const lastedMs = Math.min(now, trouble.seenAt + minute) - trouble.since;
  const isDue = escalation.type === 'RUN_BASED' ? trouble.rounds >= escalation.runs : lastedMs >= escalation.ms;
  return isDue ? { ...trouble, isDue } : trouble;
}

/** Channels that want it were notified of a due failure, and of no other. */
function checkKnown({ trouble, channels }: Node, isHidden: boolean): void {
  if (trouble === null || isHidden) return;
  for (const [index, channel] of channels.entries()) {
    const { sendFailure, sendDegraded } = settingsOf(index);
    const knows = knownTo(channel);
    if (!trouble.isDue) assert.equal(knows, null, 'no channel is notified before it is due');
    else if (trouble.is === 'unknown') continue;
    else if (trouble.status === 'failing' && sendFailure)
      assert.equal(knows, 'ALERT_FAILURE', 'mute and maintenance hide a failure and do not lose it');
    else if (trouble.status === 'degraded' && sendDegraded) assert.equal(knows, 'ALERT_DEGRADED', 'nor a degradation');
  }
}

function sorted(byLocation: CheckState['byLocation']): CheckState['byLocation'] {
  return Object.fromEntries(Object.entries(byLocation).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function permutations(items: readonly string[]): readonly (readonly string[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

function combinations(count: number, found: readonly Found[]): readonly (readonly Found[])[] {
  if (count === 0) return [[]];
  return combinations(count - 1, found).flatMap((rest) => found.map((each) => [...rest, each]));
}
