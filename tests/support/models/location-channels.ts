// The channels of a check that runs in several locations at once, and their notifications with each result.
import assert from 'node:assert/strict';
import type { CheckState, StateRules, StateStep } from '#domain/checks/check-state.ts';
import type { Listener } from '#domain/alerts/listener.ts';
import { mayNotify, alertEventOf, notificationsOf } from '#domain/alerts/notify.ts';
import { type ChannelSettings, type Channel, freshChannel, receive } from './received.ts';

const asked: readonly ChannelSettings[] = [
  { sendFailure: true, sendRecovery: true, sendDegraded: false },
  { sendFailure: true, sendRecovery: true, sendDegraded: true },
  { sendFailure: false, sendRecovery: true, sendDegraded: true },
];

/** Before the first answer. */
export const freshChannels: readonly Channel[] = asked.map(() => freshChannel);

/** What the channel at that place asks for. */
export function settingsOf(index: number): ChannelSettings {
  const own = asked[index];
  assert.ok(own !== undefined);
  return own;
}

/** When and how a channel is notified. */
interface Occasion {
  /** Epoch ms. */
  readonly now: number;
  readonly isHidden: boolean;
  readonly rules: StateRules;
}

/**
 * Tells the channels of a step.
 *
 * @throws {Error} if one of them receives an unexpected notification
 */
export function notify<N extends { readonly state: CheckState; readonly channels: readonly Channel[] }>(
  node: N,
  step: StateStep,
  { now, isHidden, rules }: Occasion,
) {
  const judged = { before: node.state, step, rules, certificate: null };
  const notifications = notificationsOf(
    alertEventOf(judged, now),
    node.channels.map(({ notified }, index) => listenerOf(notified, index)),
  );
  assert.ok(mayNotify(judged, now) || notifications.length === 0, 'channels are read when there is something for them');
  const sent = notifications.flatMap(({ listener, alertTypes }) =>
    alertTypes.map((type) => `${listener.alertChannelId} ${type}`),
  );
  const { opens, state, isMoved } = step;
  const occasion = { status: state.status, opens, isHidden, isSubscribed: true, now, reminders: null, due: null };
  if (!isMoved) {
    assert.deepEqual(sent, [], 'what makes nothing certain is not told');
    return { node: { ...node, state }, sent };
  }
  const channels = node.channels.map((channel, index) => {
    const notification = notifications.find(({ listener }) => listener.alertChannelId === index);
    return receive(channel, settingsOf(index), notification, occasion);
  });
  return { node: { ...node, state, channels }, sent };
}

function listenerOf(notified: Listener['notified'], index: number): Listener {
  const certificate = { sslExpiry: false, sslExpiryThreshold: 30 };
  return {
    ...settingsOf(index),
    ...certificate,
    alertChannelId: index,
    isSubscribed: true,
    isViaGroup: false,
    notified,
  };
}
