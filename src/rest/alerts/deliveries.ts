// Routes of deliveries (decisions: Resources of our own).
import type { AlertNotificationActions, Notification } from '#actions/alerts/alert-notifications.ts';
import type { DeliveryActions, DeliveryFilter, LoggedDelivery } from '#actions/alerts/deliveries.ts';
import type { AlertNotificationBody } from '#contract/alerts/alert-notification.ts';
import type { DeliveryBody, DeliveryQuery } from '#contract/alerts/delivery.ts';
import { type Attempt, attemptNote, type Delivery } from '#domain/deliveries/delivery.ts';
import { lostStatuses } from '#domain/deliveries/delivery-purpose.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';
import { given, isoText } from '../wire.ts';

export function deliveryRoutes(actions: DeliveryActions, notifications: AlertNotificationActions): Route[] {
  return [
    route('listDeliveries', async ({ caller, query }) =>
      pageOf(await actions.list(caller, filterOf(query), sliceOf(query)), ({ delivery, log }) =>
        deliveryToWire(delivery, log, 'without bodies'),
      ),
    ),
    route('getDelivery', async ({ caller, params }) => logged(await actions.find(caller, params.id))),
    route('retryDelivery', async ({ caller, params }) => logged(await actions.retry(caller, params.id))),
    route('cancelDelivery', async ({ caller, params, signal }) =>
      logged(await actions.cancel(caller, params.id, signal)),
    ),
    route('replayDelivery', async ({ caller, params }) => logged(await actions.replay(caller, params.id))),
    route('replayAlertChannel', async ({ caller, params, body }) => ({
      count: await actions.replayLost(caller, params.id, body.since),
    })),
    route('listAlertNotifications', async ({ caller, query }) =>
      pageOf(await notifications.list(caller, query, sliceOf(query)), notificationToWire),
    ),
  ];
}

function filterOf({ status, ...filter }: DeliveryQuery): DeliveryFilter {
  return { ...filter, ...(status !== undefined && { statuses: status === 'lost' ? lostStatuses : [status] }) };
}

function logged({ delivery, log }: LoggedDelivery): DeliveryBody {
  return deliveryToWire(delivery, log);
}

/** A delivery with its attempts, as all operations return it. */
export function deliveryToWire(
  delivery: Delivery,
  log: readonly Attempt[],
  bodies: 'with bodies' | 'without bodies' = 'with bodies',
): DeliveryBody {
  const { error, nextAttemptAt, replayOf, createdAt, digestId, digestStatus, isDigest } = delivery;
  return {
    id: delivery.id,
    alertChannelId: delivery.alertChannelId,
    checkId: delivery.checkId,
    checkResultId: delivery.checkResultId,
    alertType: delivery.alertType,
    status: delivery.status,
    isTest: delivery.isTest,
    ...given({ error }),
    createdAt: isoText(createdAt),
    ...(nextAttemptAt !== null && { nextAttemptAt: isoText(nextAttemptAt) }),
    ...given({ replayOf, digestId, digestStatus, isDigest: isDigest || null }),
    ...given({ routedFrom: delivery.routedFrom, pageChangeId: delivery.pageChangeId }),
    attempts: log.map((attempt) => ({
      number: attempt.number,
      startedAt: isoText(attempt.startedAt),
      durationMs: attempt.durationMs,
      ...exchangeToWire(delivery, attempt, bodies),
      ...noteToWire(attempt),
      ...(attempt.nextAttemptAt !== null && { nextAttemptAt: isoText(attempt.nextAttemptAt) }),
    })),
  };
}

function noteToWire(attempt: Attempt): Pick<DeliveryBody['attempts'][number], 'note'> {
  const note = attemptNote(attempt);
  return note === null ? {} : { note };
}

/** Request and response of an attempt. */
export function exchangeToWire(
  { request }: Delivery,
  { headers, response, error }: Attempt,
  bodies: 'with bodies' | 'without bodies' = 'with bodies',
): Pick<DeliveryBody['attempts'][number], 'request' | 'response' | 'error'> {
  const isWhole = bodies === 'with bodies';
  return {
    request: {
      method: request?.method ?? '',
      url: request?.url ?? '',
      headers: joined(headers),
      ...(isWhole && { body: request?.body ?? '' }),
    },
    ...(response !== null && {
      response: { status: response.status, headers: response.headers, ...(isWhole && { body: response.body }) },
    }),
    ...(error !== null && { error }),
  };
}

/** Headers by name; a repeated header has a list of values. */
function joined(headers: Attempt['headers']): Record<string, string | string[]> {
  const groups = Map.groupBy(headers, ([name]) => name);
  return Object.fromEntries(
    [...groups].map(([name, pairs]) => {
      const values = pairs.map(([, value]) => value);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

function notificationToWire(row: Notification): AlertNotificationBody {
  const { delivery } = row;
  return {
    id: delivery.id,
    type: row.channelType,
    status: delivery.status,
    alertConfig: { ...row.alertConfig },
    notificationResult: row.result,
    timestamp: isoText(delivery.createdAt),
    checkType: row.checkType,
    checkId: delivery.checkId,
    checkAlertId: delivery.alertId,
    alertChannelId: delivery.alertChannelId,
    checkResultId: delivery.checkResultId,
  };
}
