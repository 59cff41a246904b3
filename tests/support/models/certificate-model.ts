// Every short history of the certificates that a check sees, as they come near their end, are renewed, and take turns.
import assert from 'node:assert/strict';
import { sslDaysRemaining, sslSteps, type Notified } from '#domain/alerts/alert.ts';
import { type CheckState, foldResult, newCheckState } from '#domain/checks/check-state.ts';
import type { Outcome, SeenCertificate } from '#domain/results/result.ts';
import type { Listener } from '#domain/alerts/listener.ts';
import {
  mayNotify,
  alertEventOf,
  deletionEvent,
  type Notification,
  notificationsOf,
  notNotified,
} from '#domain/alerts/notify.ts';
import { afterRuns, minute, start } from './alert-families.ts';
import { alertSettingsOf, type Rules, rulesOf } from './alert-rules.ts';
import { explore, type Explored } from './explore.ts';

/** Results that see a certificate; `older` is one of a slot before the newest, `bare` one that passes and sees none. */
const results = ['passed', 'failed', 'unknown', 'older', 'bare'] as const;
const toggles = ['mute', 'window', 'subscription', 'sslExpiry', 'threshold'] as const;
/** Eight days go by; the certificate that is seen is renewed; another node answers, with its own. */
const changes = ['later', 'renewed', 'other'] as const;
type Move = (typeof results)[number] | (typeof toggles)[number] | (typeof changes)[number] | 'deleted';
type Switches = Readonly<Record<(typeof toggles)[number], boolean>>;

/** The alphabets: what people change, and what the target shows. */
export const certificateFamilies = {
  'edits of channels': [
    'passed',
    'failed',
    'later',
    'mute',
    'window',
    'subscription',
    'sslExpiry',
    'threshold',
    'deleted',
  ],
  'alternating certificates': [...results, ...changes, 'mute', 'deleted'],
} as const satisfies Readonly<Record<string, readonly Move[]>>;

/** A channel: what Tocsin stored, and the lowest step in days that it was notified of for each certificate. */
interface Channel {
  readonly notified: Notified;
  readonly received: Readonly<Record<string, number>>;
}

interface Node {
  /** Epoch ms. */
  readonly now: number;
  readonly state: CheckState;
  /** Of the node that answers, and of the other one. */
  readonly certificates: readonly [SeenCertificate, SeenCertificate];
  readonly renewals: number;
  readonly on: Switches;
  readonly channels: readonly Channel[];
}

const day = 86_400_000;
const domain = 'shop.example';
const thresholds = [30, 10] as const;
/** Channels that ask for it and do not, from either threshold on. */
const asked = thresholds.flatMap((threshold) => [true, false].map((sslExpiry) => ({ sslExpiry, threshold })));

const first: Node = {
  now: start,
  state: newCheckState,
  certificates: [
    { domain, fingerprint: 'first', validTo: start + 25.5 * day },
    { domain, fingerprint: 'of another node', validTo: start + 9.5 * day },
  ],
  renewals: 0,
  on: Object.fromEntries(toggles.map((name) => [name, false])) as Switches,
  channels: asked.map(() => ({ notified: notNotified, received: {} })),
};

/**
 * Follows every sequence of the moves of a family up to a length.
 *
 * @throws {Error} that names the first after which a promise does not hold
 */
export function exploreCertificates(depth: number, family: keyof typeof certificateFamilies): Explored {
  const moves: readonly Move[] = certificateFamilies[family];
  return explore<Node, Move>(
    { first, movesOf: () => moves, follow, keyOf: (node) => JSON.stringify(node), nameOf: (move) => move },
    depth,
  );
}

function follow(before: Node, move: Move): Node | null {
  const node = { ...before, now: before.now + minute };
  if (isOneOf(toggles, move)) return { ...node, on: { ...node.on, [move]: !node.on[move] } };
  if (isOneOf(results, move)) return find(node, move);
  const [seen, other] = node.certificates;
  if (move === 'later') return { ...node, now: node.now + 8 * day };
  if (move === 'other') return { ...node, certificates: [other, seen] };
  if (move === 'renewed') {
    const renewals = node.renewals + 1;
    const renewed = { domain, fingerprint: `renewed ${renewals}`, validTo: node.now + 33.5 * day };
    return { ...node, renewals, certificates: [renewed, other] };
  }
  for (const { alertTypes } of notificationsOf(deletionEvent(node.now), listenersOf(node))) {
    assert.ok(!alertTypes.includes('ALERT_SSL'), 'a deletion says nothing of certificates');
  }
  return null;
}

function isOneOf<T extends string>(all: readonly T[], move: string): move is T {
  return (all as readonly string[]).includes(move);
}

function listenersOf({ channels, on }: Node): Listener[] {
  return channels.map(({ notified }, index) => ({
    ...settingsOf(index, on),
    alertChannelId: index,
    isSubscribed: !on.subscription,
    isViaGroup: false,
    sendFailure: true,
    sendRecovery: true,
    sendDegraded: false,
    notified,
  }));
}

