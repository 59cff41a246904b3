// Alerts and deliveries: one delivery per notified channel, in the transaction of the result or deletion. The
// decisions, shared by all engines.
import type { RemindersOf } from '../../channels/cancel-reminders.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { FoldedFlapping } from '#domain/alerts/flapping.ts';
import { digestThresholdOf, type GroupableAlert } from '#domain/alerts/alert-storm.ts';
import { type AlertType, neverSent } from '#domain/alerts/alert.ts';
import type { CheckState, StateStep } from '#domain/checks/check-state.ts';
import type { Delivery } from '#domain/deliveries/delivery.ts';
import type { CheckContext, EndedAttempt, NotificationRules } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import type { AlertEvent } from '#domain/alerts/listener.ts';
import {
  alertEventOf,
  alertTypesOf,
  certificateEvent,
  deletionEvent,
  isCountedAlert,
  isEscalated,
  type Notification,
  notificationsOf,
} from '#domain/alerts/notify.ts';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import { newId } from '#lib/id.ts';
import {
  cancelUnneeded,
  collectedBy,
  flappingFacts,
  type HeldRows,
  holdAlerts,
  incidentFor,
  knownAfter,
} from './held-alerts.ts';
import { type IdBytes, idBytes, idTextOrNull } from '../../base/codec.ts';
import type { NotifiedTable } from '../../base/tables/delivery-tables.ts';
import type { AlertsTable } from '../../base/tables/schema.ts';
import type { Seal } from '../../base/seal.ts';
import type { Storms } from '../../channels/storm-rows.ts';
import { listenerAfter, listenerOf, type ListenerRow, type ListenerWithChannel, notifiedRow } from './listener-rows.ts';
import { insertAlert, type Occasion } from './insert-alert.ts';
import { prepareSafely } from './prepare-safely.ts';
import type { AlertedIncident } from './record-incident.ts';

/** Dependencies of creating deliveries. */
export interface NotifyRules extends NotificationRules {
  /** Epoch ms. */
  readonly now: number;
  readonly seal: Seal;
}

/** A result that may cause notifications. */
export interface NotifyInput {
  readonly attempt: EndedAttempt;
  readonly resultId: string;
  readonly before: CheckState;
  readonly step: StateStep;
  /** The open incident, or the one that this result ends. */
  readonly incident: AlertedIncident | null;
  /** null = the check does not flap. */
  readonly tidings: FoldedFlapping['tidings'];
}

/** Rows that notifying reads and writes. */
export interface NotifyRows extends HeldRows {
  /** Ordered by ID. */
  listeners(attempt: EndedAttempt): readonly ListenerRow[];
  writeNotified(row: NotifiedTable): void;
  insertAlert(row: AlertsTable): void;
  /** Counts a channel that is notified of an alert later (docs/decisions/0145). */
  countChannel(alert: Pick<AlertsTable, 'account_id' | 'id'>): void;
  /** Cancels the pending reminders of a check for a channel. */
  cancelReminders(reminders: RemindersOf): void;
  readonly storms: Storms;
}

/** A check being deleted, with its last result. */
export interface Deletion extends Omit<Occasion, 'isDeletion' | 'statusCode'> {
  readonly alerted: CheckState['alerted'];
}

type ChannelNotification = Notification & { readonly listener: ListenerWithChannel };

/** Notifies all affected channels; returns the types of raised alerts and the number of deliveries. */
export function notifyChannels(
  rows: NotifyRows,
  input: NotifyInput,
  rules: NotifyRules,
): { alertTypes: AlertType[]; deliveries: number } {
  const { attempt, resultId, before, step, incident, tidings } = input;
  const { context, finding } = attempt;
  const occasion: Occasion = {
    context,
    resultId,
    location: attempt.run.location,
    finding,
    incident,
    isDeletion: false,
    statusCode: () => rules.statusOf(attempt),
  };
  const notified = new Map<number, NotifiedTable>();
  const types = new Set<AlertType>();
  let deliveries = 0;
  let listeners = rows.listeners(attempt);
  const raise = (event: AlertEvent, certificate: Finding['certificate']): void => {
    const tale = { event, occasion: { ...occasion, finding: { ...finding, certificate } }, listeners };
    const raised = notify({ ...tale, alerted: before.alerted }, rows, rules);
    for (const type of raised.alertTypes) types.add(type);
    deliveries += raised.deliveries;
    for (const row of raised.notified) {
      const last = notified.get(row.alert_channel_id)?.delivery_id ?? null;
      notified.set(row.alert_channel_id, { ...row, delivery_id: row.delivery_id ?? last });
    }
    listeners = listeners.map((row) => listenerAfter(row, notified.get(row.id)));
  };
  const { certificate, otherCertificates = [] } = finding;
  const flapping = tidings === null ? null : { ...tidings, incidentId: incident?.id ?? null };
  const event = alertEventOf({ step, rules: attempt.rules, certificate }, rules.now, flapping);
  raise({ ...event, wasAcknowledged: before.acknowledgedAt !== null }, certificate);
  for (const other of otherCertificates) raise(certificateEvent(other, attempt.rules.isMuted, rules.now), other);
  for (const row of notified.values()) rows.writeNotified(row);
  return { alertTypes: [...types], deliveries };
}

