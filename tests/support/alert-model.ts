// Every short history of a check, at channels with every combination of switches: the promises of alerting, checked in each.
import assert from 'node:assert/strict';
import type { Escalation, Reminders } from '#domain/alert-settings.ts';
import type { AlertType, Told } from '#domain/alert.ts';
import {
  alertedOf,
  type CheckState,
  foldResult,
  judgeState,
  newCheckState,
  type StateRules,
  type StateStep,
} from '#domain/check-state.ts';
import { type Listener, newsOfDeletion, type Telling, tellingsOf, toldNothing } from '#domain/tell.ts';

const results = ['passed', 'degraded', 'failed', 'unknown', 'older'] as const;
/** What is switched over in the middle of it: what hides openings, and what is edited. */
const toggles = ['mute', 'window', 'subscription', 'escalation', 'reminders'] as const;
const moves = [...results, ...toggles, 'deleted'] as const;
type Result = (typeof results)[number];
type Move = (typeof moves)[number];
type Switches = Readonly<Record<(typeof toggles)[number], boolean>>;

/** What a channel heard so far, kept apart from what the product remembers of it. */
interface Heard {
  readonly lastSent: AlertType | null;
  /** When that was, or it was last told again; epoch ms. */
  readonly sentAt: number;
  /** How often it was told again. */
  readonly reminders: number;
  /** Whether the check passed since. */
  readonly isPassedSince: boolean;
  /** Whether a failure was opened that only this channel's switch kept from it, and whose end it asks for. */
  readonly isSparedFailure: boolean;
}

/** A channel: what the product remembers of it, and what it heard. */
interface Channel extends Heard {
  readonly told: Told;
  /** All of it as a text. */
  readonly key: string;
}

/** What the results say by themselves, kept apart from what the product makes of them. */
interface Trouble {
  readonly what: 'failed' | 'degraded';
  /** How many results in a row have found it so. */
  readonly inARow: number;
  /** Since when they have, epoch ms. */
  readonly since: number;
  /** Whether anything was opened since the check last passed. */
  readonly isOpened: boolean;
  /** Whether all subscriptions were there ever since then. */
  readonly isHeard: boolean;
}

interface Node {
  readonly state: CheckState;
  /** null = the check passes, or nothing is known of it. */
  readonly trouble: Trouble | null;
  /** What is switched on. Of the escalations, the second one; subscriptions begin switched on. */
  readonly on: Switches;
  /** Whether neither subscriptions nor the escalation were changed since the check last passed. */
  readonly isUnedited: boolean;
  readonly channels: readonly Channel[];
  /** One of the ways that lead here. */
  readonly path: readonly Move[];
}

/** Channels with every combination of switches. */
const switches = [0, 1, 2, 3, 4, 5, 6, 7].map((bits): Omit<Listener, 'isSubscribed' | 'told'> => ({
  alertChannelId: bits,
  isViaGroup: false,
  sendFailure: (bits & 1) > 0,
  sendRecovery: (bits & 2) > 0,
  sendDegraded: (bits & 4) > 0,
  sslExpiry: false,
  sslExpiryThreshold: 30,
}));

/** How many channels hear of each. */
export const channelsInModel = switches.length;

const unheard: Heard = { lastSent: null, sentAt: 0, reminders: 0, isPassedSince: true, isSparedFailure: false };
/** Before the first result. */
const first: Node = {
  state: newCheckState,
  trouble: null,
  on: { mute: false, window: false, subscription: true, escalation: false, reminders: false },
  isUnedited: true,
  channels: switches.map(() => channelOf(toldNothing, unheard)),
  path: [],
};
const start = Date.UTC(2026, 2, 10);
export const minute = 60_000;
/** Results come this often at least: what was found last is known all the time. */
const everyMs = 60 * minute;
const reminders: Reminders = { amount: 2, intervalMs: 2 * minute };
const otherThan: Readonly<Record<string, 'passed' | 'failed'>> = {
  passing: 'failed',
  degraded: 'passed',
  failing: 'passed',
};

/** The escalation of a check, and another that it is edited to and back. */
export type Escalations = readonly [Escalation, Escalation];

/** How far was looked. */
export interface Explored {
  readonly sequences: number;
  /** Situations that they lead through: sequences of one length that lead to the same one go on the same. */
  readonly situations: number;
}

