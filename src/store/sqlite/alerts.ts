// Alerts and their deliveries: one delivery per channel that is told, in the transaction of the result.
import type { AlertChannel } from '#domain/alert-channel.ts';
import { type AlertType, sslDaysRemaining } from '#domain/alert.ts';
import type { CheckState, StateStep } from '#domain/check-state.ts';
import type { DeliveryFacts, EndedAttempt, Rendered } from '#domain/recording.ts';
import { type Listener, type Telling, tellingsOf } from '#domain/tell.ts';
import { newId } from '#lib/id.ts';
import { channelOf } from '../alert-channel-row.ts';
import { idBytes, json, parsedOrNull } from '../codec.ts';
import type { AlertChannelsTable, ToldTable } from '../schema.ts';
import type { Seal } from '../seal.ts';
import type { Connection } from './connection.ts';
import { insertDeliveryRow } from './delivery-rows.ts';

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

type ListenerWithChannel = Listener & { readonly channel: AlertChannel };

/** Tells every channel that has something to hear; answers with the alert types raised and the deliveries made. */
export function tellChannels(
  connection: Connection,
  input: TellInput,
  rules: TellRules,
): { alertTypes: AlertType[]; deliveries: number } {
  const { attempt, step, before } = input;
  const certificate = attempt.finding.certificate;
  const news = {
    opens: step.opens,
    isPassing: step.isMoved && step.state.status === 'passing',
    isMuted: attempt.rules.isMuted,
    certificate:
      certificate === null
        ? null
        : { fingerprint: certificate.fingerprint, daysRemaining: sslDaysRemaining(certificate, rules.now) },
  };
  const listeners = listenersOf(connection, attempt, rules.seal);
  const tellings = tellingsOf(news, listeners) as (Telling & { readonly listener: ListenerWithChannel })[];
  const types = new Set<AlertType>(tellings.flatMap((telling) => telling.alertTypes));
  if (step.opens !== null) types.add(step.opens);
  const isClosed = types.has('ALERT_RECOVERY') || types.has('ALERT_DEGRADED_RECOVERY');
  if (news.isPassing && before.alerted !== null && !isClosed) {
    types.add(before.alerted === 'failing' ? 'ALERT_RECOVERY' : 'ALERT_DEGRADED_RECOVERY');
  }
  const alertIds = new Map([...types].map((type) => [type, insertAlert(connection, type, input, rules)]));
  let deliveries = 0;
  for (const telling of tellings) {
    writeTold(connection, attempt, telling);
    for (const alertType of telling.alertTypes) {
      deliveries++;
      insertDelivery(connection, { input, telling, alertType, alertId: alertIds.get(alertType) ?? null }, rules);
    }
  }
  return { alertTypes: [...types], deliveries };
}

/**
 * Channels subscribed to the check or its group, and those that were told of something still open. CROSS JOIN makes SQLite
 * begin with those few instead of every channel of the account.
 */
function listenersOf(connection: Connection, { run, context }: EndedAttempt, seal: Seal): ListenerWithChannel[] {
  const accountId = idBytes(run.accountId);
  const checkId = idBytes(run.checkId);
  const rows = connection
    .prepare(
      `WITH listening AS (
         SELECT alert_channel_id AS id, 1 AS is_subscribed, 0 AS is_via_group FROM subscriptions
         WHERE account_id = ?1 AND check_id = ?2 AND activated = 1
         UNION ALL
         SELECT alert_channel_id, 1, 1 FROM subscriptions WHERE account_id = ?1 AND group_id = ?3 AND activated = 1
         UNION ALL
         SELECT alert_channel_id, 0, 0 FROM told WHERE account_id = ?1 AND check_id = ?2 AND open IS NOT NULL)
       SELECT c.*, t.open AS open, t.certificates AS certificates,
         max(l.is_subscribed) AS is_subscribed, max(l.is_via_group) AS is_via_group
       FROM listening l
       CROSS JOIN alert_channels c ON c.account_id = ?1 AND c.id = l.id
       LEFT JOIN told t ON t.account_id = ?1 AND t.check_id = ?2 AND t.alert_channel_id = l.id
       GROUP BY c.id ORDER BY c.id`,
    )
    .all(accountId, checkId, context.check.groupId) as unknown as (AlertChannelsTable &
    Pick<ToldTable, 'open' | 'certificates'> & { is_subscribed: number; is_via_group: number })[];
  return rows.map((row) => {
    const channel = channelOf(row, seal);
    return {
      ...channel,
      channel,
      alertChannelId: row.id,
      isSubscribed: row.is_subscribed === 1,
      isViaGroup: row.is_via_group === 1,
      told: {
        open: row.open as Listener['told']['open'],
        certificates: parsedOrNull<Listener['told']['certificates']>(row.certificates) ?? {},
      },
    };
  });
}

function writeTold(connection: Connection, { run }: EndedAttempt, { listener, told }: Telling): void {
  connection
    .prepare(
      `INSERT INTO told (account_id, check_id, alert_channel_id, open, certificates) VALUES (?, ?, ?, ?, ?) ON CONFLICT (account_id, check_id, alert_channel_id)
       DO UPDATE SET open = excluded.open, certificates = excluded.certificates`,
    )
    .run(
      idBytes(run.accountId),
      idBytes(run.checkId),
      listener.alertChannelId,
      told.open,
      Object.keys(told.certificates).length === 0 ? null : json(told.certificates),
    );
}

function insertAlert(
  connection: Connection,
  alertType: AlertType,
  { attempt, resultId }: TellInput,
  rules: TellRules,
): string {
  const { run, finding, context } = attempt;
  const id = newId();
  connection
    .prepare(
      `INSERT INTO alerts (account_id, id, check_id, result_id, alert_type, check_name, check_type, location,
         response_us, error, status_code, started_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      idBytes(run.accountId),
      idBytes(id),
      idBytes(run.checkId),
      idBytes(resultId),
      alertType,
      context.check.name,
      context.check.checkType,
      run.location,
      finding.responseTimeMs === null ? null : Math.round(finding.responseTimeMs * 1000),
      finding.message,
      rules.statusOf(attempt),
      Math.trunc(finding.startedAt),
      rules.now,
    );
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
  readonly telling: Telling & { readonly listener: ListenerWithChannel };
  readonly alertType: AlertType;
  readonly alertId: string | null;
}

function insertDelivery(connection: Connection, delivery: NewDelivery, rules: TellRules): void {
  const { input, telling, alertType, alertId } = delivery;
  const { run, context, finding } = input.attempt;
  const deliveryId = newId();
  const rendered = renderSafely(rules.render, {
    deliveryId,
    createdAt: rules.now,
    alertType,
    channel: telling.listener.channel,
    isViaGroup: telling.listener.isViaGroup,
    context,
    resultId: input.resultId,
    location: run.location,
    finding,
  });
  const isRendered = 'request' in rendered;
  insertDeliveryRow(connection, {
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
  });
}