/** Records an alert that a needed check suppresses; it notifies no channel. */
export function recordSuppressed(
  rows: Pick<NotifyRows, 'insertAlert'>,
  { attempt, resultId, alertType, by }: SuppressedAlert,
  rules: Pick<NotifyRules, 'now' | 'statusOf'>,
): void {
  const { context, finding, run } = attempt;
  const occasion = { context, resultId, location: run.location, finding, incident: null, isDeletion: false };
  const alert = { alertType, isCounted: false, suppressor: by, channels: 0 };
  insertAlert(rows, alert, { ...occasion, statusCode: () => rules.statusOf(attempt) }, rules.now);
}

/** An alert that is recorded only. */
export interface SuppressedAlert {
  readonly attempt: EndedAttempt;
  readonly resultId: string;
  readonly alertType: AlertType;
  readonly by: Suppressor;
}

type ClosingRows = Omit<NotifyRows, 'listeners' | 'writeNotified'>;

/**
 * Sends the closing notification to all channels with an open alert; the caller deletes the notification records of the
 * check.
 */
export function notifyDeletion(
  rows: ClosingRows,
  { alerted, ...last }: Deletion,
  listeners: readonly ListenerRow[],
  rules: Omit<NotifyRules, 'statusOf'>,
): void {
  const occasion: Occasion = { ...last, isDeletion: true, statusCode: () => null };
  notify({ event: deletionEvent(rules.now), occasion, listeners, alerted }, rows, rules);
}

interface EventInput {
  readonly event: AlertEvent;
  readonly occasion: Occasion;
  readonly listeners: readonly ListenerRow[];
  /** What was alerted before. */
  readonly alerted: CheckState['alerted'];
}

function notify(
  { event, occasion, listeners, alerted }: EventInput,
  rows: ClosingRows,
  rules: Omit<NotifyRules, 'statusOf'>,
): { alertTypes: AlertType[]; deliveries: number; notified: readonly NotifiedTable[] } {
  const notifications = notificationsOf(
    event,
    listeners.map((row) => listenerOf(row, rules)),
  ) as ChannelNotification[];
  const types = alertTypesOf(event, notifications, alerted);
  const isCounted = (type: AlertType): boolean => isCountedAlert(event, type);
  const alertIds = new Map(
    types.map((alertType) => {
      const isOf = (notification: Notification): boolean =>
        notification.alertTypes.includes(alertType) || notification.held.includes(alertType);
      const channels = notifications.filter(isOf).length;
      const alert = { alertType, isCounted: isCounted(alertType), suppressor: null, channels };
      return [alertType, insertAlert(rows, alert, occasion, rules.now)];
    }),
  );
  const before = new Map(listeners.map((row) => [row.id, row]));
  const isNewToSomebody = types.some(isCounted) || notifications.some(isEscalated);
  const grouping = groupingOf(notifications, isNewToSomebody, occasion.context, rows.storms, rules);
  const notified = notifications.map((notification) => {
    const { is_grouped, alert_id } = before.get(notification.listener.alertChannelId) ?? {};
    const waitedFor = isEscalated(notification) ? (alert_id ?? null) : null;
    if (waitedFor !== null && notification.alertTypes.length > 0) {
      rows.countChannel({ account_id: idBytes(occasion.context.check.accountId), id: waitedFor });
    }
    const make = (alertType: AlertType): Delivery => {
      const alertId = alertIds.get(alertType) ?? (alertType === 'ALERT_SSL' ? null : idTextOrNull(waitedFor));
      return deliveryOf({ event, occasion, notification, alertType, alertId }, rules);
    };
    const opened = event.opens === null ? undefined : alertIds.get(event.opens);
    return sendTo(rows, {
      event,
      occasion,
      notification,
      wasGrouped: is_grouped === 1,
      waitsFor: opened === undefined ? (alert_id ?? null) : idBytes(opened),
      make,
      grouping,
      isCounted,
      now: rules.now,
    });
  });
  const deliveries = notifications.reduce((sum, { alertTypes, held }) => sum + alertTypes.length + held.length, 0);
  return { alertTypes: types, deliveries, notified };
}

interface NotificationToSend {
  readonly event: AlertEvent;
  readonly occasion: Occasion;
  readonly notification: ChannelNotification;
  /** Whether its open alert was grouped. */
  readonly wasGrouped: boolean;
  /** The alert of which it is notified later, if it waits. */
  readonly waitsFor: IdBytes | null;
  readonly make: (alertType: AlertType) => Delivery;
  readonly grouping: (channel: AlertChannel, alert: GroupableAlert) => boolean;
  readonly isCounted: (alertType: AlertType) => boolean;
  readonly now: number;
}

