// Subscriptions to status pages in the API (reference §4.7).
import { z } from 'zod';
import { mostServicesOfPage } from '#domain/status-pages/status-page.ts';
import { emailOf } from '#domain/status-pages/status-subscriber.ts';
import { instant, pathUuid } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { cursorPage, cursorQuery } from '../paging.ts';
import { namedService, serviceList } from './status-service.ts';

/** How subscribers are notified; no type of an alert channel. */
export const subscriptionType = 'EMAIL';

const words = {
  services: 'Services whose changes the subscriber receives; null = all of the page.',
  autoVerify:
    'true: the subscribers have agreed, and need not confirm. false: each receives an email with a link to confirm.',
};

const address = z
  .string()
  .max(320)
  .refine((text) => emailOf(text) !== null, 'must be an email address')
  .transform((text) => emailOf(text) ?? text);

const plain = z.strictObject({
  type: z.literal(subscriptionType).default(subscriptionType),
  address,
  services: serviceList(mostServicesOfPage).nullable().default(null).describe(words.services),
});
const configured = z
  .strictObject({ type: z.literal(subscriptionType).default(subscriptionType), config: z.looseObject({ address }) })
  .transform(({ type, config }) => ({ type, address: config.address, services: null }));

const statusSubscription = z
  .strictObject({
    id: z.uuid(),
    type: z.literal(subscriptionType),
    address: z.string(),
    status: z.enum(['PENDING', 'VERIFIED']).describe('`PENDING`: not confirmed yet. It is deleted after 24 h.'),
    services: z.array(namedService).nullable().describe(words.services),
    verifiedAt: instant.nullable(),
    created_at: instant,
  })
  .meta({ id: 'StatusSubscription', description: 'A subscriber of a status page.' });
export type StatusSubscriptionBody = z.output<typeof statusSubscription>;

const params = z.object({ id: pathUuid('ID of the status page.') });
const unknown = { 404: 'Unknown status page.' };
const search = z.string().trim().min(1).max(254).exactOptional().describe('Part of the address.');

export const statusSubscriptionOperations = tagged('Status pages', {
  listStatusSubscriptions: {
    method: 'GET',
    path: '/v1/status-pages/{id}/subscriptions',
    summary: 'List the subscribers of a status page',
    description: 'Oldest first. Requires permission to edit, because addresses are personal data.',
    permission: 'write',
    params,
    query: cursorQuery.extend({ search }),
    response: cursorPage(statusSubscription),
    alsoAnswers: unknown,
  },
  createStatusSubscriptions: {
    method: 'POST',
    path: '/v1/status-pages/{id}/subscriptions/bulk',
    summary: 'Add subscribers to a status page',
    description: 'Addresses that are subscribed are skipped. Confirming one that is pending counts as created.',
    permission: 'write',
    params,
    body: z.strictObject({
      subscriptions: z
        .array(z.union([plain, configured]))
        .min(1)
        .max(100),
      autoVerify: z.boolean().default(false).describe(words.autoVerify),
    }),
    example: { subscriptions: [{ type: subscriptionType, address: 'reader@example.com' }], autoVerify: true },
    status: 201,
    response: z.strictObject({
      created: z.int(),
      skipped: z.int(),
      status: z.enum(['PENDING', 'VERIFIED']).describe('Of the created ones.'),
    }),
    alsoAnswers: {
      ...unknown,
      429: 'Too many subscribers of the account wait for their email.',
      503: 'The server cannot send email.',
    },
  },
  exportStatusSubscriptions: {
    method: 'GET',
    path: '/v1/status-pages/{id}/subscriptions/csv',
    summary: 'Download the subscribers of a status page as CSV',
    description:
      'Address, status, IDs of services, and times. Texts that a spreadsheet would read as a formula begin with an apostrophe.',
    permission: 'write',
    params,
    media: 'text/csv',
    alsoAnswers: unknown,
  },
  deleteStatusSubscription: {
    method: 'DELETE',
    path: '/v1/status-pages/{id}/subscriptions/{subscriptionId}',
    summary: 'Delete a subscriber of a status page',
    permission: 'write',
    params: params.extend({ subscriptionId: pathUuid('ID of the subscriber.') }),
    status: 204,
    alsoAnswers: { 404: 'Unknown status page or subscriber.' },
  },
} as const satisfies Untagged);
