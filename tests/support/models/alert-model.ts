// Every short history of a check, at channels with every combination of switches: the promises of alerting, checked in each.
import assert from 'node:assert/strict';
import {
  alertedOf,
  type CheckState,
  foldResult,
  judgeState,
  newCheckState,
  type StateStep,
} from '#domain/checks/check-state.ts';
import { retryOf } from '#domain/checks/run.ts';
import type { Listener } from '#domain/alerts/listener.ts';
import { mayNotify, alertEventOf, deletionEvent, type Notification, notificationsOf } from '#domain/alerts/notify.ts';
import { type Family, gaps, locations, minute, type Move, start, type Switches, toggles } from './alert-families.ts';
import { createRules, type Rules } from './alert-rules.ts';
import { type ChannelSettings, type Channel, checkClosing, freshChannel, receive, knownTo } from './received.ts';
import { explore, type Explored } from './explore.ts';

type Verdict = 'passed' | 'degraded' | 'failed';

/** What the results say by themselves, kept apart from what the product makes of them. */
interface Trouble {
  readonly what: Exclude<Verdict, 'passed'>;
  /** How many runs in a row have found it so. */
  readonly inARow: number;
  /** Since when they have, and when they last did; epoch ms. */
  readonly since: number;
  readonly seenAt: number;
  /** Whether it was due, and not hidden, at any time since the check last passed. */
  readonly isDue: boolean;
  /** Whether all subscriptions and switches were as they are ever since then. */
  readonly isNotifying: boolean;
}

/** A run whose attempt failed, and is tried again. */
interface Pending {
  readonly attempt: number;
  readonly location: string;
  readonly firstStartedAt: number | null;
  readonly slotAt: number;
}

interface Node {
  /** Epoch ms. */
  readonly now: number;
  readonly state: CheckState;
  /** null = the check passes, or nothing is known of it. */
  readonly trouble: Trouble | null;
  readonly run: Pending | null;
  /** The newest result of whatever outcome, where nobody may look for long; epoch ms. */
  readonly judgedAt: number | null;
  readonly on: Switches;
  /** Whether neither subscriptions, switches of channels nor the escalation were changed since the check last passed. */
  readonly isUnedited: boolean;
  readonly channels: readonly Channel[];
}

/** Channels with every combination of switches, by their bits. */
const switches = [0, 1, 2, 3, 4, 5, 6, 7].map((bits): ChannelSettings => ({
  sendFailure: (bits & 1) > 0,
  sendRecovery: (bits & 2) > 0,
  sendDegraded: (bits & 4) > 0,
}));

/** Number of channels that receive each. */
export const channelsInModel = switches.length;

/** Before the first result. */
const first: Node = {
  now: start,
  state: newCheckState,
  trouble: null,
  run: null,
  judgedAt: null,
  on: Object.fromEntries(toggles.map((name) => [name, false])) as Switches,
  isUnedited: true,
  channels: switches.map(() => freshChannel),
};
const otherThan: Readonly<Record<string, Verdict>> = { passing: 'failed', degraded: 'passed', failing: 'passed' };
const statusOf = { passed: 'passing', degraded: 'degraded', failed: 'failing' } as const;

/** What a family says, and the rules that the product makes of it. */
interface Setting {
  readonly family: Family;
  readonly rulesOf: (on: Switches) => Rules;
}

/**
 * Follows every sequence of the moves of a family up to a length, from the first result of a check on. Each takes a minute, a gap an
 * hour, and is followed by a look at what is due by then. A deletion ends it.
 *
 * @throws {Error} that names the first after which a promise does not hold
 */
export function exploreHistories(depth: number, family: Family): Explored {
  const setting: Setting = { family, rulesOf: createRules(family) };
  return explore<Node, Move>(
    {
      first,
      movesOf: () => family.moves,
      follow: (node, move) => follow(node, move, setting),
      keyOf,
      nameOf: (move) => move,
    },
    depth,
  );
}

function keyOf({ now, state, trouble, run, judgedAt, on, isUnedited, channels }: Node): string {
  const { status, since, position, failedInARow, degradedInARow, failingSince, alerted } = state;
  const ofState = `${status} ${since} ${position?.at} ${failedInARow} ${degradedInARow} ${failingSince} ${alerted}`;
  const flags = [isUnedited, ...toggles.map((name) => on[name])].map(Number).join('');
  const ofTrouble = trouble === null ? '' : Object.values(trouble).join();
  const ofRun = run === null ? '' : Object.values(run).join();
  return `${now} ${judgedAt} ${ofState} ${ofTrouble} ${ofRun} ${flags} ${channels.map(({ key }) => key).join(' ')}`;
}

function follow(before: Node, move: Move, setting: Setting): Node | null {
  if (isGap(move)) return passHour(before, move, setting);
  const node = { ...before, now: before.now + minute };
  if (move === 'deleted') return remove(node);
  if (isToggle(move)) return inspect(switched(node, move), setting);
  return inspect(move === 'older' ? findOlder(node, setting) : attempt(node, move, setting), setting);
}

