// Lets deliveries wait for the active hours of their channel, or sends them through another one (docs/decisions/0129).
import { findRow, selectRows, updateRows } from '../base/rows.ts';
import { sql } from 'kysely';
import type { FlappingNotice } from '#domain/alerts/alert.ts';
import { type ActiveHours, type HoursClaim, hoursReason, waitsForHours } from '#domain/alerts/active-hours.ts';
import { supersededReason } from '#domain/deliveries/superseding.ts';
import { type IdBytes, idBytes, json, parsed, parsedOrNull } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import { isMarked, isPendingReminder } from './cancel-reminders.ts';
import type { AlertChannelsTable, Db, DeliveriesTable } from '../base/tables/schema.ts';
import { rewrite, splitDigest } from './digest-hours.ts';
import { makeDue } from './requested-delay.ts';

const movedReason = 'its alerts are sent through another channel';
const closings = ['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY'];

export function createActiveHours({ transaction }: Database) {
  return {
    /** Whether the delivery is sent now by its channel; otherwise it waits, or is moved, without a lease. */
    admit: (claim: HoursClaim): Promise<boolean> =>
      transaction(async (tx) => {
        const { accountId, deliveryId, owner, activeFrom, otherChannelId, isSuperseded, now } = claim;
        const account = idBytes(accountId);
        const id = idBytes(deliveryId);
        const delivery = await findRow(tx, 'deliveries', { account_id: account, id });
        if (delivery === undefined) return false;
        const { is_test: isTest, replay_of: original, routed_from: from } = delivery;
        // Requested by a person, who does not wait for the hours.
        if (isTest === 1 || original !== null) return true;
        if (isMarked(delivery.error)) {
          const status = deliveryStatusCodes.encode('cancelled');
          await release(tx, delivery, owner, { status, next_attempt_at: null });
          return false;
        }
        const isActive = activeFrom <= now;
        if (delivery.is_digest === 1 && !(await hasOwnAlerts(tx, delivery, claim))) {
          const status = deliveryStatusCodes.encode('superseded');
          await release(tx, delivery, owner, { status, next_attempt_at: null, error: movedReason });
          return false;
        }
        // A moved delivery is moved once: it waits for the hours of its new channel.
        const other =
          otherChannelId === null || from !== null ? null : await routeOf(tx, delivery, otherChannelId, isActive);
        const to = other === null ? null : await findChannel(tx, account, other);
        if (other !== null && to !== null) {
          await release(tx, delivery, owner, {
            alert_channel_id: other,
            latest_of: isSuperseded(to.type) ? await findIncident(tx, delivery) : null,
            routed_from: delivery.alert_channel_id,
            next_attempt_at: now,
            error: null,
          });
          return false;
        }
        if (isActive) return true;
        await supersedeReminders(tx, delivery);
        const since = delivery.quota_waits_since;
        await release(tx, delivery, owner, {
          next_attempt_at: activeFrom,
          error: hoursReason(activeFrom),
          // Time outside of the hours is not time that it waits for a quota.
          quota_waits_since: since === null ? null : since + activeFrom - now,
        });
        return false;
      }),
  };
}

/** Moves the alerts of a digest that belong to the other channel; false = none remains for its own. */
async function hasOwnAlerts(
  tx: Db,
  digest: DeliveriesTable,
  { activeFrom, otherChannelId: id, isSuperseded, isDigested, now }: HoursClaim,
): Promise<boolean> {
  const isActive = activeFrom <= now;
  const to = id === null || digest.routed_from !== null ? null : await findChannel(tx, digest.account_id, id);
  if (id !== null && to !== null) {
    const { type, grouping } = to;
    const other = { id, isDigested: grouping === 1 && isDigested(type), isSuperseded: isSuperseded(type) };
    return splitDigest(tx, digest, other, { isActive, now });
  }
  // It waited, and tells of the present.
  if (isActive && digest.error?.startsWith(waitsForHours) === true) await rewrite(tx, digest, now);
  return true;
}

/**
 * The channel to use instead; null = its own. Reminders and recoveries use the channel that the opening alert was sent
 * through, whatever the hours: other channels do not know the incident.
 */
