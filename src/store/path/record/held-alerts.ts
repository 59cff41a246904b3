// Alerts of flapping checks that wait for the next message of their channel, in the transaction of the result
// (docs/decisions/0138).
import type { FlappingNotice } from '#domain/alerts/alert.ts';
import type { FlappingTidings } from '#domain/alerts/flapping.ts';
import type { AlertEvent } from '#domain/alerts/listener.ts';
import type { FlappingFacts, Notification } from '#domain/alerts/notify.ts';
import { type Delivery, newDelivery } from '#domain/deliveries/delivery.ts';
import type { DeliveryIncident } from '#domain/alerts/incident.ts';
import { newId } from '#lib/id.ts';
import { parsedOrNull } from '../../base/codec.ts';
import type { NotifiedTable } from '../../base/tables/delivery-tables.ts';
import type { AlertedIncident } from './record-incident.ts';

/** Rows of messages about flapping checks. */
export interface HeldRows {
  insertDelivery(delivery: Delivery): void;
  /** Sends a delivery that collected alerts, with its content; not if it was cancelled. */
  releaseDelivery(delivery: Delivery): void;
  /** Cancels a delivery that collected alerts. */
  cancelCollecting(delivery: Pick<Delivery, 'accountId' | 'id'>, reason: string): void;
}

/** Why a message about held alerts is not sent. */
export const notNeededReason = 'the check is muted, or the channel knows its state';

/** Adds alerts to the delivery that collects them; starts one if there is none. @returns what the channel knows now */
export function holdAlerts(
  rows: Pick<HeldRows, 'insertDelivery'>,
  { notified }: Pick<Notification, 'notified'>,
  alerts: readonly Delivery[],
  dueAt: number,
): FlappingNotice | null {
  const [first] = alerts;
  if (first === undefined || notified.flapping === null) return notified.flapping;
  const { collectingId } = notified.flapping;
  const id = collectingId ?? newId();
  if (collectingId === null) {
    const { accountId, alertChannelId, alertType, checkId, checkResultId, createdAt } = first;
    const own = newDelivery({ accountId, id, alertChannelId, alertType }, createdAt);
    rows.insertDelivery({ ...own, checkId, checkResultId, status: 'collecting', nextAttemptAt: dueAt });
  }
  for (const { latestOf: _, ...alert } of alerts) {
    rows.insertDelivery({ ...alert, status: 'digested', nextAttemptAt: null, digestId: id });
  }
  return { ...notified.flapping, collectingId: id };
}

/** What a channel knows once this delivery reports the end; otherwise what it knew. */
export function knownAfter(
  { latestOf, id }: Delivery,
  { listener, message, notified }: Notification,
): FlappingNotice | null {
  const isEnd = message === 'ended' || listener.notified.flapping?.endedBy !== undefined;
  if (!isEnd || latestOf === undefined || notified.open !== null) return notified.flapping;
  return { since: null, collectingId: null, incidentId: latestOf, endedBy: id };
}

/** What a channel was notified of. */
interface NoticeRow extends Pick<NotifiedTable, 'flapping' | 'open'> {
  /** 1 = the delivery that reported the end of flapping waits. */
  readonly is_end_waiting?: number;
}

/** What a channel was notified of about a flapping check, without an end that no longer waits. */
export function noticeOfRow({ flapping, open, is_end_waiting }: NoticeRow): FlappingNotice | null {
  const notice = parsedOrNull<FlappingNotice>(flapping);
  return notice?.endedBy !== undefined && open === null && is_end_waiting !== 1 ? null : notice;
}

/** The deliveries that report the end to these channels. */
export function endsOf(rows: readonly Pick<NoticeRow, 'flapping'>[]): string[] {
  return rows.flatMap(({ flapping }) => parsedOrNull<FlappingNotice>(flapping)?.endedBy ?? []);
}

/** The channels with what is known of their ends. @param waiting those of `endsOf` that were not sent */
export function withEnds<Row extends NoticeRow>(rows: readonly Row[], waiting: ReadonlySet<string>): Row[] {
  return rows.map((row) => (endsOf([row]).some((id) => waiting.has(id)) ? { ...row, is_end_waiting: 1 } : row));
}

/** Cancels the delivery that collected alerts if the channel needs no message about them. */
export function cancelUnneeded(rows: HeldRows, notification: Notification, accountId: string): void {
  const { listener, notified, message } = notification;
  const id = listener.notified.flapping?.collectingId ?? null;
  if (id === null || message !== null || notified.flapping?.collectingId === id) return;
  rows.cancelCollecting({ accountId, id }, notNeededReason);
}

/** What a delivery says about a flapping check; null = nothing. */
export function flappingFacts({ message }: Notification, { flapping, status }: AlertEvent): FlappingFacts | null {
  if (message === null || flapping === null || status === null) return null;
  const { since, changes } = flapping;
  return { message, since, changes, status };
}

/** ID of the delivery that collected the alerts of a message; null = none. */
export function collectedBy({ listener, message }: Notification): string | null {
  return message === null ? null : (listener.notified.flapping?.collectingId ?? null);
}

/** The incident of a delivery as its channel knows it: that of the first message about a flapping check. */
export function incidentFor(
  { listener, notified, message }: Notification,
  incident: AlertedIncident | null,
  flapping: FlappingTidings | null,
): Omit<DeliveryIncident, 'isFirst'> | null {
  const known = notified.flapping?.incidentId ?? listener.notified.flapping?.incidentId ?? null;
  const id = known ?? incident?.id ?? null;
  if (id === null) return null;
  const since = message === null ? null : (flapping?.since ?? null);
  // A message that the check passes is about all of its failures.
  const startedAt = (notified.open === null ? since : null) ?? incident?.startedAt ?? since;
  if (startedAt === null) return null;
  return { id, startedAt, ...(incident !== null && incident.id !== id && { currentId: incident.id }) };
}