function switched(node: Node, move: keyof Switches): Node {
  const isOfChannels = move === 'subscription' || move.startsWith('send');
  const { trouble } = node;
  return {
    ...node,
    on: { ...node.on, [move]: !node.on[move] },
    isUnedited: node.isUnedited && !isOfChannels && move !== 'escalation',
    trouble: trouble === null ? null : { ...trouble, isNotifying: trouble.isNotifying && !isOfChannels },
  };
}

function isToggle(move: Move): move is keyof Switches {
  return (toggles as readonly Move[]).includes(move);
}

function isGap(move: Move): move is (typeof gaps)[number] {
  return (gaps as readonly Move[]).includes(move);
}

/** What the channel at that place asks for now. */
function settingsOf(index: number, on: Switches): ChannelSettings {
  const flipped = Number(on.sendFailure) + 2 * Number(on.sendRecovery) + 4 * Number(on.sendDegraded);
  const asked = switches[index ^ flipped];
  assert.ok(asked !== undefined);
  return asked;
}

function listenersOf({ channels, on }: Node): Listener[] {
  return channels.map(({ notified }, index) => ({
    ...settingsOf(index, on),
    alertChannelId: index,
    isViaGroup: false,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    isSubscribed: !on.subscription,
    notified,
  }));
}

/** A deletion ends what is open as a pass does, hidden or not. */
function remove(node: Node): null {
  const notifications = notificationsOf(deletionEvent(node.now), listenersOf(node));
  for (const [index, channel] of node.channels.entries()) {
    const sent = notificationOf(notifications, index)?.alertTypes ?? [];
    assert.ok(sent.length <= 1, 'a deletion is notified once');
    checkClosing(sent[0], channel, settingsOf(index, node.on));
  }
  return null;
}

function notificationOf(notifications: readonly Notification[], index: number): Notification | undefined {
  return notifications.find(({ listener }) => listener.alertChannelId === index);
}

/** An attempt that ended: of the run that is tried again, or the first one of another. */
function attempt(node: Node, found: Verdict | 'unknown', setting: Setting): Node {
  const { now } = node;
  const { check } = setting.rulesOf(node.on);
  const run: Pending = node.run ?? { attempt: 1, location: locations[0], firstStartedAt: null, slotAt: now };
  const retry = retryOf(run, { verdict: found, reason: null, startedAt: now, stoppedAt: now }, check, locations);
  const { retries, isElsewhere } = setting.family;
  const isTriedAgain = found === 'failed' && run.attempt <= retries;
  assert.equal(
    retry !== null,
    isTriedAgain,
    'a failed attempt is tried again as often as is asked for, and no other is',
  );
  if (retry === null) return find({ ...node, run: null }, found, run, setting);
  assert.deepEqual([retry.at, retry.location !== run.location], [now + minute, isElsewhere]);
  const { location } = retry;
  return { ...node, run: { ...run, attempt: run.attempt + 1, location, firstStartedAt: run.firstStartedAt ?? now } };
}

/** The verdict of a run, which is that of its last attempt: it counts once. */
function find(node: Node, found: Verdict | 'unknown', { slotAt, location }: Pending, setting: Setting): Node {
  const { state, now, on } = node;
  const { rules } = setting.rulesOf(on);
  const step = foldResult(state, { outcome: found, location, at: slotAt, startedAt: now }, rules);
  const judgedAt = setting.family.isSparse ? slotAt : null;
  if (found === 'unknown') {
    checkUnmoved(node, step, setting);
    return { ...node, judgedAt };
  }
  assert.equal(step.state.status, statusOf[found], 'it stands as the newest run found it');
  const isUnedited = node.isUnedited || (found === 'passed' && !on.subscription && !on.escalation);
  const trouble = troubleAfter(node.trouble, found, now, !on.subscription);
  const escalation = setting.family.escalations[on.escalation ? 1 : 0];
  const isSure = isUnedited && escalation.type === 'RUN_BASED' && escalation.runs === 1;
  return notify({ ...node, judgedAt, isUnedited, trouble }, step, { isResult: true, isSure }, setting);
}

/** Of a slot before the newest. */
function findOlder(node: Node, setting: Setting): Node {
  const at = (node.state.position?.at ?? start) - 1;
  const outcome = otherThan[node.state.status ?? ''] ?? 'unknown';
  const { rules } = setting.rulesOf(node.on);
  checkUnmoved(node, foldResult(node.state, { outcome, location: locations[0], at, startedAt: at }, rules), setting);
  return node;
}

function checkUnmoved(node: Node, step: StateStep, { rulesOf }: Setting): void {
  const same: StateStep = { state: node.state, change: null, opens: null, isMoved: false };
  assert.deepEqual(step, same, 'unknown and older results move nothing');
  const judged = { step, rules: rulesOf(node.on).rules, certificate: null };
  assert.deepEqual(notificationsOf(alertEventOf(judged, node.now), listenersOf(node)), [], 'nor do they tell');
}