/**
 * Follows every sequence of results, mutes, windows, edits and deletions up to a length, from the first result of a check on. Each
 * takes a minute, and is followed by a look at what is due by then; a result without a verdict moves nothing, and is as a
 * minute in which none comes. A deletion ends it.
 *
 * @throws {Error} that names the first after which a promise does not hold
 */
export function exploreHistories(depth: number, escalations: Escalations): Explored {
  let level = new Map([['', { node: first, ways: 1 }]]);
  let [sequences, situations] = [0, 0];
  for (let length = 1; length <= depth; length++) {
    const next: typeof level = new Map();
    for (const { node, ways } of level.values()) {
      for (const move of moves) {
        const after = followed(node, move, escalations);
        sequences += ways;
        // Nothing follows the last move.
        if (after === null || length === depth) continue;
        const key = keyOf(after);
        const known = next.get(key);
        if (known === undefined) next.set(key, { node: after, ways });
        else known.ways += ways;
      }
    }
    situations += level.size;
    level = next;
  }
  return { sequences, situations };
}

/** All that what follows depends on; how many moves there were is the same for all that are compared. */
function keyOf({ state, trouble, on, isUnedited, channels }: Node): string {
  const { status, since, position, failedInARow, degradedInARow, failingSince, alerted } = state;
  const ofState = `${status} ${since} ${position?.at} ${failedInARow} ${degradedInARow} ${failingSince} ${alerted}`;
  const flags = [isUnedited, ...toggles.map((name) => on[name])].map(Number).join('');
  const ofTrouble = trouble === null ? '' : Object.values(trouble).join();
  return `${ofState} ${ofTrouble} ${flags} ${channels.map(({ key }) => key).join(' ')}`;
}

function channelOf(told: Told, heard: Heard): Channel {
  const { lastSent, sentAt, reminders: again, isPassedSince, isSparedFailure } = heard;
  const ofHeard = `${lastSent},${sentAt},${again},${Number(isPassedSince)},${Number(isSparedFailure)}`;
  return { told, ...heard, key: `${told.open},${told.toldAt},${told.reminders},${ofHeard}` };
}

function followed(node: Node, move: Move, escalations: Escalations): Node | null {
  try {
    return follow(node, move, escalations);
  } catch (cause) {
    throw new Error(`after ${[...node.path, move].join(', ')}`, { cause });
  }
}

/** The node after a move, with the promises checked on the way; null = there is nothing left that could follow. */
function follow(node: Node, move: Move, escalations: Escalations): Node | null {
  const path = [...node.path, move];
  const now = start + path.length * minute;
  if (move === 'deleted') return remove(node, now);
  const escalation = escalationOf(isToggle(move) ? switched(node, move) : node, escalations);
  const moved = isToggle(move) ? switched({ ...node, path }, move) : find({ ...node, path }, move, escalation, now);
  const looked = look(moved, escalation, now);
  checkKnown(looked, escalation, now);
  return looked;
}

function escalationOf({ on }: Node, escalations: Escalations): Escalation {
  return escalations[on.escalation ? 1 : 0];
}

function switched(node: Node, move: keyof Switches): Node {
  const isEdited = move === 'subscription' || move === 'escalation';
  const { trouble } = node;
  return {
    ...node,
    on: { ...node.on, [move]: !node.on[move] },
    isUnedited: node.isUnedited && !isEdited,
    trouble: trouble === null ? null : { ...trouble, isHeard: trouble.isHeard && move !== 'subscription' },
  };
}

function isToggle(move: Move): move is keyof Switches {
  return (toggles as readonly Move[]).includes(move);
}

function listenersOf({ channels, on }: Node): Listener[] {
  return switches.map((own, index) => ({
    ...own,
    isSubscribed: on.subscription,
    told: channels[index]?.told ?? toldNothing,
  }));
}

/** A deletion ends what is open as a pass does, hidden or not. */
function remove(node: Node, now: number): null {
  const tellings = tellingsOf(newsOfDeletion(now), listenersOf(node));
  for (const [index, heard] of node.channels.entries()) {
    const sent = tellingOf(tellings, index)?.alertTypes ?? [];
    assert.ok(sent.length <= 1, 'one deletion is told once');
    checkClosing(sent[0], heard, switches[index]);
  }
  return null;
}

function tellingOf(tellings: readonly Telling[], index: number): Telling | undefined {
  return tellings.find(({ listener }) => listener.alertChannelId === index);
}

