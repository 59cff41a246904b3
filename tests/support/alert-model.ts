// Every short history of a check, at channels with every combination of switches: the promises of alerting, checked in each.
import assert from 'node:assert/strict';
import type { Escalation } from '#domain/alert-settings.ts';
import type { AlertType } from '#domain/alert.ts';
import {
  alertedOf,
  type CheckState,
  foldResult,
  judgeState,
  newCheckState,
  type StateRules,
  type StateStep,
} from '#domain/check-state.ts';
import { type Listener, tellingsOf, toldNothing } from '#domain/tell.ts';

/**
 * A result; a mute or a window that begins or ends; a result of an older slot. Each takes a minute, after which it is looked
 * at what is due by then. A result without a verdict moves nothing: it is as a time in which none comes.
 */
const moves = ['passed', 'degraded', 'failed', 'unknown', 'mute', 'older'] as const;
type Move = (typeof moves)[number];

/** What a channel heard so far, kept apart from what the product remembers of it. */
interface Heard {
  readonly listener: Listener;
  readonly lastSent: AlertType | null;
  /** Whether the check passed since. */
  readonly isPassedSince: boolean;
  /** Whether a failure was opened that only this channel's switch kept from it. */
  readonly isSparedFailure: boolean;
}

/** What the results themselves say, kept apart from what the product makes of them. */
interface Trouble {
  readonly what: 'failed' | 'degraded';
  /** How many results in a row have found it so. */
  readonly inARow: number;
  /** Since when they have, epoch ms. */
  readonly since: number;
  /** Whether anything was opened since the check last passed. */
  readonly isOpened: boolean;
}

interface Node {
  readonly state: CheckState;
  readonly isMuted: boolean;
  readonly channels: readonly Heard[];
  /** null = the check passes, or nothing is known of it. */
  readonly trouble: Trouble | null;
  readonly path: readonly Move[];
}

/** Channels with every combination of switches. */
const switches = [0, 1, 2, 3, 4, 5, 6, 7].map((bits): Listener => ({
  alertChannelId: bits,
  isSubscribed: true,
  isViaGroup: false,
  sendFailure: (bits & 1) > 0,
  sendRecovery: (bits & 2) > 0,
  sendDegraded: (bits & 4) > 0,
  sslExpiry: false,
  sslExpiryThreshold: 30,
  told: toldNothing,
}));
/** Before the first result. */
const first: Node = {
  state: newCheckState,
  isMuted: false,
  channels: switches.map((listener) => ({ listener, lastSent: null, isPassedSince: true, isSparedFailure: false })),
  trouble: null,
  path: [],
};
const start = Date.UTC(2026, 2, 10);
export const minute = 60_000;
const otherThan: Readonly<Record<string, 'passed' | 'failed'>> = {
  passing: 'failed',
  degraded: 'passed',
  failing: 'passed',
};

/** Results come this often when they come: what was found last is known all the time. */
const everyMs = 60 * minute;

/** The node after a move and a look at what is due by then, with the promises checked on the way. */
function follow(node: Node, move: Move, escalation: Escalation): Node {
  const path = [...node.path, move];
  const now = start + path.length * minute;
  const moved =
    move === 'mute' ? { ...node, isMuted: !node.isMuted, path } : withResult({ ...node, path }, move, now, escalation);
  const looked = withLook(moved, now, escalation);
  checkKnown(looked, now, escalation);
  return looked;
}

function rulesOf({ isMuted }: Node, escalation: Escalation): StateRules {
  return { escalation, isMuted, reminders: null, parallel: null };
}

function withResult(node: Node, move: Exclude<Move, 'mute'>, now: number, escalation: Escalation): Node {
  const { state } = node;
  const isOlder = move === 'older';
  const at = isOlder ? (state.position?.at ?? start) - 1 : now;
  const outcome = isOlder ? (otherThan[state.status ?? ''] ?? 'unknown') : move;
  const result = { outcome, location: 'local', at, startedAt: at };
  const step = foldResult(state, result, rulesOf(node, escalation));
  if (isOlder || move === 'unknown') {
    const nothing = { state, change: null, opens: null, isMoved: false };
    assert.deepEqual(step, nothing, 'unknown and older results move nothing');
    return node;
  }
  return told({ ...node, trouble: troubleAfter(node.trouble, move, at) }, step, move, now);
}

/** What is due by now without a result is opened, as the step that judges states does within seconds. */
function withLook(node: Node, now: number, escalation: Escalation): Node {
  const { state } = node;
  // Whatever came last came an hour ago at most.
  const opens = judgeState(state, rulesOf(node, escalation), { now, everyMs, lookedAt: now });
  if (opens === null) return node;
  return told(node, { state: alertedOf(state, opens), change: null, opens, isMoved: true }, null, now);
}

function troubleAfter(trouble: Trouble | null, what: 'passed' | 'failed' | 'degraded', at: number): Trouble | null {
  if (what === 'passed') return null;
  const isOpened = trouble?.isOpened ?? false;
  const isSame = trouble?.what === what;
  return { what, inARow: isSame ? trouble.inARow + 1 : 1, since: isSame ? trouble.since : at, isOpened };
}

