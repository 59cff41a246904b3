// The channels of a check that runs in several locations at once, and what they are told with each answer.
import assert from 'node:assert/strict';
import type { CheckState, StateRules, StateStep } from '#domain/checks/check-state.ts';
import { type Listener, mayTell, newsOf, tellingsOf } from '#domain/alerts/tell.ts';
import { type Asked, type Channel, freshChannel, hear } from './heard.ts';

const asked: readonly Asked[] = [
  { sendFailure: true, sendRecovery: true, sendDegraded: false },
  { sendFailure: true, sendRecovery: true, sendDegraded: true },
  { sendFailure: false, sendRecovery: true, sendDegraded: true },
];

/** Before the first answer. */
export const freshChannels: readonly Channel[] = asked.map(() => freshChannel);

/** What the channel at that place asks for. */
export function askedOf(index: number): Asked {
  const own = asked[index];
  assert.ok(own !== undefined);
  return own;
}

/** When and how something is told. */
interface Occasion {
  /** Epoch ms. */
  readonly now: number;
  readonly isHidden: boolean;
  readonly rules: StateRules;
}

/**
 * Tells the channels of a step.
 *
 * @throws {Error} when one of them is told what was not promised
 */
export function tell<N extends { readonly state: CheckState; readonly channels: readonly Channel[] }>(
  node: N,
  step: StateStep,
  { now, isHidden, rules }: Occasion,
) {
  const judged = { before: node.state, step, rules, certificate: null };
  const tellings = tellingsOf(
    newsOf(judged, now),
    node.channels.map(({ told }, index) => listenerOf(told, index)),
  );
  assert.ok(mayTell(judged, now) || tellings.length === 0, 'channels are read when there is something for them');
  const sent = tellings.flatMap(({ listener, alertTypes }) =>
    alertTypes.map((type) => `${listener.alertChannelId} ${type}`),
  );
  const { opens, state, isMoved } = step;
  const occasion = { status: state.status, opens, isHidden, isSubscribed: true, now, reminders: null, due: null };
  if (!isMoved) {
    assert.deepEqual(sent, [], 'what makes nothing certain is not told');
    return { node: { ...node, state }, sent };
  }
  const channels = node.channels.map((channel, index) => {
    const telling = tellings.find(({ listener }) => listener.alertChannelId === index);
    return hear(channel, askedOf(index), telling, occasion);
  });
  return { node: { ...node, state, channels }, sent };
}

function listenerOf(told: Listener['told'], index: number): Listener {
  const certificate = { sslExpiry: false, sslExpiryThreshold: 30 };
  return { ...askedOf(index), ...certificate, alertChannelId: index, isSubscribed: true, isViaGroup: false, told };
}
