// Deliveries and their attempts on the wire (decisions: Resources of our own).
import { z } from 'zod';
import { alertTypes } from './check-status.ts';
import { instant, pathUuid, queryInstant, wholeNumber } from './fields.ts';
import type { Operations } from './operation.ts';
import { pageQuery } from './paging.ts';

export const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'refused', 'failed', 'cancelled'] as const;

const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** A request as sent or to be sent. */
export const sentRequest = z.strictObject({
  method: z.string(),
  url: z.string(),
  headers,
  body: z.string().exactOptional().describe('Left out in lists.'),
});

/** The answer of a receiver. */
export const receivedResponse = z.strictObject({
  status: z.int(),
  headers,
  body: z.string().exactOptional().describe('The first 16 kB. Left out in lists.'),
});

/** Why there was no good answer. */
export const attemptError = z.strictObject({
  class: z.string().describe('One of a closed list.'),
  message: z.string(),
});

const attempt = z
  .strictObject({
    number: z.int().describe('From 1; an interrupted attempt and its repeat share a number.'),
    startedAt: instant,
    durationMs: z.number(),
    request: sentRequest,
    response: receivedResponse.exactOptional(),
    error: attemptError.exactOptional(),
    note: z
      .string()
      .exactOptional()
      .describe(
        'What is odd about the attempt: an answer that counts as delivered and is a redirect, which is not followed; a request that went out twice, because the connection that was kept was lost as it was used again.',
      ),
    nextAttemptAt: instant.exactOptional(),
  })
  .meta({ id: 'Attempt' });

export const delivery = z
  .strictObject({
    id: z.uuid().describe('Constant over retries: sent as x-service-delivery-id.'),
    alertChannelId: z.int(),
    checkId: z.uuid().nullable(),
    checkResultId: z.uuid().nullable(),
    alertType: z.enum(alertTypes),
    status: z.enum(deliveryStatuses).describe('failed = it could not be rendered; refused = by the egress policy.'),
    isTest: z.boolean(),
    error: z.string().exactOptional().describe('Why it could not be rendered, or is not tried again.'),
    createdAt: instant,
    nextAttemptAt: instant.exactOptional(),
    replayOf: z.uuid().exactOptional().describe('The delivery that this one repeats.'),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery', description: 'One alert on its way to one channel.' });
export type DeliveryBody = z.output<typeof delivery>;

const listQuery = pageQuery.extend({
  alertChannelId: wholeNumber(1, 999_999_999_999_999).exactOptional(),
  checkId: pathUuid('Only deliveries that tell of this check.').exactOptional(),
  status: z.enum(deliveryStatuses).exactOptional(),
  from: queryInstant.exactOptional(),
  to: queryInstant.exactOptional(),
});
export type DeliveryQuery = z.output<typeof listQuery>;

const params = z.object({ id: pathUuid('Id of the delivery.') });
const tag = 'Deliveries';
const unknown = { 404: 'There is no delivery of that id.' };
const one = { tag, params, response: delivery } as const;
const ended = { ...unknown, 409: 'It has ended already: replay it instead.' };

export const deliveryOperations = {
  listDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    summary: 'List all deliveries',
    description: 'Newest first, without the bodies of their attempts.',
    tag,
    permission: 'read',
    query: listQuery,
    status: 200,
    response: z.array(delivery),
    isPaged: true,
  },
  getDelivery: {
    ...one,
    method: 'GET',
    path: '/v1/deliveries/{id}',
    summary: 'Read a delivery with every attempt',
    permission: 'read',
    status: 200,
    alsoAnswers: unknown,
  },
  retryDelivery: {
    ...one,
    method: 'POST',
    path: '/v1/deliveries/{id}/retry',
    summary: 'Try a pending delivery again now',
    permission: 'write',
    status: 200,
    alsoAnswers: ended,
  },
  cancelDelivery: {
    ...one,
    method: 'POST',
    path: '/v1/deliveries/{id}/cancel',
    summary: 'End a pending delivery',
    permission: 'write',
    status: 200,
    alsoAnswers: ended,
  },
  replayDelivery: {
    ...one,
    method: 'POST',
    path: '/v1/deliveries/{id}/replay',
    summary: 'Send a delivery that has ended once more, as a new one',
    permission: 'write',
    status: 201,
    alsoAnswers: { ...unknown, 409: 'It has not ended yet.' },
  },
} as const satisfies Operations;
