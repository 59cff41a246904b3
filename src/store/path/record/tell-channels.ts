// Alerts and their deliveries: one delivery per channel that is told, in the transaction of the result or of the deletion.
// The decisions, written once for every engine.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import type { CheckState, StateStep } from '#domain/checks/check-state.ts';
import type { Delivery } from '#domain/alerts/delivery.ts';
import type { CheckContext, DeliveryFacts, EndedAttempt, Prepared } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import {
  type Listener,
  type News,
  newsOf,
  newsOfCertificate,
  newsOfDeletion,
  type Telling,
  tellingsOf,
} from '#domain/alerts/tell.ts';
import { newId } from '#lib/id.ts';
import { channelOf } from '../../channels/alert-channel-row.ts';
import { idBytes, json, parsedOrNull } from '../../base/codec.ts';
import type { AlertChannelsTable, AlertsTable, ToldTable } from '../../base/tables/schema.ts';
import type { Seal } from '../../base/seal.ts';

/** How deliveries are made. */
export interface TellRules {
  /** Epoch ms. */
  readonly now: number;
  readonly seal: Seal;
  readonly render: (facts: DeliveryFacts) => Prepared;
  /** The status code in a finding's details, for the alert's record. */
  readonly statusOf: (attempt: EndedAttempt) => number | null;
}

/** A result that may be news. */
export interface TellInput {
  readonly attempt: EndedAttempt;
  readonly resultId: string;
  readonly before: CheckState;
  readonly step: StateStep;
}

/** A channel subscribed to the check or its group, or told of something still open, and what it was told. */
export type ListenerRow = AlertChannelsTable &
  Pick<ToldTable, 'open' | 'told_at' | 'reminders' | 'certificates'> & {
    readonly is_subscribed: number;
    readonly is_via_group: number;
  };

/** The rows that telling reads and writes. */
export interface TellRows {
  /** In the order of their ids. */
  listeners(attempt: EndedAttempt): readonly ListenerRow[];
  writeTold(row: ToldTable): void;
  insertAlert(row: AlertsTable): void;
  insertDelivery(delivery: Delivery): void;
  /** Cancels the pending reminders of a check at a channel. */
  cancelReminders(reminders: RemindersOf): void;
}

/** Whose reminders. */
export type RemindersOf = Pick<ToldTable, 'account_id' | 'check_id' | 'alert_channel_id'>;

/** A check that is deleted, and the last that was known of it. */
export interface Deletion {
  readonly context: CheckContext;
  readonly resultId: string;
  readonly location: string;
  readonly finding: Finding;
  readonly alerted: CheckState['alerted'];
}

/** What deliveries and alerts tell of: a check, and a result of it. */
interface Occasion extends Pick<Deletion, 'context' | 'resultId' | 'location' | 'finding'> {
  readonly isDeletion: boolean;
  readonly statusCode: () => number | null;
}

type ListenerWithChannel = Listener & { readonly channel: AlertChannel };
type ChannelTelling = Telling & { readonly listener: ListenerWithChannel };

/** Tells every channel that has something to hear; answers with the alert types raised and the deliveries made. */
export function tellChannels(
  rows: TellRows,
  input: TellInput,
  rules: TellRules,
): { alertTypes: AlertType[]; deliveries: number } {
  const { attempt, resultId, before, step } = input;
  const { context, finding } = attempt;
  const occasion: Occasion = {
    context,
    resultId,
    location: attempt.run.location,
    finding,
    isDeletion: false,
    statusCode: () => rules.statusOf(attempt),
  };
  const told = new Map<number, ToldTable>();
  const types = new Set<AlertType>();
  let deliveries = 0;
  let listeners = rows.listeners(attempt);
  const raise = (news: News, certificate: Finding['certificate']): void => {
    const tale = { news, occasion: { ...occasion, finding: { ...finding, certificate } }, listeners };
    const raised = tell({ ...tale, alerted: before.alerted }, rows, rules);
    for (const type of raised.alertTypes) types.add(type);
    deliveries += raised.deliveries;
    for (const telling of raised.tellings) told.set(telling.listener.alertChannelId, toldRow(context, telling));
    listeners = listeners.map((row) => {
      const { open, told_at, reminders, certificates } = told.get(row.id) ?? row;
      return { ...row, open, told_at, reminders, certificates };
    });
  };
  const { certificate, otherCertificates = [] } = finding;
  raise(newsOf({ step, rules: attempt.rules, certificate }, rules.now), certificate);
  for (const other of otherCertificates) raise(newsOfCertificate(other, attempt.rules.isMuted, rules.now), other);
  for (const row of told.values()) rows.writeTold(row);
  return { alertTypes: [...types], deliveries };
}

type ClosingRows = Pick<TellRows, 'insertAlert' | 'insertDelivery' | 'cancelReminders'>;

/** Tells every channel that was told of something open of its end; what was told of the check is the caller's to delete. */
export function tellDeletion(
  rows: ClosingRows,
  { alerted, ...last }: Deletion,
  listeners: readonly ListenerRow[],
  rules: Omit<TellRules, 'statusOf'>,
): void {
  const occasion: Occasion = { ...last, isDeletion: true, statusCode: () => null };
  tell({ news: newsOfDeletion(rules.now), occasion, listeners, alerted }, rows, rules);
}

