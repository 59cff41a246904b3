// Every short history of a check that flaps, at a channel that groups its messages: no failure that lasts longer than
// those before is reported late, and no change waits longer than it may.
import assert from 'node:assert/strict';
import { calm, type Flapping, flappingDueAt, type FlappingEvent, flappingStep } from '#domain/alerts/flapping.ts';
import type { Listener } from '#domain/alerts/listener.ts';
import { notificationsOf, notNotified } from '#domain/alerts/notify.ts';
import type { CheckState } from '#domain/checks/check-state.ts';
import { explore, type Explored } from './explore.ts';

const moves = ['passed', 'failed', 'degraded', 'mute', 'acknowledge', 'nothing', 'hour'] as const;
type Move = (typeof moves)[number];
type Alerted = CheckState['alerted'];

const minute = 60_000;
/** The step that evaluates states runs every few seconds. */
const tickMs = 5_000;
const windowMs = 15 * minute;
const longestWaitMs = 10 * minute;
const start = Date.UTC(2026, 10, 27, 3);
const statusOf = { passed: null, failed: 'failing', degraded: 'degraded' } as const;

/** What was seen, without what the product made of it. */
interface Seen {
  readonly changedAt: number;
  /** Ended failures, with their end and duration, ms. */
  readonly ended: readonly { readonly what: Alerted; readonly at: number; readonly lastedMs: number }[];
  /** Since when nothing kept a message back, epoch ms. */
  readonly freeSince: number;
  /** What the channel was last notified of. */
  readonly knows: Alerted;
  readonly messages: readonly number[];
}

interface Node {
  readonly now: number;
  readonly alerted: Alerted;
  readonly flapping: Flapping;
  readonly isMuted: boolean;
  readonly isAcknowledged: boolean;
  readonly listener: Listener;
  readonly seen: Seen;
}

const first: Node = {
  now: start,
  alerted: null,
  flapping: calm,
  isMuted: false,
  isAcknowledged: false,
  listener: {
    alertChannelId: 1,
    isSubscribed: true,
    isViaGroup: false,
    sendFailure: true,
    sendRecovery: true,
    sendDegraded: true,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    grouping: true,
    notified: notNotified,
  },
  seen: { changedAt: start, ended: [], freeSince: start, knows: null, messages: [] },
};

/**
 * Follows every sequence of moves, a minute each, after a check began to flap.
 *
 * @throws {Error} that names the first after which a promise does not hold
 */
export function exploreFlapping(depth: number): Explored {
  const began: Node = (['failed', 'passed', 'failed', 'passed', 'failed', 'passed'] as const).reduce(follow, first);
  assert.notEqual(began.flapping.since, null);
  return explore<Node, Move>(
    { first: began, movesOf: () => moves, follow, keyOf: (node) => JSON.stringify(node), nameOf: (move) => move },
    depth,
  );
}

function follow(before: Node, move: Move): Node {
  const until = before.now + (move === 'hour' ? 60 * minute : minute);
  let node = moved(before, move);
  while (node.now < until) {
    node = inspected({ ...node, now: node.now + tickMs });
    checkKnown(node);
  }
  return node;
}

function moved(node: Node, move: Move): Node {
  const { isMuted, isAcknowledged, alerted, now, seen } = node;
  if (move === 'mute') return { ...node, isMuted: !isMuted, seen: { ...seen, freeSince: now } };
  if (move === 'acknowledge') return alerted === null ? node : { ...node, isAcknowledged: !isAcknowledged };
  if (move === 'nothing' || move === 'hour') return node;
  const after = statusOf[move];
  // A mute keeps alerts from being raised, not recoveries.
  return after === alerted || (isMuted && after !== null) ? node : changed(node, after);
}

function changed(node: Node, after: Alerted): Node {
  const { alerted: before, now, seen } = node;
  const ended =
    before === null ? seen.ended : [...seen.ended, { what: before, at: now, lastedMs: now - seen.changedAt }];
  const next = { ...node, alerted: after, isAcknowledged: false, seen: { ...seen, ended, changedAt: now } };
  return folded(next, { type: 'judged', before, after, isRecovered: after === null }, before);
}

function inspected(node: Node): Node {
  const { alerted, isAcknowledged, isMuted, flapping, now } = node;
  const dueAt = flappingDueAt(flapping, alerted, minute);
  if (dueAt === null || dueAt > now) return node;
  const isSilenced = isMuted && alerted !== null;
  return folded(node, { type: 'time', alerted, isSilenced, isAcknowledged }, alerted);
}

/** The product decides; the channel receives. */
function folded(node: Node, event: FlappingEvent, before: Alerted): Node {
  const { now, alerted, listener, flapping, isMuted, seen } = node;
  const { state, message, changes } = flappingStep(flapping, event, now, minute);
  const since = state.since ?? (message === null ? null : flapping.since);
  const isTimed = event.type === 'time';
  const opens = alerted === 'failing' ? 'ALERT_FAILURE' : 'ALERT_DEGRADED';
  const tidings = { since: since ?? 0, message, changes, dueAt: 0, alerted: before, incidentId: null, isTimed };
  const [found] = notificationsOf(
    {
      opens: isTimed || alerted === null ? null : opens,
      escalates: null,
      isPassing: !isTimed && alerted === null,
      isMuted,
      flapping: since === null ? null : tidings,
      now,
      status: alerted ?? 'passing',
      reminders: null,
      certificate: null,
    },
    [listener],
  );
  if (found === undefined) return { ...node, flapping: state };
  const { alertTypes, held } = found;
  const collectingId = held.length > 0 ? 'held' : (found.notified.flapping?.collectingId ?? null);
  const notice = found.notified.flapping === null ? null : { ...found.notified.flapping, collectingId };
  assert.ok(alertTypes.length <= 1);
  if (alertTypes.length > 0 && message !== 'lasts') checkPause(seen.messages, flapping, message, now);
  const knows = alertTypes.length > 0 ? alerted : seen.knows;
  const messages = alertTypes.length > 0 && message === 'changed' ? [now] : seen.messages;
  const notified = { ...found.notified, flapping: notice };
  return { ...node, flapping: state, listener: { ...listener, notified }, seen: { ...seen, knows, messages } };
}

function checkPause(messages: readonly number[], { since }: Flapping, message: string | null, now: number): void {
  const last = messages.at(-1);
  if (since === null || message !== 'changed' || last === undefined || last < since) return;
  assert.ok(now - last >= longestWaitMs, 'one message in ten minutes');
}

function checkKnown({ alerted, isMuted, isAcknowledged, now, seen, listener }: Node): void {
  if (seen.knows === alerted) {
    assert.equal(listener.notified.open, { failing: 'failure', degraded: 'degraded', none: null }[alerted ?? 'none']);
    return;
  }
  if (isMuted) return;
  // A muted check is considered again after half a minute.
  const waitedMs = now - Math.max(seen.changedAt, seen.freeSince);
  assert.ok(waitedMs <= longestWaitMs + minute, `a change waits for ${waitedMs} ms`);
  if (alerted === null || isAcknowledged) return;
  const lastsMs = now - seen.changedAt;
  const before = seen.ended.filter(({ what, at }) => what === alerted && at > now - windowMs);
  const longestMs = Math.max(0, ...before.map(({ lastedMs }) => lastedMs));
  const lateMs = Math.min(lastsMs - longestMs, now - seen.freeSince);
  assert.ok(lateMs <= minute, `a failure that lasts longer than all before is reported ${lateMs} ms late`);
}
