// Lets deliveries wait for the active hours of their channel, or sends them through another one (docs/decisions/0129).
import type { Kysely } from 'kysely';
import { type ActiveHours, hoursReason, waitsForHours } from '#domain/alerts/active-hours.ts';
import { type IdBytes, idBytes, json, parsed } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import { isMarked } from '../path/deliveries/cancel-reminders.ts';
import type { DeliveriesTable, Tables } from '../base/tables/schema.ts';

/** A delivery before its first attempt. */
export interface HoursClaim {
  readonly accountId: string;
  /** A delivery leased by `owner`. */
  readonly deliveryId: string;
  readonly owner: string;
  /** When its channel is active next, epoch ms; `now` if it is. */
  readonly activeFrom: number;
  /** The channel to use outside of the hours; null = wait. */
  readonly otherChannelId: number | null;
  /** Epoch ms. */
  readonly now: number;
}

export interface ActiveHoursOfChannels {
  /** Whether the delivery is sent now by its channel; otherwise it waits, or is moved, without a lease. */
  admit(claim: HoursClaim): Promise<boolean>;
}

const closings = ['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY'];

export function createActiveHours({ transaction }: Database): ActiveHoursOfChannels {
  return {
    admit: ({ accountId, deliveryId, owner, activeFrom, otherChannelId, now }) =>
      transaction(async (tx) => {
        const account = idBytes(accountId);
        const id = idBytes(deliveryId);
        const delivery = await tx
          .selectFrom('deliveries')
          .selectAll()
          .where('account_id', '=', account)
          .where('id', '=', id)
          .executeTakeFirst();
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
        // A moved delivery is moved once: it waits for the hours of its new channel.
        const other =
          otherChannelId === null || from !== null ? null : await routeOf(tx, delivery, otherChannelId, isActive);
        if (other !== null && (await isChannel(tx, account, other))) {
          await release(tx, delivery, owner, {
            alert_channel_id: other,
            routed_from: delivery.alert_channel_id,
            next_attempt_at: now,
            error: null,
          });
          return false;
        }
        if (isActive) return true;
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

/**
 * The channel to use instead; null = its own. Reminders and recoveries use the channel that the opening alert was sent
 * through, whatever the hours: other channels do not know the incident.
 */
async function routeOf(
  tx: Kysely<Tables>,
  { account_id, check_id, alert_channel_id, alert_type, is_digest }: DeliveriesTable,
  otherChannelId: number,
  isActive: boolean,
): Promise<number | null> {
  // Only some kinds of channels render digests and reports.
  if (is_digest === 1 || alert_type === null) return null;
  const outside = isActive ? null : otherChannelId;
  if (check_id === null || alert_type === 'ALERT_SSL') return outside;
  const notified = () =>
    tx
      .selectFrom('notified')
      .where('account_id', '=', account_id)
      .where('check_id', '=', check_id)
      .where('alert_channel_id', '=', alert_channel_id);
  const known = await notified().select(['routed_to', 'reminders']).executeTakeFirst();
  if (closings.includes(alert_type) || (known?.reminders ?? 0) > 0) return known?.routed_to ?? null;
  await tx
    .updateTable('notified')
    .set({ routed_to: outside })
    .where('account_id', '=', account_id)
    .where('check_id', '=', check_id)
    .where('alert_channel_id', '=', alert_channel_id)
    .execute();
  return outside;
}

async function release(
  tx: Kysely<Tables>,
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

/** Whether an account has a channel. */
export async function isChannel(tx: Kysely<Tables>, account: IdBytes, id: number): Promise<boolean> {
  const channels = tx.selectFrom('alert_channels').select('id').where('account_id', '=', account);
  return (await channels.where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Lets deliveries wait that would be sent through a deleted channel. */
export async function dropOtherChannel(tx: Kysely<Tables>, account: IdBytes, id: number): Promise<void> {
  const rows = await tx
    .selectFrom('alert_channels')
    .select(['id', 'active_hours'])
    .where('account_id', '=', account)
    .where('active_hours', 'like', `%"otherChannelId":${id}%`)
    .execute();
  for (const row of rows) {
    const hours = parsed<ActiveHours>(row.active_hours ?? 'null');
    if (hours.otherChannelId !== id) continue;
    await tx
      .updateTable('alert_channels')
      .set({ active_hours: json({ ...hours, outside: 'WAIT', otherChannelId: null } satisfies ActiveHours) })
      .where('account_id', '=', account)
      .where('id', '=', row.id)
      .execute();
  }
}

/** Makes deliveries due that wait for hours which were changed: they are admitted by the new ones. */
export async function endHours(tx: Kysely<Tables>, accountId: string, channelId: number, now: number): Promise<void> {
  await tx
    .updateTable('deliveries')
    .set({ next_attempt_at: now, error: null })
    .where('account_id', '=', idBytes(accountId))
    .where('alert_channel_id', '=', channelId)
    .where('status', '=', deliveryStatusCodes.encode('pending'))
    .where('attempts', '=', 0)
    .where('next_attempt_at', '>', now)
    .where('error', 'like', `${waitsForHours}%`)
    .execute();
}
