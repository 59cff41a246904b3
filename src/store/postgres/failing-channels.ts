// Channels that do not receive any more, in PostgreSQL: noticed when deliveries end, told through another channel.
import { exhaustedUntilFailing } from '#domain/failing-channel.ts';
import { idBytes } from '../codec.ts';
import { deliveryOfFailing, failingOf, type FailingRules, type Tried } from '../failing-delivery.ts';
import type { AlertChannelsTable, VariablesTable } from '../schema.ts';
import { type Bulk, inPairs } from './bulk.ts';
import type { Session } from './session.ts';
import { insertDeliveries } from './delivery-rows.ts';

/** Five exhausted deliveries in a row mark a channel as failing, one that arrives clears it (decisions: Dead channel). */
export async function noteOutcomes(
  session: Session,
  bulk: Bulk,
  tried: readonly Tried[],
  rules: FailingRules,
): Promise<void> {
  const ended = tried.filter(({ step }) => step.status === 'delivered' || step.status === 'exhausted');
  if (ended.every(({ step }) => step.status === 'delivered')) return clear(session, ended);
  // In the order of the channels, so that two batches wait for each other one way; within one as it happened.
  const inOrder = [...ended].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
  for (const one of inOrder) {
    if (one.step.status === 'delivered') await clear(session, [one]);
    else await noteExhausted(session, bulk, one, rules);
  }
}

function keyOf({ attempt, alertChannelId }: Tried): string {
  return `${attempt.accountId}/${String(alertChannelId).padStart(16, '0')}`;
}

async function clear(session: Session, delivered: readonly Tried[]): Promise<void> {
  const channels = [...new Map(delivered.map((one) => [keyOf(one), one])).values()];
  if (channels.length === 0) return;
  await session.query(
    `UPDATE alert_channels SET exhausted_in_a_row = 0, failing_since = NULL WHERE (account_id, id) IN (
       SELECT account_id, id FROM alert_channels WHERE ${inPairs('(account_id, id)', 1, 'bigint')}
         AND exhausted_in_a_row > 0 ORDER BY account_id, id FOR NO KEY UPDATE)`,
    [channels.map(({ attempt }) => idBytes(attempt.accountId)), channels.map(({ alertChannelId }) => alertChannelId)],
  );
}

async function noteExhausted(
  session: Session,
  bulk: Bulk,
  { attempt, alertChannelId }: Tried,
  rules: FailingRules,
): Promise<void> {
  const accountId = idBytes(attempt.accountId);
  const [row] = await session.query<AlertChannelsTable>(
    `UPDATE alert_channels SET exhausted_in_a_row = exhausted_in_a_row + 1,
       failing_since = CASE WHEN exhausted_in_a_row + 1 >= $1 THEN coalesce(failing_since, $2) END
     WHERE account_id = $3 AND id = $4 RETURNING *`,
    [exhaustedUntilFailing, rules.now, accountId, alertChannelId],
  );
  if (row?.exhausted_in_a_row !== exhaustedUntilFailing) return;
  const failing = failingOf(attempt, row, rules);
  const others = await session.query<AlertChannelsTable>(
    'SELECT * FROM alert_channels WHERE account_id = $1 AND id <> $2 AND failing_since IS NULL ORDER BY id',
    [accountId, alertChannelId],
  );
  const variables = await session.query<VariablesTable>(
    'SELECT * FROM variables WHERE account_id = $1 AND secret = 0',
    [accountId],
  );
  const delivery = deliveryOfFailing(failing, others, variables, rules);
  if (delivery !== null) await insertDeliveries(bulk, [delivery]);
  rules.onFailing(failing);
}
