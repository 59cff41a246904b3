// Every short history of a check, at channels with every combination of switches: the promises of alerting, checked in each.
import assert from 'node:assert/strict';
import type { Escalation } from '#domain/alert-settings.ts';
import type { AlertType } from '#domain/alert.ts';
import { type CheckState, foldResult, newCheckState, type StateRules, type StateStep } from '#domain/check-state.ts';
import { type Listener, tellingsOf, toldNothing } from '#domain/tell.ts';

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

interface Node {
  readonly state: CheckState;
  readonly isMuted: boolean;
  readonly channels: readonly Heard[];
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
  path: [],
};
const start = Date.UTC(2026, 2, 10);
export const minute = 60_000;
const otherThan: Readonly<Record<string, 'passed' | 'failed'>> = {
  passing: 'failed',
  degraded: 'passed',
  failing: 'passed',
};

/** The node after a move, with the promises checked on the way. */
function follow(node: Node, move: Move, escalation: Escalation): Node {
  const path = [...node.path, move];
  if (move === 'mute') return { ...node, isMuted: !node.isMuted, path };
  const { state } = node;
  const isOlder = move === 'older';
  const at = isOlder ? (state.position?.at ?? start) - 1 : start + path.length * minute;
  const outcome = isOlder ? (otherThan[state.status ?? ''] ?? 'unknown') : move;
  const rules: StateRules = { escalation, isMuted: node.isMuted, reminders: null, parallel: null };
  const step = foldResult(state, { outcome, location: 'local', at, startedAt: at }, rules);
  if (isOlder || move === 'unknown') {
    assert.deepEqual(
      step,
      { state, change: null, opens: null, isMoved: false },
      'unknown and older results move nothing',
    );
    return { ...node, path };
  }
  const isPassing = step.state.status === 'passing';
  const { opens } = step;
  const { status } = step.state;
  const news = { opens, isPassing, isMuted: node.isMuted, now: at, status, reminders: null, certificate: null };
  const tellings = tellingsOf(
    news,
    node.channels.map(({ listener }) => listener),
  );
  const channels = node.channels.map((heard) => {
    const telling = tellings.find(({ listener }) => listener === heard.listener);
    const sent = telling?.alertTypes ?? [];
    checkSent(sent, heard, { move, step, isMuted: node.isMuted, escalation });
    const isStillSpared = step.opens === 'ALERT_FAILURE' || (heard.isSparedFailure && sent.length === 0);
    const isSpared = !isPassing && !heard.listener.sendFailure && isStillSpared;
    return {
      listener: telling === undefined ? heard.listener : { ...heard.listener, told: telling.told },
      lastSent: sent[0] ?? heard.lastSent,
      isPassedSince: isPassing || (sent.length === 0 && heard.isPassedSince),
      isSparedFailure: isSpared,
    };
  });
  return { state: step.state, isMuted: node.isMuted, channels, path };
}

interface Now {
  readonly move: Move;
  readonly step: StateStep;
  readonly isMuted: boolean;
  readonly escalation: Escalation;
}

function checkSent(sent: readonly AlertType[], heard: Heard, { move, isMuted, escalation }: Now): void {
  const { sendFailure, sendRecovery, sendDegraded } = heard.listener;
  const [alert] = sent;
  assert.ok(sent.length <= 1, 'one result is told once');
  const isRepeat = alert !== undefined && alert === heard.lastSent && !heard.isPassedSince && !heard.isSparedFailure;
  assert.ok(!isRepeat, 'nobody is told twice of the same without something between');
  const isOpening = alert === 'ALERT_FAILURE' || alert === 'ALERT_DEGRADED';
  assert.ok(!isOpening || !isMuted, 'under mute only closings are sent');
  if (alert === 'ALERT_FAILURE')
    assert.ok(sendFailure && move === 'failed', 'a failure is told where it was asked for');
  if (alert === 'ALERT_DEGRADED') assert.ok(sendDegraded && move === 'degraded', 'so is a degradation');

  const open = heard.isPassedSince ? null : heard.lastSent;
  if (move === 'passed') {
    const closing = open === 'ALERT_DEGRADED' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY';
    if (heard.isSparedFailure) assert.equal(alert, sendRecovery ? 'ALERT_RECOVERY' : undefined, 'counted as told');
    else if (open === null) assert.equal(alert, undefined, 'nobody else is told of an end');
    else assert.equal(alert, sendRecovery ? closing : undefined, 'what opened closes');
  } else assert.ok(alert !== 'ALERT_RECOVERY' && alert !== 'ALERT_DEGRADED_RECOVERY', 'an end is told when it passes');

  // With the first run alerting, whoever asked knows of the present trouble after every result that is not muted.
  if (escalation.type !== 'RUN_BASED' || escalation.runs !== 1 || isMuted) return;
  const knows = alert ?? open;
  if (move === 'failed' && sendFailure)
    assert.equal(knows, 'ALERT_FAILURE', 'mute hides a failure and does not lose it');
  if (move === 'degraded' && sendDegraded) assert.equal(knows, 'ALERT_DEGRADED', 'nor a degradation');
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
