// Channels that do not receive any more: noticed when deliveries end, told through another channel of the account.
import { exhaustedUntilFailing, type FailingChannel } from '#domain/failing-channel.ts';
import { idBytes } from '../codec.ts';
import { deliveryOfFailing, failingOf, type FailingRules, type Tried } from '../failing-delivery.ts';
import type { AlertChannelsTable, VariablesTable } from '../schema.ts';
import type { Connection } from './connection.ts';
import { insertDeliveryRow } from './delivery-rows.ts';

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
  const failing = failingOf(attempt, row, rules);
  tellAnother(connection, failing, rules);
  rules.onFailing(failing);
}

/** One delivery to the oldest channel of the account that does receive and can say it, if there is one. */
function tellAnother(connection: Connection, failing: FailingChannel, rules: FailingRules): void {
  const accountId = idBytes(failing.accountId);
  const others = connection
    .prepare('SELECT * FROM alert_channels WHERE account_id = ? AND id <> ? AND failing_since IS NULL ORDER BY id')
    .all(accountId, failing.alertChannelId) as unknown as AlertChannelsTable[];
  const variables = connection
    .prepare('SELECT * FROM variables WHERE account_id = ? AND secret = 0')
    .all(accountId) as unknown as VariablesTable[];
  const delivery = deliveryOfFailing(failing, others, variables, rules);
  if (delivery !== null) insertDeliveryRow(connection, delivery);
}