function troubleAfter(trouble: Trouble | null, what: Verdict, now: number, isNotifying: boolean): Trouble | null {
  if (what === 'passed') return null;
  const isSame = trouble?.what === what;
  return {
    what,
    inARow: isSame ? trouble.inARow + 1 : 1,
    since: isSame ? trouble.since : now,
    seenAt: now,
    isDue: trouble?.isDue ?? false,
    isNotifying: trouble?.isNotifying ?? isNotifying,
  };
}

/** An hour of results without a verdict, or with none at all: it is looked at all the while. */
function passHour(before: Node, gap: (typeof gaps)[number], setting: Setting): Node {
  let node = before;
  for (const minutes of [1, 2, 3, 10, 16, 17, 18, 30, 45, 60]) {
    node = { ...node, now: before.now + minutes * minute };
    if (gap === 'blind') node = attempt(node, 'unknown', setting);
    node = inspect(node, setting);
  }
  return node;
}

/** What is due by now without a result is opened, as the step that judges states does within seconds. */
function inspect(node: Node, setting: Setting): Node {
  const { state, now, on } = node;
  const { standing, everyMs } = setting.rulesOf(on);
  const judgedAt = setting.family.isSparse ? node.judgedAt : now;
  const opens = judgeState(state, standing, { now, everyMs, judgedAt });
  if (isForgotten(judgedAt, now, setting)) assert.equal(opens, null, 'what nobody looked at for long is not told');
  const step: StateStep | null =
    opens === null ? null : { state: alertedOf(state, opens), change: null, opens, isMoved: true };
  const inspected = step === null ? node : notify(node, step, { isResult: false, isSure: false }, setting);
  const after = { ...inspected, trouble: dueBy(inspected, judgedAt, setting) };
  checkKnown(after, judgedAt, setting);
  return after;
}

/** Why a channel may be notified. */
interface Found {
  /** Whether a result has come; otherwise it was looked at. */
  readonly isResult: boolean;
  /** Whether the first run alerts, and did so ever since the check passed. */
  readonly isSure: boolean;
}

function notify(node: Node, step: StateStep, found: Found, setting: Setting): Node {
  const { on, now } = node;
  const { rules, standing } = setting.rulesOf(on);
  const judged = { before: node.state, step, rules: found.isResult ? rules : standing, certificate: null };
  const notifications = notificationsOf(alertEventOf(judged, now), listenersOf(node));
  assert.ok(mayNotify(judged, now) || notifications.length === 0, 'channels are read when there is something for them');
  const { status } = step.state;
  const occasion = {
    status,
    opens: step.opens,
    isHidden: on.mute || on.window,
    isSubscribed: !on.subscription,
    now,
    reminders: found.isResult && on.reminders ? setting.family.reminders : null,
    due: found.isSure ? status : null,
  };
  const channels = node.channels.map((channel, index) =>
    receive(channel, settingsOf(index, on), notificationOf(notifications, index), occasion),
  );
  return { ...node, state: step.state, channels };
}

/** Nobody has looked for two turns and a quarter of an hour (docs/decisions/0100). */
function isForgotten(judgedAt: number | null, now: number, { family: { everyMs } }: Setting): boolean {
  return judgedAt === null || now - judgedAt > 2 * everyMs + 15 * minute;
}

/** The failure or degradation, once its alert is due; a change between them is due at once. */
function dueBy({ trouble, on, now }: Node, judgedAt: number | null, setting: Setting): Trouble | null {
  if (trouble === null || trouble.isDue || on.mute || on.window || isForgotten(judgedAt, now, setting)) return trouble;
  const { escalations, everyMs } = setting.family;
  const escalation = escalations[on.escalation ? 1 : 0];
  // It is known to last until the next result was due, and no longer.
  const lastedMs = Math.min(now, trouble.seenAt + everyMs) - trouble.since;
  const isDue = escalation.type === 'RUN_BASED' ? trouble.inARow >= escalation.runs : lastedMs >= escalation.ms;
  return isDue ? { ...trouble, isDue } : trouble;
}

/** Channels that want it were notified of a due failure, after a result, the end of a mute or a period of time; and of no other. */
function checkKnown({ trouble, on, channels, now }: Node, judgedAt: number | null, setting: Setting): void {
  if (trouble === null || on.mute || on.window) return;
  const isUnsaid = !trouble.isNotifying || isForgotten(judgedAt, now, setting);
  for (const [index, channel] of channels.entries()) {
    const { sendFailure, sendDegraded } = settingsOf(index, on);
    const knows = knownTo(channel);
    if (!trouble.isDue) assert.equal(knows, null, 'no channel is notified before it is due');
    else if (isUnsaid) continue;
    else if (trouble.what === 'failed' && sendFailure)
      assert.equal(knows, 'ALERT_FAILURE', 'mute and maintenance hide a failure and do not lose it');
    else if (trouble.what === 'degraded' && sendDegraded) assert.equal(knows, 'ALERT_DEGRADED', 'nor a degradation');
  }
}
