// Channels that do not receive any more: noticed when deliveries end, told through another channel of the account.
import type { AlertChannel } from '#domain/alert-channel.ts';
import type { Attempt, DeliveryStep } from '#domain/delivery.ts';
import type { EnvironmentVariable } from '#domain/environment-variable.ts';
import { exhaustedUntilFailing, type FailingChannel } from '#domain/failing-channel.ts';
import type { Rendered } from '#domain/recording.ts';
import { newId } from '#lib/id.ts';
import { channelOf } from '../alert-channel-row.ts';
import { idBytes } from '../codec.ts';
import type { AlertChannelsTable, VariablesTable } from '../schema.ts';
import type { Seal } from '../seal.ts';
import type { Connection } from './connection.ts';
import { insertDeliveryRow } from './delivery-rows.ts';

/** How it is told that a channel fails. */
export interface FailingRules {
  /** Epoch ms. */
  readonly now: number;
  readonly seal: Seal;
  /** The request to another channel of the account that says so. */
  readonly renderFailing: (
    failing: FailingChannel,
    through: AlertChannel,
    variables: readonly EnvironmentVariable[],
  ) => Rendered;
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

/** One delivery to the oldest channel of the account that does receive and can say it, if there is one. */
function tellAnother(
  connection: Connection,
  failing: FailingChannel,
  { now, seal, renderFailing }: FailingRules,
): void {
  const accountId = idBytes(failing.accountId);
  const rows = connection
    .prepare('SELECT * FROM alert_channels WHERE account_id = ? AND id <> ? AND failing_since IS NULL ORDER BY id')
    .all(accountId, failing.alertChannelId) as unknown as AlertChannelsTable[];
  const variables = plainVariables(connection, accountId);
  for (const row of rows) {
    const rendered = renderFailing(failing, channelOf(row, seal), variables);
    if (!('request' in rendered)) continue;
    insertDeliveryRow(connection, {
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
    });
    return;
  }
}

/** The account's variables that templates may use: secrets are none of them. */
function plainVariables(connection: Connection, accountId: Uint8Array): EnvironmentVariable[] {
  const rows = connection
    .prepare('SELECT * FROM variables WHERE account_id = ? AND secret = 0')
    .all(accountId) as unknown as VariablesTable[];
  return rows.map(({ key, value, locked }) => ({ key, value, locked: locked === 1, secret: false }));
}
