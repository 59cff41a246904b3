// Deliveries as the reference clients read them (reference §4.7: alert-notification).
import { z } from 'zod';
import { channelTypes } from './alert-channel.ts';
import { deliveryStatuses } from './delivery.ts';
import { flag, instant, queryInstant, wholeNumber } from '#lib/schema/fields.ts';
import type { Operations } from '../operation.ts';
import { pageQuery } from '../paging.ts';

export const alertNotification = z
  .strictObject({
    id: z.uuid().describe('Id of the delivery.'),
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
  .meta({ id: 'AlertNotification', description: 'An alert on its way to a channel, in short.' });
export type AlertNotificationBody = z.output<typeof alertNotification>;

export const alertNotificationOperations = {
  listAlertNotifications: {
    method: 'GET',
    path: '/v1/alert-notifications',
    summary: 'List what was sent to alert channels',
    description: 'Newest first. GET /v1/deliveries tells more of the same.',
    tag: 'Deliveries',
    permission: 'read',
    query: pageQuery.extend({
      alertChannelId: wholeNumber(1, 999_999_999_999_999).exactOptional(),
      hasFailures: flag.exactOptional().describe('true = those that did not arrive and are not tried again.'),
      from: queryInstant.exactOptional().describe('Default: 24 hours before `to`.'),
      to: queryInstant.exactOptional().describe('Default: now.'),
    }),
    status: 200,
    response: z.array(alertNotification),
    isPaged: true,
  },
} as const satisfies Operations;