async function routeOf(
  tx: Db,
  { account_id, check_id, alert_channel_id, alert_type, is_digest, created_at }: DeliveriesTable,
  otherChannelId: number,
  isActive: boolean,
): Promise<number | null> {
  // Its alerts were moved before. Only some kinds of channels render reports.
  if (is_digest === 1 || alert_type === null) return null;
  const outside = isActive ? null : otherChannelId;
  if (check_id === null || alert_type === 'ALERT_SSL') return outside;
  const notified = () => selectRows(tx, 'notified', { account_id, check_id, alert_channel_id });
  const known = await notified().select(['routed_to', 'reminders', 'flapping']).executeTakeFirst();
  // A later message about a flapping check follows the first, whose alert is open there.
  const since = parsedOrNull<FlappingNotice>(known?.flapping ?? null)?.since ?? null;
  if (since !== null && created_at > since && known?.routed_to != null) return known.routed_to;
  if (closings.includes(alert_type) || (known?.reminders ?? 0) > 0) return known?.routed_to ?? null;
  await updateRows(tx, 'notified', { account_id, check_id, alert_channel_id }, { routed_to: outside });
  return outside;
}

async function release(
  tx: Db,
  { account_id, id, error }: DeliveriesTable,
  owner: string,
  columns: Partial<DeliveriesTable>,
): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ leased_by: null, attempt_started_at: null, ...columns })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .where('leased_by', '=', owner)
    .where('status', '=', deliveryStatusCodes.encode('pending'))
    // Marked as cancelled since it was read: it keeps the mark, and is admitted again after its lease.
    .where('error', 'is not distinct from', error)
    .execute();
}

/** Reminders that wait for the hours become one message about now, on channels of every type (docs/decisions/0136). */
async function supersedeReminders(
  tx: Db,
  { account_id, id, alert_channel_id, check_id }: DeliveriesTable,
): Promise<void> {
  if (check_id === null) return;
  await tx
    .updateTable('deliveries')
    .set({ status: deliveryStatusCodes.encode('superseded'), next_attempt_at: null, error: supersededReason })
    .where('account_id', '=', account_id)
    .where('alert_channel_id', '=', alert_channel_id)
    .where('check_id', '=', check_id)
    .where('id', '<', id)
    .where('leased_by', 'is', null)
    .where('error', 'like', `${waitsForHours}%`)
    .where(sql<boolean>`${sql.raw(isPendingReminder)}`)
    .execute();
}

/** The incident of a delivery's alert; null = it belongs to none. */
async function findIncident(tx: Db, { account_id, alert_id }: DeliveriesTable): Promise<IdBytes | null> {
  if (alert_id === null) return null;
  const alerts = selectRows(tx, 'alerts', { account_id }).select('incident_id');
  return (await alerts.where('id', '=', alert_id).executeTakeFirst())?.incident_id ?? null;
}

/** Whether an account has a channel. */
export async function isChannel(tx: Db, account: IdBytes, id: number): Promise<boolean> {
  return (await findChannel(tx, account, id)) !== null;
}

async function findChannel(
  tx: Db,
  account: IdBytes,
  id: number,
): Promise<Pick<AlertChannelsTable, 'type' | 'grouping'> | null> {
  const channels = selectRows(tx, 'alert_channels', { account_id: account }).select(['type', 'grouping']);
  return (await channels.where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Lets deliveries wait that would be sent through a deleted channel. */
export async function dropOtherChannel(tx: Db, account: IdBytes, id: number): Promise<void> {
  const rows = await selectRows(tx, 'alert_channels', { account_id: account })
    .select(['id', 'active_hours'])
    .where('active_hours', 'like', `%"otherChannelId":${id}%`)
    .execute();
  for (const row of rows) {
    const hours = parsed<ActiveHours>(row.active_hours ?? 'null');
    if (hours.otherChannelId !== id) continue;
    await updateRows(
      tx,
      'alert_channels',
      { account_id: account, id: row.id },
      { active_hours: json({ ...hours, outside: 'WAIT', otherChannelId: null } satisfies ActiveHours) },
    );
  }
}

/** Makes deliveries due that wait for hours which were changed: they are admitted by the new ones. */
export async function endHours(tx: Db, accountId: string, channelId: number, now: number): Promise<void> {
  await makeDue(tx, accountId, channelId, now).where('error', 'like', `${waitsForHours}%`).execute();
}
