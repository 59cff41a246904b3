// Deliveries and their attempts in the API (decisions: Resources of our own).
import { z } from 'zod';
import { alertTypes } from '#domain/alerts/alert.ts';
import { deliveryStatuses } from '#domain/deliveries/delivery.ts';
import { instant, pathUuid, queryInstant, wholeNumber } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** A request as sent or to be sent. */
export const sentRequest = z.strictObject({
  method: z.string(),
  url: z.string(),
  headers,
  body: z.string().exactOptional().describe('Omitted in lists.'),
});

/** The response of a receiver. */
export const receivedResponse = z.strictObject({
  status: z.int(),
  headers,
  body: z.string().exactOptional().describe('First 16 kB. Omitted in lists.'),
});

/** Why the attempt failed. */
export const attemptError = z.strictObject({
  class: z.string().describe('Error code. The list of codes is closed.'),
  message: z.string(),
});

const attempt = z
  .strictObject({
    number: z.int().describe('Starts at 1. An interrupted attempt and its repetition have the same number.'),
    startedAt: instant,
    durationMs: z.number(),
    request: sentRequest,
    response: receivedResponse.exactOptional(),
    error: attemptError.exactOptional(),
    note: z
      .string()
      .exactOptional()
      .describe(
        'Note on the attempt: a redirect, which counts as delivered and is not followed; a problem in the response body; a delay requested by the receiver; or a request sent twice because a reused connection was lost.',
      ),
    nextAttemptAt: instant.exactOptional(),
  })
  .meta({ id: 'Attempt' });

export const delivery = z
  .strictObject({
    id: z.uuid().describe('The same for all retries. Sent as x-service-delivery-id.'),
    alertChannelId: z.int().describe('0 = emails to subscribers of status pages.'),
    checkId: z.uuid().nullable(),
    checkResultId: z.uuid().nullable(),
    alertType: z.enum(alertTypes).nullable().describe('null = a report on the account, or a change of a status page.'),
    status: z
      .enum(deliveryStatuses)
      .describe(
        '`failed`: the delivery could not be rendered, or a mail server rejected its address. `refused`: the egress policy forbids the request. `collecting`: a grouped notification that further alerts join until `nextAttemptAt`. `digested`: the alert is in the grouped notification `digestId`. `superseded`: a newer message was sent instead. Deliveries to webhooks are superseded only as reminders that wait for active hours.',
      ),
    isTest: z.boolean(),
    error: z
      .string()
      .exactOptional()
      .describe(
        'Why the delivery could not be rendered, is not retried, or has not started because its receiver requested a delay.',
      ),
    createdAt: instant,
    nextAttemptAt: instant.exactOptional(),
    replayOf: z.uuid().exactOptional().describe('The delivery that this one replays.'),
    digestId: z.uuid().exactOptional().describe('The delivery of the grouped notification that this alert is in.'),
    digestStatus: z.enum(deliveryStatuses).exactOptional().describe('The status of that notification.'),
    routedFrom: z
      .int()
      .exactOptional()
      .describe('The channel in whose place `alertChannelId` sends, outside of its active hours.'),
    isDigest: z
      .literal(true)
      .exactOptional()
      .describe('A grouped notification of several alerts. List them with `digestId`.'),
    pageChangeId: z.uuid().exactOptional().describe('The change of a status page that it is about.'),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery', description: 'A delivery of one alert to one channel.' });
export type DeliveryBody = z.output<typeof delivery>;

const listQuery = pageQuery.extend({
  alertChannelId: wholeNumber(0, 999_999_999_999_999)
    .exactOptional()
    .describe('0 = emails to subscribers of status pages.'),
  checkId: pathUuid('Only deliveries about this check.').exactOptional(),
  status: z
    .enum([...deliveryStatuses, 'lost'])
    .exactOptional()
    .describe('`lost`: not received, i.e. `exhausted`, `refused` or `failed`.'),
  digestId: pathUuid('Only alerts in this grouped notification.').exactOptional(),
  from: queryInstant.exactOptional(),
  to: queryInstant.exactOptional(),
});
export type DeliveryQuery = z.output<typeof listQuery>;

const params = z.object({ id: pathUuid('ID of the delivery.') });
const unknown = { 404: 'Unknown delivery.' };
const one = { params, response: delivery } as const;
const ended = { ...unknown, 409: 'The delivery has finished. Replay it instead.' };

const heldDeliveries = z
  .strictObject({
    isHeld: z.boolean(),
    since: instant.nullable(),
    reason: z.enum(['restore', 'setting']).nullable().describe('`setting`: TOCSIN_DELIVERIES=held.'),
    backupAt: instant.nullable().describe('Time of the newest data in the restored backup.'),
    waiting: z.int().describe('Waiting deliveries of all accounts.'),
    released: z.int().exactOptional().describe('Number of deliveries released by this call.'),
    discarded: z.int().exactOptional().describe('Number of deliveries cancelled by this call.'),
  })
  .meta({ id: 'HeldDeliveries', description: 'Whether deliveries are held.' });
export type HeldDeliveriesBody = z.output<typeof heldDeliveries>;

const common = { permission: 'operate', response: heldDeliveries } as const;

export const deliveryOperations = tagged('Deliveries', {
  listDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    summary: 'List all deliveries',
    description: 'Newest first, without request and response bodies.',
    permission: 'read',
    query: listQuery,
    response: z.array(delivery),
    isPaged: true,
  },
  getDelivery: {
    ...one,
    method: 'GET',
    path: '/v1/deliveries/{id}',
    summary: 'Get a delivery with all attempts',
    permission: 'read',
    alsoAnswers: unknown,
  },
  retryDelivery: {
    ...one,
    method: 'POST',
    path: '/v1/deliveries/{id}/retry',
    summary: 'Retry a pending delivery now',
    description: 'If the receiver requested a delay, the delay ends for the whole channel.',
    permission: 'write',
    alsoAnswers: ended,
  },
  cancelDelivery: {
    ...one,
    method: 'POST',
    path: '/v1/deliveries/{id}/cancel',
    summary: 'Cancel a pending delivery',
    permission: 'write',
    alsoAnswers: ended,
  },
  replayDelivery: {
    ...one,
    method: 'POST',
    path: '/v1/deliveries/{id}/replay',
    summary: 'Replay a finished delivery as a new one',
    permission: 'write',
    status: 201,
    alsoAnswers: { ...unknown, 409: 'The delivery has not finished.' },
  },
  getHeldDeliveries: {
    ...common,
    method: 'GET',
    path: '/v1/held-deliveries',
    summary: 'Get whether deliveries are held',
    description:
      'After `restore`, or with TOCSIN_DELIVERIES=held, deliveries of all accounts wait until they are released or discarded.',
  },
  releaseHeldDeliveries: {
    ...common,
    method: 'POST',
    path: '/v1/held-deliveries/release',
    summary: 'Release held deliveries',
  },
  discardHeldDeliveries: {
    ...common,
    method: 'POST',
    path: '/v1/held-deliveries/discard',
    summary: 'Cancel held deliveries and resume sending',
  },
} as const satisfies Untagged);
