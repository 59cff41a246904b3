// Channels that do not receive any more: noticed when deliveries end, told through another channel of the account.
import type { AlertChannel } from '#domain/alert-channel.ts';
import type { Attempt, DeliveryStep } from '#domain/delivery.ts';
import { exhaustedUntilFailing, type FailingChannel } from '#domain/failing-channel.ts';
import type { Rendered } from '#domain/recording.ts';
import { newId } from '#lib/id.ts';
import { channelOf } from '../alert-channel-row.ts';
import { idBytes } from '../codec.ts';
import type { AlertChannelsTable } from '../schema.ts';
import type { Seal } from '../seal.ts';
import type { Connection } from './connection.ts';
import { insertDeliveryRow } from './delivery-rows.ts';

/** How it is told that a channel fails. */
export interface FailingRules {
  /** Epoch ms. */
  readonly now: number;
  readonly seal: Seal;
  /** The request to another channel of the account that says so. */
  readonly renderFailing: (failing: FailingChannel, through: AlertChannel) => Rendered;
  readonly onFailing: (failing: FailingChannel) => void;
}

/** A delivery that has been tried. */
export interface Tried {
  readonly attempt: Attempt;
  readonly alertChannelId: number;
  readonly step: DeliveryStep;
}

/** Five exhausted deliveries in a row mark a channel as failing, one that arrives clears it (decisions: Dead channel). */
export function noteOutcome(
  connection: Connection,
  { attempt, alertChannelId, step }: Tried,
  rules: FailingRules,
): void {
  const accountId = idBytes(attempt.accountId);
  if (step.status === 'delivered') {
    connection
      .prepare(
        `UPDATE alert_channels SET exhausted_in_a_row = 0, failing_since = NULL
         WHERE account_id = ? AND id = ? AND exhausted_in_a_row > 0`,
      )
      .run(accountId, alertChannelId);
    return;
  }
  if (step.status !== 'exhausted') return;
  const row = connection
    .prepare(
      `UPDATE alert_channels SET exhausted_in_a_row = exhausted_in_a_row + 1,
         failing_since = CASE WHEN exhausted_in_a_row + 1 >= ? THEN coalesce(failing_since, ?) END
       WHERE account_id = ? AND id = ? RETURNING *`,
    )
    .get(exhaustedUntilFailing, rules.now, accountId, alertChannelId) as unknown as AlertChannelsTable | undefined;
  if (row?.exhausted_in_a_row !== exhaustedUntilFailing) return;
  const { config } = channelOf(row, rules.seal);
  const failing: FailingChannel = {
    accountId: attempt.accountId,
    alertChannelId,
    name: typeof config['name'] === 'string' ? config['name'] : '',
    since: rules.now,
    exhaustedInARow: row.exhausted_in_a_row,
    lastError: attempt.error?.message ?? null,
  };
  tellAnother(connection, failing, rules);
  rules.onFailing(failing);
}

/** One delivery to the oldest channel of the account that does receive, if there is one. */
function tellAnother(
  connection: Connection,
  failing: FailingChannel,
  { now, seal, renderFailing }: FailingRules,
): void {
  const row = connection
    .prepare(
      'SELECT * FROM alert_channels WHERE account_id = ? AND id <> ? AND failing_since IS NULL ORDER BY id LIMIT 1',
    )
    .get(idBytes(failing.accountId), failing.alertChannelId) as unknown as AlertChannelsTable | undefined;
  if (row === undefined) return;
  const rendered = renderFailing(failing, channelOf(row, seal));
  const isRendered = 'request' in rendered;
  insertDeliveryRow(connection, {
    accountId: failing.accountId,
    id: newId(),
    alertChannelId: row.id,
    alertId: null,
    checkId: null,
    checkResultId: null,
    alertType: 'ALERT_FAILURE',
    status: isRendered ? 'pending' : 'failed',
    request: isRendered ? rendered.request : null,
    attempts: 0,
    createdAt: now,
    nextAttemptAt: isRendered ? now : null,
    replayOf: null,
    isTest: false,
    error: isRendered ? null : rendered.error,
  });
}
