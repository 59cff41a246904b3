// Alerts and their deliveries: one delivery per channel that is told, in the transaction of the result. The decisions,
// written once for every engine.
import type { AlertChannel } from '#domain/alert-channel.ts';
import { type AlertType, sslDaysRemaining } from '#domain/alert.ts';
import type { CheckState, StateStep } from '#domain/check-state.ts';
import type { Delivery } from '#domain/delivery.ts';
import type { DeliveryFacts, EndedAttempt, Rendered } from '#domain/recording.ts';
import { type Listener, type News, type Telling, tellingsOf } from '#domain/tell.ts';
import { newId } from '#lib/id.ts';
import { channelOf } from './alert-channel-row.ts';
import { idBytes, json, parsedOrNull } from './codec.ts';
import type { AlertChannelsTable, AlertsTable, ToldTable } from './schema.ts';
import type { Seal } from './seal.ts';

/** How deliveries are made. */
export interface TellRules {
  /** Epoch ms. */
  readonly now: number;
  readonly seal: Seal;
  readonly render: (facts: DeliveryFacts) => Rendered;
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
}

type ListenerWithChannel = Listener & { readonly channel: AlertChannel };
type ChannelTelling = Telling & { readonly listener: ListenerWithChannel };

/** Tells every channel that has something to hear; answers with the alert types raised and the deliveries made. */
export function tellChannels(
  rows: TellRows,
  input: TellInput,
  rules: TellRules,
): { alertTypes: AlertType[]; deliveries: number } {
  const { attempt, step, before } = input;
  const news = newsOf(input, rules.now);
  const listeners = rows.listeners(attempt).map((row) => listenerOf(row, rules.seal));
  const tellings = tellingsOf(news, listeners) as ChannelTelling[];
  const types = new Set<AlertType>(tellings.flatMap((telling) => telling.alertTypes));
  if (step.opens !== null) types.add(step.opens);
  const isClosed = types.has('ALERT_RECOVERY') || types.has('ALERT_DEGRADED_RECOVERY');
  if (news.isPassing && before.alerted !== null && !isClosed) {
    types.add(before.alerted === 'failing' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY');
  }
  const alertIds = new Map([...types].map((type) => [type, insertAlert(rows, type, input, rules)]));
  let deliveries = 0;
  for (const telling of tellings) {
    rows.writeTold(toldRow(attempt, telling));
    for (const alertType of telling.alertTypes) {
      deliveries++;
      rows.insertDelivery(deliveryOf({ input, telling, alertType, alertId: alertIds.get(alertType) ?? null }, rules));
    }
  }
  return { alertTypes: [...types], deliveries };
}

function newsOf({ attempt, step }: TellInput, now: number): News {
  const { certificate } = attempt.finding;
  return {
    opens: step.opens,
    isPassing: step.isMoved && step.state.status === 'passing',
    isMuted: attempt.rules.isMuted,
    now,
    status: step.state.status,
    reminders: attempt.rules.reminders,
    certificate:
      certificate === null
        ? null
        : { fingerprint: certificate.fingerprint, daysRemaining: sslDaysRemaining(certificate, now) },
  };
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

function toldRow({ run }: EndedAttempt, { listener, told }: Telling): ToldTable {
  return {
    account_id: idBytes(run.accountId),
    check_id: idBytes(run.checkId),
    alert_channel_id: listener.alertChannelId,
    open: told.open,
    told_at: told.toldAt,
    reminders: told.reminders,
    certificates: Object.keys(told.certificates).length === 0 ? null : json(told.certificates),
  };
}

function insertAlert(rows: TellRows, alertType: AlertType, { attempt, resultId }: TellInput, rules: TellRules): string {
  const { run, finding, context } = attempt;
  const id = newId();
  rows.insertAlert({
    account_id: idBytes(run.accountId),
    id: idBytes(id),
    check_id: idBytes(run.checkId),
    result_id: idBytes(resultId),
    alert_type: alertType,
    check_name: context.check.name,
    check_type: context.check.checkType,
    location: run.location,
    response_us: finding.responseTimeMs === null ? null : Math.round(finding.responseTimeMs * 1000),
    error: finding.message,
    status_code: rules.statusOf(attempt),
    started_at: Math.trunc(finding.startedAt),
    created_at: rules.now,
  });
  return id;
}

/** A fault of the renderer costs its own delivery, which shows it, never the result and its other deliveries. */
function renderSafely(render: TellRules['render'], facts: DeliveryFacts): Rendered {
  try {
    return render(facts);
  } catch (cause) {
    return { error: `could not be rendered: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
}

interface NewDelivery {
  readonly input: TellInput;
  readonly telling: ChannelTelling;
  readonly alertType: AlertType;
  readonly alertId: string | null;
}

function deliveryOf({ input, telling, alertType, alertId }: NewDelivery, rules: TellRules): Delivery {
  const { run, context, finding } = input.attempt;
  const deliveryId = newId();
  const rendered = renderSafely(rules.render, {
    deliveryId,
    createdAt: rules.now,
    alertType,
    reminder: alertType === 'ALERT_SSL' ? null : telling.reminder,
    channel: telling.listener.channel,
    isViaGroup: telling.listener.isViaGroup,
    context,
    resultId: input.resultId,
    location: run.location,
    finding,
  });
  const isRendered = 'request' in rendered;
  return {
    accountId: run.accountId,
    id: deliveryId,
    alertChannelId: telling.listener.alertChannelId,
    alertId,
    checkId: run.checkId,
    checkResultId: input.resultId,
    alertType,
    status: isRendered ? 'pending' : 'failed',
    request: isRendered ? rendered.request : null,
    attempts: 0,
    createdAt: rules.now,
    nextAttemptAt: isRendered ? rules.now : null,
    replayOf: null,
    isTest: false,
    error: isRendered ? null : rendered.error,
  };
}