function settingsOf(index: number, on: Switches): Pick<Listener, 'sslExpiry' | 'sslExpiryThreshold'> {
  const { sslExpiry = false, threshold = thresholds[0] } = asked[index] ?? {};
  const other = threshold === thresholds[0] ? thresholds[1] : thresholds[0];
  return { sslExpiry: sslExpiry !== on.sslExpiry, sslExpiryThreshold: on.threshold ? other : threshold };
}

const made = new Map<string, Rules>();

/** An open alert is repeated with each result until the recovery. */
function rulesOn({ mute, window }: Switches): Rules['rules'] {
  const key = `${mute} ${window}`;
  const known = made.get(key);
  if (known !== undefined) return known.rules;
  const alertSettings = alertSettingsOf(afterRuns(1), { amount: Infinity, intervalMs: minute });
  const rules = rulesOf({ check: {}, alertSettings, served: ['l0'], isMuted: mute, isInWindow: window });
  made.set(key, rules);
  return rules.rules;
}

function find(node: Node, result: (typeof results)[number]): Node {
  const { state, now, on } = node;
  const isOlder = result === 'older';
  const at = isOlder ? (state.position?.at ?? now) - 1 : now;
  const outcome: Outcome = result === 'bare' ? 'passed' : isOlder ? 'failed' : result;
  const step = foldResult(state, { outcome, location: 'l0', at, startedAt: at }, rulesOn(on));
  const certificate = result === 'bare' ? null : node.certificates[0];
  const judged = { before: state, step, rules: rulesOn(on), certificate };
  const listeners = listenersOf(node);
  const notifications = notificationsOf(alertEventOf(judged, now), listeners);
  const ofStatus = notificationsOf(alertEventOf({ ...judged, certificate: null }, now), listeners);
  assert.ok(mayNotify(judged, now) || notifications.length === 0, 'channels are read when there is something for them');
  if (!step.isMoved) assert.deepEqual(ofStatus, [], 'what says nothing of the check tells of its certificate alone');
  const channels = node.channels.map((channel, index) => {
    const of = (all: readonly Notification[]): Notification | undefined =>
      all.find(({ listener }) => listener.alertChannelId === index);
    checkStatusApart(channel, of(notifications), of(ofStatus));
    return receive(channel, index, of(notifications), { ...node, certificate });
  });
  return { ...node, state: step.state, channels };
}

/** Alerts of the check are the same as without a certificate. */
function checkStatusApart(
  { notified: before }: Channel,
  notification: Notification | undefined,
  ofStatus: Notification | undefined,
): void {
  const sent = (notification?.alertTypes ?? []).filter((type) => type !== 'ALERT_SSL');
  assert.deepEqual(sent, ofStatus?.alertTypes ?? [], 'certificates do not change the alerts of the check');
  assert.equal(notification?.reminder ?? null, ofStatus?.reminder ?? null, 'nor how often');
  const { certificates: _, ...notified } = notification?.notified ?? before;
  const { certificates: untouched, ...notifiedOfStatus } = ofStatus?.notified ?? before;
  assert.deepEqual(notified, notifiedOfStatus, 'nor what is remembered of it');
  assert.deepEqual(untouched, before.certificates, 'notified certificates are kept, whatever the check does');
}

interface Seeing extends Node {
  readonly certificate: SeenCertificate | null;
}

function receive(
  channel: Channel,
  index: number,
  notification: Notification | undefined,
  { on, now, certificate }: Seeing,
): Channel {
  const notified = notification?.notified ?? channel.notified;
  const sent = (notification?.alertTypes ?? []).filter((type) => type === 'ALERT_SSL').length;
  const { sslExpiry, sslExpiryThreshold } = settingsOf(index, on);
  const isHeld = on.mute || on.window || on.subscription || !sslExpiry;
  const step = certificate === null ? null : lowestStep(sslDaysRemaining(certificate, now), sslExpiryThreshold);
  if (certificate === null || step === null || isHeld) {
    assert.equal(sent, 0, 'it is notified of a certificate about to expire, if it wants that and is not muted');
    assert.deepEqual(notified.certificates, channel.notified.certificates, 'what was not told is not remembered');
    return { ...channel, notified };
  }
  const { fingerprint } = certificate;
  const givesResult = step < (channel.received[fingerprint] ?? Infinity);
  assert.equal(sent, givesResult ? 1 : 0, 'once for each certificate and step, and not again before the next');
  return { notified, received: givesResult ? { ...channel.received, [fingerprint]: step } : channel.received };
}

/** The lowest step in days that is reached; null = none yet. */
function lowestStep(daysRemaining: number, threshold: number): number | null {
  const reached = [threshold, ...sslSteps.filter((step) => step <= threshold)].filter((step) =>
    step === 0 ? daysRemaining < 0 : daysRemaining <= step,
  );
  return reached.length === 0 ? null : Math.min(...reached);
}
