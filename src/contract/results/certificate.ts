// Certificates that checks see, in the API.
import { z } from 'zod';
import { instant, queryList, wholeNumber } from '#lib/schema/fields.ts';
import { checkTypes } from '../checks/check.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

export const certificate = z
  .strictObject({
    checkId: z.uuid(),
    checkName: z.string(),
    checkType: z.enum(checkTypes),
    domain: z.string().describe('The host that presented the certificate.'),
    role: z
      .string()
      .nullable()
      .describe('Such as `intermediate certificate "R3"`, if that expires first. null = the certificate of the host.'),
    issuer: z.string().nullable().describe('Common name of the issuer.'),
    validTo: instant,
    seenAt: instant.describe('When the check last saw it.'),
  })
  .meta({ id: 'Certificate', description: 'The certificate of a host, or of its chain, that expires first.' });
export type CertificateBody = z.output<typeof certificate>;

export const certificateOperations = tagged('Checks', {
  listCertificates: {
    method: 'GET',
    path: '/v1/certificates',
    summary: 'List the certificates that checks see',
    description:
      'One per active check that last saw a certificate, over HTTPS or in an SSL check: the one that expires first. Soonest first, expired ones included.',
    permission: 'read',
    query: pageQuery.extend({
      withinDays: wholeNumber(0, 10_000)
        .exactOptional()
        .describe('Only certificates that have expired or expire within this number of days.'),
      groupId: wholeNumber(1, 1_000_000_000).exactOptional().describe('Only checks of this group.'),
      tag: queryList(z.string().min(1).max(200))
        .exactOptional()
        .describe('Only checks with this tag, their own or that of their group. Repeat the parameter for several.'),
    }),
    response: z.array(certificate),
    isPaged: true,
  },
} as const satisfies Untagged);