function find(node: Node, result: Result, escalation: Escalation, now: number): Node {
  const { state, on } = node;
  const isMuted = on.mute || on.window;
  const isOlder = result === 'older';
  const at = isOlder ? (state.position?.at ?? start) - 1 : now;
  const outcome = isOlder ? (otherThan[state.status ?? ''] ?? 'unknown') : result;
  const asked = on.reminders ? reminders : null;
  const rules: StateRules = { escalation, isMuted, reminders: asked, parallel: null };
  const step = foldResult(state, { outcome, location: 'local', at, startedAt: at }, rules);
  if (isOlder || result === 'unknown') {
    const same: StateStep = { state, change: null, opens: null, isMoved: false };
    assert.deepEqual(step, same, 'unknown and older results move nothing');
    return node;
  }
  const isPassing = step.state.status === 'passing';
  const isUnedited = node.isUnedited || (isPassing && on.subscription && !on.escalation);
  const isSure = isUnedited && escalation.type === 'RUN_BASED' && escalation.runs === 1;
  const trouble = troubleAfter(node.trouble, result, at, on.subscription);
  return tell({ ...node, isUnedited, trouble }, { result, step, on, isMuted, isSure, now: at }, asked);
}

function troubleAfter(trouble: Trouble | null, what: Found['result'], at: number, isHeard: boolean): Trouble | null {
  if (what === 'passed' || what === null) return null;
  const isSame = trouble?.what === what;
  return {
    what,
    inARow: isSame ? trouble.inARow + 1 : 1,
    since: isSame ? trouble.since : at,
    isOpened: trouble?.isOpened ?? false,
    isHeard: trouble?.isHeard ?? isHeard,
  };
}

/** What is due by now without a result is opened, as the step that judges states does within seconds. */
function look(node: Node, escalation: Escalation, now: number): Node {
  const { state, on } = node;
  const isMuted = on.mute || on.window;
  const rules: StateRules = { escalation, isMuted, reminders: null, parallel: null };
  const opens = judgeState(state, rules, { now, everyMs, lookedAt: now });
  if (opens === null) return node;
  const step: StateStep = { state: alertedOf(state, opens), change: null, opens, isMoved: true };
  return tell(node, { result: null, step, on, isMuted, isSure: false, now }, null);
}

function tell(node: Node, found: Found, asked: Reminders | null): Node {
  const { step, isMuted, now } = found;
  const { opens, state } = step;
  const { status } = state;
  const isPassing = status === 'passing';
  const news = { opens, isPassing, isMuted, now, status, reminders: asked, certificate: null };
  const tellings = tellingsOf(news, listenersOf(node));
  const channels = node.channels.map((heard, index) => hear(heard, index, tellingOf(tellings, index), found));
  const { trouble } = node;
  const isOpened = opens !== null || trouble?.isOpened === true;
  return { ...node, state, channels, trouble: trouble === null ? null : { ...trouble, isOpened } };
}

/** Whoever asked knows of a trouble that is due, whether a result came, a mute ended or time went by; and nobody of another. */
function checkKnown({ trouble, on, channels }: Node, escalation: Escalation, now: number): void {
  if (trouble === null || on.mute || on.window) return;
  const isReached =
    escalation.type === 'RUN_BASED' ? trouble.inARow >= escalation.runs : now - trouble.since >= escalation.ms;
  // What was told of grows worse or milder at once.
  const isDue = trouble.isOpened || isReached;
  for (const [index, { lastSent, isPassedSince }] of channels.entries()) {
    const { sendFailure, sendDegraded } = switches[index] ?? {};
    const knows = isPassedSince ? null : lastSent;
    if (!isDue) assert.equal(knows, null, 'nobody is told before it is due');
    else if (!trouble.isHeard) continue;
    else if (trouble.what === 'failed' && sendFailure === true)
      assert.equal(knows, 'ALERT_FAILURE', 'mute and maintenance hide a failure and do not lose it');
    else if (trouble.what === 'degraded' && sendDegraded === true)
      assert.equal(knows, 'ALERT_DEGRADED', 'nor a degradation');
  }
}

interface Found {
  /** null = none has come, and it was looked at. */
  readonly result: 'passed' | 'degraded' | 'failed' | null;
  readonly step: StateStep;
  readonly on: Switches;
  readonly isMuted: boolean;
  /** Whether the first run alerts, and did so ever since the check passed. */
  readonly isSure: boolean;
  readonly now: number;
}