/** Adds the deliveries of a notification; returns what its channel is notified of then. */
function sendTo(
  rows: ClosingRows,
  { event, occasion, notification, wasGrouped, waitsFor, make, grouping, isCounted, now }: NotificationToSend,
): NotifiedTable {
  const { listener, alertTypes, held, message } = notification;
  const { accountId, id } = occasion.context.check;
  let isGrouped = notification.notified.open !== null && wasGrouped;
  let failureId: string | null = null;
  let { notified } = notification;
  // Reminders are counted from zero: earlier ones are of a previous state.
  if (listener.notified.reminders > notification.notified.reminders) {
    const { alertChannelId } = listener;
    rows.cancelReminders({ account_id: idBytes(accountId), check_id: idBytes(id), alert_channel_id: alertChannelId });
  }
  for (const alertType of alertTypes) {
    const delivery = make(alertType);
    if (alertType === 'ALERT_FAILURE') failureId = delivery.id;
    const isOpening = event.opens === alertType || isEscalated(notification);
    const isNews = (isCounted(alertType) || message !== null || isOpening) && !event.isPassing;
    const isCollected = delivery.id === collectedBy(notification);
    const isInDigest = !isCollected && grouping(listener.channel, { isNews, wasGrouped });
    if (!isInDigest) notified = { ...notified, flapping: knownAfter(delivery, { ...notification, notified }) };
    if (isCollected) rows.releaseDelivery(delivery);
    else rows.insertDelivery(isInDigest ? rows.storms.digested(delivery, isNews) : delivery);
    if (isOpening && alertType !== 'ALERT_SSL' && notification.reminder === null) isGrouped = isInDigest;
  }
  cancelUnneeded(rows, notification, accountId);
  const waiting = held.map(make);
  // The message that collects it is sent within ten minutes.
  failureId ??= waiting.findLast(({ alertType }) => alertType === 'ALERT_FAILURE')?.id ?? null;
  const flapping = holdAlerts(rows, { notified }, waiting, event.flapping?.dueAt ?? now);
  const known = { ...notification, notified: { ...notified, flapping } };
  return notifiedRow(occasion.context, known, { isGrouped, failureId, waitsFor });
}

const noChannel = (): boolean => false;

/** Which alerts are grouped. The storm of an account is read only if one of its channels could get digests. */
function groupingOf(
  notifications: readonly ChannelNotification[],
  isCounted: boolean,
  { check: { accountId, id }, accountAlertSettings }: CheckContext,
  storms: Storms,
  { now, isDigested = noChannel }: Pick<NotifyRules, 'now' | 'isDigested'>,
): NotificationToSend['grouping'] {
  if (isCounted) storms.note(accountId, id);
  const threshold = digestThresholdOf(accountAlertSettings);
  if (threshold === null) return noChannel;
  const isAny = notifications.some(
    ({ alertTypes, listener: { grouping, channel } }) => alertTypes.length > 0 && grouping && isDigested(channel.type),
  );
  if (!isAny) return noChannel;
  storms.begin(accountId, threshold, now);
  return (channel, alert) => channel.grouping && isDigested(channel.type) && storms.isGrouped(accountId, alert);
}

interface NewDelivery {
  readonly event: AlertEvent;
  readonly occasion: Occasion;
  readonly notification: ChannelNotification;
  readonly alertType: AlertType;
  readonly alertId: string | null;
}

function deliveryOf(
  { event, occasion, notification, alertType, alertId }: NewDelivery,
  { now, render }: Omit<NotifyRules, 'statusOf'>,
): Delivery {
  const { context, resultId, location, finding, incident, isDeletion } = occasion;
  const { open, notifiedAt } = notification.listener.notified;
  const { check } = context;
  const isStatus = alertType !== 'ALERT_SSL';
  const deliveryId = (isStatus ? collectedBy(notification) : null) ?? newId();
  const known = isStatus ? incidentFor(notification, incident, event.flapping) : null;
  const prepared = prepareSafely(render, {
    deliveryId,
    createdAt: now,
    alertType,
    reminder: isStatus ? notification.reminder : null,
    flapping: isStatus ? flappingFacts(notification, event) : null,
    channel: notification.listener.channel,
    isViaGroup: notification.listener.isViaGroup,
    context,
    resultId,
    location,
    finding,
    incident: known === null ? null : { ...known, isFirst: open === null || notifiedAt === neverSent },
    isDeletion,
  });
  return {
    accountId: check.accountId,
    id: deliveryId,
    alertChannelId: notification.listener.alertChannelId,
    alertId,
    checkId: check.id,
    checkResultId: resultId,
    alertType,
    status: 'pending',
    request: 'request' in prepared ? prepared.request : null,
    ...('content' in prepared && { content: prepared.content }),
    attempts: 0,
    createdAt: now,
    nextAttemptAt: now,
    replayOf: null,
    isTest: false,
    error: null,
    ...(prepared.isSuperseded === true && known !== null && { latestOf: known.id }),
  };
}
