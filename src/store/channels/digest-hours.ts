// Sends the alerts of a digest where they would be sent one by one: outside of the active hours of its channel through
// another one (docs/decisions/0129).
import { insertRows, selectRows, updateRows } from '../base/rows.ts';
import { digestAlertType, type DigestedAlert, routeDigest } from '#domain/alerts/digest.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import { newId } from '#lib/id.ts';
import { type IdBytes, idBytes, idText, idTextOrNull } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import { countDeliveries } from '../base/counts.ts';
import type { Db, DeliveriesTable } from '../base/tables/schema.ts';
import { newDeliveryRow, unattempted } from './delivery-rows.ts';
import { newDigest } from './storm-rows.ts';
import { digestContent, membersOf, readDigest } from './digests.ts';

/** The other channel of a digest. */
export interface OtherChannel {
  readonly id: number;
  /** Whether it gets digests; otherwise it gets each alert. */
  readonly isDigested: boolean;
  /** Whether newer messages supersede older ones there. */
  readonly isSuperseded: boolean;
}

type Member = DigestedAlert & { readonly id: IdBytes; readonly incidentId: IdBytes | null };

const pending = deliveryStatusCodes.encode('pending');
const atOnce = 500;

/**
 * Moves the alerts of a digest that belong to another channel, and updates the content of both.
 * @returns whether alerts remain for its own channel
 */
export async function splitDigest(
  tx: Db,
  digest: DeliveriesTable,
  other: OtherChannel,
  { isActive, now }: { readonly isActive: boolean; readonly now: number },
): Promise<boolean> {
  const members = await readMembers(tx, digest);
  const routed = routeDigest(members, await readRoutes(tx, digest), isActive ? null : other.id);
  for (const [route, checks] of Map.groupBy([...routed.routes], ([, channel]) => channel)) {
    for (const ids of inParts(checks.map(([checkId]) => idBytes(checkId)))) {
      await tx
        .updateTable('notified')
        // A channel that gets every alert gets the recovery at once, too.
        .set({ routed_to: route, ...(route !== null && !other.isDigested && { is_grouped: 0 }) })
        .where('account_id', '=', digest.account_id)
        .where('alert_channel_id', '=', digest.alert_channel_id)
        .where('check_id', 'in', ids)
        .execute();
    }
  }
  if (routed.other.length > 0) await moveMembers(tx, digest, routed.other, other, now);
  if (routed.own.length === 0) return members.length === 0;
  await rewrite(tx, digest, now);
  return true;
}

/** Replaces the content of a digest by the present. */
export async function rewrite(tx: Db, digest: DeliveriesTable, now: number): Promise<void> {
  const content = await readDigest(tx, digest, now);
  const { account_id, id } = digest;
  await updateRows(tx, 'deliveries', { account_id, id }, { alert_type: digestAlertType(content.sections) });
  const key = { account_id, delivery_id: id };
  await updateRows(tx, 'delivery_contents', key, { content: digestContent(digest.id, content) });
}

/** Oldest first. */
async function readMembers(tx: Db, digest: DeliveriesTable): Promise<Member[]> {
  const rows = await membersOf(tx, digest).orderBy('deliveries.id').execute();
  return rows.map((row) => ({
    id: row.id,
    checkId: idTextOrNull(row.check_id) ?? '',
    alertId: idTextOrNull(row.alert_id),
    alertType: row.alert_type as AlertType,
    isNews: row.is_counted !== 0,
    incidentId: row.incident_id,
  }));
}

async function readRoutes(
  tx: Db,
  { account_id, alert_channel_id }: DeliveriesTable,
): Promise<ReadonlyMap<string, number | null>> {
  const rows = await selectRows(tx, 'notified', { account_id, alert_channel_id })
    .select(['check_id', 'routed_to'])
    .where('routed_to', 'is not', null)
    .execute();
  return new Map(rows.map(({ check_id, routed_to }) => [idText(check_id), routed_to]));
}

/** As a digest of the other channel, or one by one. */
async function moveMembers(
  tx: Db,
  digest: DeliveriesTable,
  members: readonly Member[],
  other: OtherChannel,
  now: number,
): Promise<void> {
  const { account_id: account, alert_channel_id: from } = digest;
  const own = { accountId: idText(account), id: newId(), alertChannelId: other.id };
  const row = { ...digest, ...newDeliveryRow(newDigest(own, now)), routed_from: from, quota_waits_since: null };
  const moved = { alert_channel_id: other.id, routed_from: from };
  const set = other.isDigested
    ? { ...moved, digest_id: row.id }
    : { ...moved, digest_id: null, status: pending, next_attempt_at: now };
  for (const [incident, some] of Map.groupBy(members, ({ incidentId }) => incidentId)) {
    for (const ids of inParts(some.map(({ id }) => id))) {
      const key = { account_id: account, id: ids };
      await updateRows(tx, 'deliveries', key, { ...set, latest_of: other.isSuperseded ? incident : null });
    }
  }
  if (!other.isDigested) return;
  const content = await readDigest(tx, row, now);
  const alert_type = digestAlertType(content.sections);
  await insertRows(tx, 'deliveries', { ...row, ...unattempted, alert_type });
  await insertRows(tx, 'delivery_contents', {
    account_id: account,
    delivery_id: row.id,
    content: digestContent(row.id, content),
  });
  await countDeliveries(tx, [own]);
}

function* inParts(ids: readonly IdBytes[]): Generator<readonly IdBytes[]> {
  for (let from = 0; from < ids.length; from += atOnce) yield ids.slice(from, from + atOnce);
}
