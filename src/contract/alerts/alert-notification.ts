// Deliveries in the form that the reference clients read (reference §4.7: alert-notification).
import { z } from 'zod';
import { channelTypes } from './alert-channel.ts';
import { deliveryStatuses } from '#domain/deliveries/delivery.ts';
import { flag, instant, queryInstant, wholeNumber } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

export const alertNotification = z
  .strictObject({
    id: z.uuid().describe('ID of the delivery.'),
    type: z.enum(channelTypes),
    status: z.enum(deliveryStatuses),
    alertConfig: z.record(z.string(), z.string()).describe('Name, URL and method of the channel.'),
    notificationResult: z.string().describe('Outcome of the last attempt.'),
    timestamp: instant,
    checkType: z.string().nullable(),
    checkId: z.uuid().nullable(),
    checkAlertId: z.uuid().nullable(),
    alertChannelId: z.int(),
    checkResultId: z.uuid().nullable(),
  })
  .meta({ id: 'AlertNotification', description: 'Summary of a delivery.' });
export type AlertNotificationBody = z.output<typeof alertNotification>;

export const alertNotificationOperations = tagged('Deliveries', {
  listAlertNotifications: {
    method: 'GET',
    path: '/v1/alert-notifications',
    summary: 'List deliveries in the short form',
    description: 'Newest first. GET /v1/deliveries returns more details.',
    permission: 'read',
    query: pageQuery.extend({
      alertChannelId: wholeNumber(1, 999_999_999_999_999).exactOptional(),
      hasFailures: flag.exactOptional().describe('true = only deliveries that failed and are not retried.'),
      from: queryInstant.exactOptional().describe('Default: 24 hours before `to`.'),
      to: queryInstant.exactOptional().describe('Default: now.'),
    }),
    response: z.array(alertNotification),
    isPaged: true,
  },
} as const satisfies Untagged);
