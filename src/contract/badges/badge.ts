// Badges in the API (reference §4.2).
import { z } from 'zod';
import { badgeStyles, badgeThemes } from '#domain/results/badge.ts';
import { flag, pathNumber, pathUuid } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

const badgeQuery = z.object({
  style: z.enum(badgeStyles).default('flat'),
  theme: z.enum(badgeThemes).default('default').describe('Colors for light or dark pages.'),
  responseTime: flag
    .default(false)
    .describe('Add the response time of the newest result; of a group, the mean of its checks.'),
  token: z.string().max(200).exactOptional().describe('Token of the link. Replaces the API key.'),
});

const badge = {
  method: 'GET',
  description:
    'An SVG image with name and state. With the `token` of its link it requires no API key, and is up to 10 s old. ' +
    'Supports `if-none-match`.',
  permission: 'read',
  acceptsToken: true,
  query: badgeQuery,
  media: 'image/svg+xml',
  alsoAnswers: {
    304: 'Unchanged since the ETag in `if-none-match`.',
    404: 'Unknown check or group, or the token is invalid.',
  },
} as const;

const badgeLink = z
  .strictObject({
    url: z.string().describe('Address of the image. Add `style`, `theme` and `responseTime` as needed.'),
  })
  .meta({ id: 'BadgeLink', description: 'The public link of a badge.' });

const link = {
  method: 'GET',
  description:
    'Anyone with the link can see the name, the state and the response time, until the check or group is deleted or the ' +
    'links of the account are revoked.',
  permission: 'write',
  response: badgeLink,
  alsoAnswers: { 404: 'Unknown check or group.' },
} as const;

const ofCheck = z.object({ checkId: pathUuid('ID of the check.') });
const ofGroup = z.object({ groupId: pathNumber('ID of the check group.') });

export const badgeOperations = tagged('Badges', {
  getCheckBadge: {
    ...badge,
    path: '/v1/badges/checks/{checkId}',
    params: ofCheck,
    summary: 'Get the badge of a check',
  },
  getGroupBadge: {
    ...badge,
    path: '/v1/badges/groups/{groupId}',
    params: ofGroup,
    summary: 'Get the badge of a group',
  },
  getCheckBadgeLink: {
    ...link,
    path: '/v1/badges/checks/{checkId}/link',
    params: ofCheck,
    summary: 'Get the public link of the badge of a check',
  },
  getGroupBadgeLink: {
    ...link,
    path: '/v1/badges/groups/{groupId}/link',
    params: ofGroup,
    summary: 'Get the public link of the badge of a group',
  },
  deleteBadgeLinks: {
    method: 'DELETE',
    path: '/v1/badges/links',
    summary: 'Revoke the links of all badges of the account',
    description: 'They stop working within 10 s. New links differ.',
    permission: 'admin',
    status: 204,
  },
} as const satisfies Untagged);
