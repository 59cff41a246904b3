// What is said of a channel that does not receive any more, and through which other channel (docs/decisions/0026).
import type { Attempt, Delivery, DeliveryStep } from '#domain/delivery.ts';
import type { FailingChannel, RenderFailing } from '#domain/failing-channel.ts';
import { newId } from '#lib/id.ts';
import { channelOf } from './alert-channel-row.ts';
import type { AlertChannelsTable, VariablesTable } from './schema.ts';
import type { Seal } from './seal.ts';

/** How it is told that a channel fails. */
export interface FailingRules {
  /** Epoch ms. */
  readonly now: number;
  readonly seal: Seal;
  /** The request to another channel of the account that says so. */
  readonly renderFailing: RenderFailing;
  readonly onFailing: (failing: FailingChannel) => void;
}

/** A delivery that has been tried. */
export interface Tried {
  readonly attempt: Attempt;
  readonly alertChannelId: number;
  readonly step: DeliveryStep;
}

/** The channel of a row that has just been found to be failing. */
export function failingOf(attempt: Attempt, row: AlertChannelsTable, { now, seal }: FailingRules): FailingChannel {
  const { config } = channelOf(row, seal);
  return {
    accountId: attempt.accountId,
    alertChannelId: row.id,
    name: typeof config['name'] === 'string' ? config['name'] : '',
    since: now,
    exhaustedInARow: row.exhausted_in_a_row,
    lastError: attempt.error?.message ?? null,
  };
}

/**
 * The delivery to the first of the others that can say it; null when none can.
 *
 * @param variables those that templates may use: secrets are none of them
 */
export function deliveryOfFailing(
  failing: FailingChannel,
  others: readonly AlertChannelsTable[],
  variables: readonly VariablesTable[],
  { now, seal, renderFailing }: FailingRules,
): Delivery | null {
  const plain = variables.map(({ key, value, locked }) => ({ key, value, locked: locked === 1, secret: false }));
  for (const row of others) {
    const rendered = renderFailing(failing, channelOf(row, seal), plain);
    if (!('request' in rendered)) continue;
    return {
      accountId: failing.accountId,
      id: newId(),
      alertChannelId: row.id,
      alertId: null,
      checkId: null,
      checkResultId: null,
      alertType: 'ALERT_FAILURE',
      status: 'pending',
      request: rendered.request,
      attempts: 0,
      createdAt: now,
      nextAttemptAt: now,
      replayOf: null,
      isTest: false,
      error: null,
    };
  }
  return null;
}
