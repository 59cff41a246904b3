// Channels that follow a check, as rows, and what they were notified of. Shared by all engines.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { Listener } from '#domain/alerts/listener.ts';
import type { Notification } from '#domain/alerts/notify.ts';
import type { CheckContext, NotificationRules } from '#domain/results/recording.ts';
import { channelOf } from '../../channels/alert-channel-row.ts';
import { flag, type IdBytes, idBytes, json, parsedOrNull } from '../../base/codec.ts';
import type { Seal } from '../../base/seal.ts';
import type { NotifiedTable } from '../../base/tables/delivery-tables.ts';
import type { AlertChannelsTable } from '../../base/tables/schema.ts';
import { endsOf, noticeOfRow } from './held-alerts.ts';

/** Whether a channel follows a check, subscribed or not. @param t prefix of `notified` */
export function isListening(t: string): string {
  return `(${t}open IS NOT NULL OR ${t}flapping IS NOT NULL OR ${t}escalates_at IS NOT NULL)`;
}

/** What a channel was notified of, without its key. */
type NotifiedPart = Pick<
  NotifiedTable,
  'open' | 'notified_at' | 'reminders' | 'flapping' | 'certificates' | 'is_grouped' | 'escalates_at' | 'alert_id'
>;

/** A channel after a row about it was written in the same transaction. */
export function listenerAfter(row: ListenerRow, written: NotifiedTable | undefined): ListenerRow {
  if (written === undefined) return row;
  const { open, notified_at, reminders, flapping, certificates, is_grouped, escalates_at, alert_id } = written;
  const after = { ...row, open, notified_at, reminders, flapping, certificates, is_grouped, escalates_at, alert_id };
  // A delivery that was added in this transaction waits.
  const isEndNew = endsOf([written]).some((id) => !endsOf([row]).includes(id));
  return isEndNew ? { ...after, is_end_waiting: 1 } : after;
}

/** A channel that is subscribed to the check or its group, or has an open alert, with what it was notified of. */
export type ListenerRow = AlertChannelsTable &
  NotifiedPart & {
    readonly is_subscribed: number;
    readonly is_via_group: number;
    /** Of its subscription, the shorter of two; null = not subscribed. */
    readonly escalation_minutes: number | null;
    /** 1 = the delivery that reported the end of flapping waits. */
    readonly is_end_waiting?: number;
  };

export type ListenerWithChannel = Listener & { readonly channel: AlertChannel };

export function listenerOf(
  row: ListenerRow,
  { seal, isBrief = () => false }: Pick<NotificationRules, 'isBrief'> & { readonly seal: Seal },
): ListenerWithChannel {
  const channel = channelOf(row, seal);
  return {
    ...channel,
    channel,
    alertChannelId: row.id,
    isSubscribed: row.is_subscribed === 1,
    isViaGroup: row.is_via_group === 1,
    isBrief: isBrief(channel.type),
    escalationMs: (row.escalation_minutes ?? 0) * 60_000,
    notified: {
      open: row.open as Listener['notified']['open'],
      notifiedAt: row.notified_at,
      reminders: row.reminders ?? 0,
      flapping: noticeOfRow(row),
      certificates: parsedOrNull<Listener['notified']['certificates']>(row.certificates) ?? {},
      escalatesAt: row.escalates_at,
    },
  };
}

/** The row of what a channel is notified of now. */
export function notifiedRow(
  { check }: CheckContext,
  { listener, notified }: Notification,
  {
    isGrouped,
    failureId,
    waitsFor,
  }: { readonly isGrouped: boolean; readonly failureId: string | null; readonly waitsFor: IdBytes | null },
): NotifiedTable {
  return {
    account_id: idBytes(check.accountId),
    check_id: idBytes(check.id),
    alert_channel_id: listener.alertChannelId,
    open: notified.open,
    notified_at: notified.notifiedAt,
    reminders: notified.reminders,
    flapping: notified.flapping === null ? null : json(notified.flapping),
    certificates: Object.keys(notified.certificates).length === 0 ? null : json(notified.certificates),
    // Written by the delivery of the opening alert; an update keeps it.
    routed_to: null,
    is_grouped: flag(isGrouped),
    // An update without one keeps the last.
    delivery_id: failureId === null ? null : idBytes(failureId),
    escalates_at: notified.escalatesAt ?? null,
    alert_id: notified.escalatesAt == null ? null : waitsFor,
  };
}