/** A channel after a result, with what it was told of it. */
function hear(channel: Channel, index: number, telling: Telling | undefined, found: Found): Channel {
  const { step, on, now } = found;
  const sent = telling?.alertTypes ?? [];
  const own = switches[index];
  assert.ok(own !== undefined && sent.length <= 1, 'one result is told once');
  const reminder = telling?.reminder ?? null;
  checkSent(sent[0], reminder, channel, own, found);
  const isPassing = step.state.status === 'passing';
  const isOpened = step.opens === 'ALERT_FAILURE' && on.subscription;
  const isStillSpared = isOpened || (channel.isSparedFailure && sent.length === 0);
  const isSparedFailure = !isPassing && !own.sendFailure && own.sendRecovery && isStillSpared;
  const isPassedSince = isPassing || (sent.length === 0 && channel.isPassedSince);
  if (telling === undefined && isSparedFailure === channel.isSparedFailure && isPassedSince === channel.isPassedSince) {
    return channel;
  }
  // Of what is over nobody asks when it was told.
  const [sentAt, again] = sent.length > 0 ? [now, reminder ?? 0] : [channel.sentAt, channel.reminders];
  return channelOf(telling?.told ?? channel.told, {
    lastSent: sent[0] ?? channel.lastSent,
    sentAt: isPassedSince ? 0 : sentAt,
    reminders: isPassedSince ? 0 : again,
    isPassedSince,
    isSparedFailure,
  });
}

type Own = (typeof switches)[number];

function checkSent(alert: AlertType | undefined, reminder: number | null, heard: Heard, own: Own, found: Found): void {
  const { result, step, on, isMuted, isSure } = found;
  const { status } = step.state;
  if (result === 'passed') return checkClosing(alert, heard, own);
  assert.ok(alert !== 'ALERT_RECOVERY' && alert !== 'ALERT_DEGRADED_RECOVERY', 'an end is told when it passes');
  assert.ok(alert === undefined || !isMuted, 'while it is muted or in a window only closings are sent');
  assert.ok(alert === undefined || on.subscription, 'who is not subscribed hears of ends alone');
  if (alert === 'ALERT_FAILURE')
    assert.ok(own.sendFailure && status === 'failing', 'a failure is told where it was asked for');
  if (alert === 'ALERT_DEGRADED') assert.ok(own.sendDegraded && status === 'degraded', 'so is a degradation');
  const open = heard.isPassedSince ? null : heard.lastSent;
  const isRepeat = alert !== undefined && alert === open && !heard.isSparedFailure;
  assert.equal(
    reminder !== null,
    isRepeat,
    'nobody is told twice of the same without something between, but as a reminder',
  );
  checkReminder(reminder, open, heard, own, found);

  // With the first run alerting, whoever asked knows of the present trouble after every result that is not hidden.
  if (!isSure || isMuted) return;
  const knows = alert ?? open;
  if (result === 'failed' && own.sendFailure)
    assert.equal(knows, 'ALERT_FAILURE', 'mute and maintenance hide a failure and do not lose it');
  if (result === 'degraded' && own.sendDegraded) assert.equal(knows, 'ALERT_DEGRADED', 'nor a degradation');
}

/** Who was told of it is told again as often as is asked for while it is so, and is told which time it is. */
function checkReminder(reminder: number | null, open: AlertType | null, heard: Heard, own: Own, found: Found): void {
  const { result, on, isMuted, now } = found;
  const isStill =
    result === 'failed' ? open === 'ALERT_FAILURE' && own.sendFailure : open === 'ALERT_DEGRADED' && own.sendDegraded;
  const isDue = heard.reminders < reminders.amount && now - heard.sentAt >= reminders.intervalMs;
  const isReminded =
    result !== null && on.reminders && on.subscription && !isMuted && isStill && isDue && !heard.isSparedFailure;
  assert.equal(reminder, isReminded ? heard.reminders + 1 : null, 'reminders come in time, one after the other');
}

/** The end of what was told is told, by a pass or by the deletion. */
function checkClosing(alert: AlertType | undefined, heard: Heard, own: Own | undefined): void {
  const open = heard.isPassedSince ? null : heard.lastSent;
  const isAsked = own?.sendRecovery === true;
  if (heard.isSparedFailure) {
    assert.equal(alert, isAsked ? 'ALERT_RECOVERY' : undefined, 'counted as told');
    return;
  }
  const closing = open === 'ALERT_DEGRADED' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY';
  if (open === null) assert.equal(alert, undefined, 'nobody else is told of an end');
  else assert.equal(alert, isAsked ? closing : undefined, 'what opened closes');
}
