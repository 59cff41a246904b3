// Acknowledging an incident, and taking it back: on the incident and on the state of its check, which stops reminders.
import { findRow, updateRows } from '../base/rows.ts';
import { sql } from 'kysely';
import type { Acknowledger } from '#domain/alerts/incident.ts';
import { type IdBytes, idBytes, json } from '../base/codec.ts';
import type { Db } from '../base/tables/schema.ts';
import { cancelAcknowledged, isPendingReminder } from '../channels/cancel-reminders.ts';

/** What became of it: `unchanged` = it was so already, `ended` = the incident is over; null = unknown incident. */
export type AcknowledgeOutcome = 'done' | 'unchanged' | 'ended' | null;

/** Acknowledges an open incident and cancels the pending reminders of its check. @param at epoch ms */
export async function acknowledgeIncident(
  tx: Db,
  accountId: string,
  id: string,
  by: Acknowledger,
  at: number,
): Promise<AcknowledgeOutcome> {
  const found = await changeState(tx, accountId, id, at);
  if (found.outcome !== 'done') return found.outcome;
  await writeIncident(tx, found, { acknowledged_at: at, acknowledged_by: json(by) });
  await sql`UPDATE deliveries SET ${sql.raw(cancelAcknowledged)} WHERE account_id = ${found.account}
    AND check_id = ${found.check} AND alert_channel_id IN (
      SELECT alert_channel_id FROM notified WHERE account_id = ${found.account} AND check_id = ${found.check}
      UNION ALL SELECT routed_to FROM notified WHERE account_id = ${found.account} AND check_id = ${found.check})
    AND ${sql.raw(isPendingReminder)}`.execute(tx);
  return 'done';
}

/** Takes the acknowledgement of an open incident back. */
export async function unacknowledgeIncident(tx: Db, accountId: string, id: string): Promise<AcknowledgeOutcome> {
  const found = await changeState(tx, accountId, id, null);
  if (found.outcome === 'done') await writeIncident(tx, found, { acknowledged_at: null, acknowledged_by: null });
  return found.outcome;
}

type Changed =
  | { readonly outcome: 'done'; readonly account: IdBytes; readonly id: IdBytes; readonly check: IdBytes }
  | { readonly outcome: Exclude<AcknowledgeOutcome, 'done'> };

/** The state first, as recording does: so neither waits for the other in a circle. */
async function changeState(tx: Db, accountId: string, incidentId: string, at: number | null): Promise<Changed> {
  const [account, id] = [idBytes(accountId), idBytes(incidentId)];
  const incident = await findRow(tx, 'incidents', { account_id: account, id }, ['check_id']);
  if (incident === undefined) return { outcome: null };
  const state = { account, id, check: incident.check_id };
  const { numUpdatedRows } = await tx
    .updateTable('check_states')
    .set((row) => ({ acknowledged_at: at, revision: row('revision', '+', 1) }))
    .where('account_id', '=', account)
    .where('check_id', '=', incident.check_id)
    .where('incident_id', '=', id)
    .where('acknowledged_at', at === null ? 'is not' : 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return { outcome: 'done', ...state };
  const key = { account_id: account, check_id: incident.check_id, incident_id: id };
  const open = await findRow(tx, 'check_states', key, ['check_id']);
  return { outcome: open === undefined ? 'ended' : 'unchanged' };
}

async function writeIncident(
  tx: Db,
  { account, id }: { readonly account: IdBytes; readonly id: IdBytes },
  change: { readonly acknowledged_at: number | null; readonly acknowledged_by: string | null },
): Promise<void> {
  await updateRows(tx, 'incidents', { account_id: account, id }, change);
}
