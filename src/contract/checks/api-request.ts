// The request of an API check and what is asserted of its answer (reference §4.3, decisions: Methods, URL).
import { z } from 'zod';
import { assertionList, assertionsShown } from './assertions.ts';
import { orNull } from '#lib/schema/fields.ts';
import { pairs } from '#lib/schema/bodies.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** An HTTP method in any case. */
export const httpMethod = z.preprocess(
  (value) => (typeof value === 'string' ? value.toUpperCase() : value),
  z.enum(methods),
);

function urlRule(url: unknown): string {
  const rule = 'must be an absolute http or https URL, or start with a variable like {{NAME}}';
  const isOther = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(String(url));
  return isOther ? `${rule}; for other protocols use a TCP check (POST /v1/checks/tcp) or a script` : rule;
}

/** A URL that may hold variables. */
export const templatedUrl = z
  .string()
  .min(1)
  .max(2048)
  .refine(
    (url) => {
      if (/^\{\{\{?\s*[\w$]+/.test(url)) return true;
      return /^https?:\/\/[^\s/]/i.test(url) && (url.includes('{{') || URL.canParse(url));
    },
    { error: ({ input }) => urlRule(input) },
  );

const sources = ['STATUS_CODE', 'JSON_BODY', 'HEADERS', 'TEXT_BODY', 'RESPONSE_TIME'] as const;
/** What the API checks of a check or a group assert. */
export const assertions = assertionList(
  'Assertion',
  sources,
  'Of JSON_BODY a JSON path, of HEADERS the name of a header.',
);

export const basicAuth = z.strictObject({ username: z.string().max(2000), password: z.string().max(2000) }).nullable();

/** Which addresses of a name are tried. */
export const ipFamily = z
  .enum(['IPv4', 'IPv6'])
  .nullable()
  .default(null)
  .describe('Only addresses of this family are tried; null = those of both, in turn.');
export const ipFamilyShown = z.enum(['IPv4', 'IPv6']).nullable();

/** The request that an API check sends. */
export const apiRequest = z
  .strictObject({
    method: httpMethod,
    url: templatedUrl.describe('Absolute, or starting with a variable like {{NAME}}.'),
    followRedirects: z.boolean().default(true),
    skipSSL: z.boolean().default(false).describe('Accept any certificate.'),
    ipFamily,
    body: orNull(z.string().max(262_144), () => '').default(''),
    bodyType: z.preprocess(
      (value) => (value === '' || value === null ? undefined : value),
      z.enum(['JSON', 'FORM', 'RAW', 'GRAPHQL', 'NONE']).default('NONE'),
    ),
    headers: pairs.default([]),
    queryParameters: pairs.default([]),
    assertions: assertions.default([]),
    basicAuth: basicAuth.default(null),
  })
  .meta({ id: 'ApiRequestWrite', description: 'What an API check sends, and what must hold of the answer.' });

const shownPairs = z.array(z.strictObject({ key: z.string(), value: z.string(), locked: z.boolean() }));
const shownAssertions = assertionsShown(sources);

/** The same as shown: everything present. */
export const apiRequestShown = z
  .strictObject({
    method: z.enum(methods),
    url: z.string(),
    followRedirects: z.boolean(),
    skipSSL: z.boolean(),
    ipFamily: ipFamilyShown,
    body: z.string(),
    bodyType: z.enum(['JSON', 'FORM', 'RAW', 'GRAPHQL', 'NONE']),
    headers: shownPairs,
    queryParameters: shownPairs,
    assertions: shownAssertions,
    basicAuth,
  })
  .meta({ id: 'ApiRequest' });

/** What the API checks of a group inherit (reference §4.4). */
export const apiCheckDefaults = z
  .strictObject({
    url: orNull(z.string().max(2048), () => '')
      .default('')
      .describe('Begins the URL of checks that use {{GROUP_BASE_URL}}.'),
    headers: pairs.default([]),
    queryParameters: pairs.default([]),
    assertions: assertions.default([]),
    basicAuth: basicAuth.default(null),
  })
  .meta({ id: 'ApiCheckDefaultsWrite', description: 'What the API checks of a group inherit.' });

export const apiCheckDefaultsShown = z
  .strictObject({
    url: z.string(),
    headers: shownPairs,
    queryParameters: shownPairs,
    assertions: shownAssertions,
    basicAuth,
  })
  .meta({ id: 'ApiCheckDefaults' });