interface Tale {
  readonly news: News;
  readonly occasion: Occasion;
  readonly listeners: readonly ListenerRow[];
  /** What was alerted of before. */
  readonly alerted: CheckState['alerted'];
}

function tell(
  { news, occasion, listeners, alerted }: Tale,
  rows: ClosingRows,
  rules: Omit<TellRules, 'statusOf'>,
): { alertTypes: AlertType[]; deliveries: number; tellings: readonly ChannelTelling[] } {
  const tellings = tellingsOf(
    news,
    listeners.map((row) => listenerOf(row, rules.seal)),
  ) as ChannelTelling[];
  const types = new Set<AlertType>(tellings.flatMap((telling) => telling.alertTypes));
  if (news.opens !== null) types.add(news.opens);
  const isClosed = types.has('ALERT_RECOVERY') || types.has('ALERT_DEGRADED_RECOVERY');
  if (news.isPassing && alerted !== null && !isClosed) {
    types.add(alerted === 'failing' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY');
  }
  const alertIds = new Map([...types].map((type) => [type, insertAlert(rows, type, occasion, rules.now)]));
  let deliveries = 0;
  for (const telling of tellings) {
    // Reminders are counted anew: those so far are of a state that is over.
    if (telling.listener.told.reminders > telling.told.reminders) {
      const { account_id, check_id, alert_channel_id } = toldRow(occasion.context, telling);
      rows.cancelReminders({ account_id, check_id, alert_channel_id });
    }
    for (const alertType of telling.alertTypes) {
      deliveries++;
      const alertId = alertIds.get(alertType) ?? null;
      rows.insertDelivery(deliveryOf({ occasion, telling, alertType, alertId }, rules));
    }
  }
  return { alertTypes: [...types], deliveries, tellings };
}

function listenerOf(row: ListenerRow, seal: Seal): ListenerWithChannel {
  const channel = channelOf(row, seal);
  return {
    ...channel,
    channel,
    alertChannelId: row.id,
    isSubscribed: row.is_subscribed === 1,
    isViaGroup: row.is_via_group === 1,
    told: {
      open: row.open as Listener['told']['open'],
      toldAt: row.told_at,
      reminders: row.reminders ?? 0,
      certificates: parsedOrNull<Listener['told']['certificates']>(row.certificates) ?? {},
    },
  };
}

function toldRow({ check }: CheckContext, { listener, told }: Telling): ToldTable {
  return {
    account_id: idBytes(check.accountId),
    check_id: idBytes(check.id),
    alert_channel_id: listener.alertChannelId,
    open: told.open,
    told_at: told.toldAt,
    reminders: told.reminders,
    certificates: Object.keys(told.certificates).length === 0 ? null : json(told.certificates),
  };
}

function insertAlert(
  rows: Pick<TellRows, 'insertAlert'>,
  alertType: AlertType,
  { context: { check }, resultId, location, finding, statusCode }: Occasion,
  now: number,
): string {
  const id = newId();
  rows.insertAlert({
    account_id: idBytes(check.accountId),
    id: idBytes(id),
    check_id: idBytes(check.id),
    result_id: idBytes(resultId),
    alert_type: alertType,
    check_name: check.name,
    check_type: check.checkType,
    location,
    response_us: finding.responseTimeMs === null ? null : Math.round(finding.responseTimeMs * 1000),
    error: finding.message,
    status_code: statusCode(),
    started_at: Math.trunc(finding.startedAt),
    created_at: now,
  });
  return id;
}

/** A fault of the renderer costs its own delivery, which shows it, never the result and its other deliveries. */
function renderSafely(render: TellRules['render'], facts: DeliveryFacts): Prepared {
  try {
    return render(facts);
  } catch (cause) {
    return { error: `The delivery could not be rendered: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
}

interface NewDelivery {
  readonly occasion: Occasion;
  readonly telling: ChannelTelling;
  readonly alertType: AlertType;
  readonly alertId: string | null;
}

function deliveryOf(
  { occasion, telling, alertType, alertId }: NewDelivery,
  { now, render }: Omit<TellRules, 'statusOf'>,
): Delivery {
  const { context, resultId, location, finding, isDeletion } = occasion;
  const { check } = context;
  const deliveryId = newId();
  const rendered = renderSafely(render, {
    deliveryId,
    createdAt: now,
    alertType,
    reminder: alertType === 'ALERT_SSL' ? null : telling.reminder,
    channel: telling.listener.channel,
    isViaGroup: telling.listener.isViaGroup,
    context,
    resultId,
    location,
    finding,
    isDeletion,
  });
  const error = 'error' in rendered ? rendered.error : null;
  return {
    accountId: check.accountId,
    id: deliveryId,
    alertChannelId: telling.listener.alertChannelId,
    alertId,
    checkId: check.id,
    checkResultId: resultId,
    alertType,
    status: error === null ? 'pending' : 'failed',
    request: 'request' in rendered ? rendered.request : null,
    ...('content' in rendered && { content: rendered.content }),
    attempts: 0,
    createdAt: now,
    nextAttemptAt: error === null ? now : null,
    replayOf: null,
    isTest: false,
    error,
  };
}