/** @param move the result that is told of; null = there is none */
function told(node: Node, step: StateStep, move: Move | null, now: number): Node {
  const { opens, state } = step;
  const { status } = state;
  const isPassing = status === 'passing';
  const news = { opens, isPassing, isMuted: node.isMuted, now, status, reminders: null, certificate: null };
  const tellings = tellingsOf(
    news,
    node.channels.map(({ listener }) => listener),
  );
  const channels = node.channels.map((heard) => {
    const telling = tellings.find(({ listener }) => listener === heard.listener);
    const sent = telling?.alertTypes ?? [];
    checkSent(sent, heard, { move, step, isMuted: node.isMuted });
    const isStillSpared = opens === 'ALERT_FAILURE' || (heard.isSparedFailure && sent.length === 0);
    const isSpared = !isPassing && !heard.listener.sendFailure && isStillSpared;
    return {
      listener: telling === undefined ? heard.listener : { ...heard.listener, told: telling.told },
      lastSent: sent[0] ?? heard.lastSent,
      isPassedSince: isPassing || (sent.length === 0 && heard.isPassedSince),
      isSparedFailure: isSpared,
    };
  });
  const { trouble } = node;
  return {
    ...node,
    state,
    channels,
    trouble: trouble === null ? null : { ...trouble, isOpened: trouble.isOpened || opens !== null },
  };
}

interface Now {
  readonly move: Move | null;
  readonly step: StateStep;
  readonly isMuted: boolean;
}

function checkSent(sent: readonly AlertType[], heard: Heard, { move, step, isMuted }: Now): void {
  const { sendFailure, sendRecovery, sendDegraded } = heard.listener;
  const { status } = step.state;
  const [alert] = sent;
  assert.ok(sent.length <= 1, 'one result is told once');
  const isRepeat = alert !== undefined && alert === heard.lastSent && !heard.isPassedSince && !heard.isSparedFailure;
  assert.ok(!isRepeat, 'nobody is told twice of the same without something between');
  const isOpening = alert === 'ALERT_FAILURE' || alert === 'ALERT_DEGRADED';
  assert.ok(!isOpening || !isMuted, 'under mute only closings are sent');
  if (alert === 'ALERT_FAILURE')
    assert.ok(sendFailure && status === 'failing', 'a failure is told where it was asked for');
  if (alert === 'ALERT_DEGRADED') assert.ok(sendDegraded && status === 'degraded', 'so is a degradation');

  const open = heard.isPassedSince ? null : heard.lastSent;
  if (move === 'passed') {
    const closing = open === 'ALERT_DEGRADED' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY';
    if (heard.isSparedFailure) assert.equal(alert, sendRecovery ? 'ALERT_RECOVERY' : undefined, 'counted as told');
    else if (open === null) assert.equal(alert, undefined, 'nobody else is told of an end');
    else assert.equal(alert, sendRecovery ? closing : undefined, 'what opened closes');
  } else assert.ok(alert !== 'ALERT_RECOVERY' && alert !== 'ALERT_DEGRADED_RECOVERY', 'an end is told when it passes');
}

/** Whoever asked knows of a trouble that is due, whether a result came, a mute ended or time went by; and of no other. */
function checkKnown({ trouble, isMuted, channels }: Node, now: number, escalation: Escalation): void {
  if (trouble === null || isMuted) return;
  const isReached =
    escalation.type === 'RUN_BASED' ? trouble.inARow >= escalation.runs : now - trouble.since >= escalation.ms;
  // What was told of grows worse or milder at once.
  const isDue = trouble.isOpened || isReached;
  for (const { listener, lastSent, isPassedSince } of channels) {
    const knows = isPassedSince ? null : lastSent;
    if (!isDue) assert.equal(knows, null, 'nobody is told before it is due');
    else if (trouble.what === 'failed' && listener.sendFailure)
      assert.equal(knows, 'ALERT_FAILURE', 'mute hides a failure and does not lose it');
    else if (trouble.what === 'degraded' && listener.sendDegraded)
      assert.equal(knows, 'ALERT_DEGRADED', 'nor a degradation');
  }
}

/**
 * Follows every sequence of results and mutes up to a length, from the first result of a check on.
 *
 * @returns how many sequences there are
 * @throws {Error} that names the first after which a promise does not hold
 */
export function exploreHistories(depth: number, escalation: Escalation): number {
  return explore(first, depth, escalation);
}

/** How many channels hear of each. */
export const channelsInModel = switches.length;

function explore(node: Node, depth: number, escalation: Escalation): number {
  if (depth === 0) return 0;
  let sequences = 0;
  for (const move of moves) {
    let next: Node;
    try {
      next = follow(node, move, escalation);
    } catch (cause) {
      throw new Error(`after ${[...node.path, move].join(', ')}`, { cause });
    }
    sequences += 1 + explore(next, depth - 1, escalation);
  }
  return sequences;
}
