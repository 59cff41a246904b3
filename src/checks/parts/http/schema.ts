// Schemas of HTTP requests and responses, shared by API checks, URL checks and group defaults (reference §4.3, §4.4,
// decisions: Methods, URL).
import { z } from 'zod';
import type { JsonObject } from '#domain/json.ts';
import { httpMethod, pairs } from '#lib/schema/bodies.ts';
import { orNull } from '#lib/schema/fields.ts';
import { assertionList } from '../assertions/schema.ts';
import { assertionOutcome, inFull, ipFamily, unmeasured } from '../schema.ts';

const bodyTypes = ['JSON', 'FORM', 'RAW', 'GRAPHQL', 'NONE'] as const;
export type BodyType = (typeof bodyTypes)[number];

function urlRule(url: unknown): string {
  const rule = 'must be an absolute http or https URL, or start with a variable like {{NAME}}';
  const isOther = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(String(url));
  return isOther ? `${rule}; for other protocols use a TCP check (POST /v1/checks/tcp) or a script` : rule;
}

/** A URL that may contain variables. */
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

export const httpSources = ['STATUS_CODE', 'JSON_BODY', 'HEADERS', 'TEXT_BODY', 'RESPONSE_TIME'] as const;
/** Assertions of API checks and groups. */
export const assertions = assertionList('Assertion', httpSources, 'JSON_BODY: a JSON path. HEADERS: a header name.');

export const basicAuth = z.strictObject({ username: z.string().max(2000), password: z.string().max(2000) }).nullable();

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
      z.enum(bodyTypes).default('NONE'),
    ),
    headers: pairs.default([]),
    queryParameters: pairs.default([]),
    assertions: assertions.default([]),
    basicAuth: basicAuth.default(null),
  })
  .meta({ id: 'ApiRequestWrite', description: 'The request of an API check and its assertions.' });

/** Defaults for the API checks of a group (reference §4.4). */
export const apiCheckDefaults = z
  .strictObject({
    url: orNull(z.string().max(2048), () => '')
      .default('')
      .describe('Value of {{GROUP_BASE_URL}} in the checks of the group.'),
    headers: pairs.default([]),
    queryParameters: pairs.default([]),
    assertions: assertions.default([]),
    basicAuth: basicAuth.default(null),
  })
  .meta({ id: 'ApiCheckDefaultsWrite', description: 'Defaults for the API checks of a group.' });

/** A header or query parameter. Locked values are masked. */
export type KeyValue = z.output<typeof pairs>[number];

/** Defaults that a group gives its API checks. */
export type ApiDefaults = z.output<typeof apiCheckDefaults>;

/** Settings of the HTTP probe: a request, times in ms, and the domain whose certificate is reported (null = the URL's). */
export interface HttpSettings extends z.output<typeof apiRequest> {
  readonly sslCheckDomain: string | null;
  readonly degradedResponseTime: number;
  readonly maxResponseTime: number;
}

/** Clients send empty credentials for none. */
export function withoutEmptyAuth<Fields extends Pick<ApiDefaults, 'basicAuth'>>(fields: Fields): Fields {
  const { username = '', password = '' } = fields.basicAuth ?? {};
  return username === '' && password === '' ? { ...fields, basicAuth: null } : fields;
}

/** Reads the stored defaults of a group. */
export function readDefaults(defaults: JsonObject): ApiDefaults {
  return withoutEmptyAuth(apiCheckDefaults.parse(defaults));
}

/** Defaults of checks without a group, and of types without group defaults. */
export const noDefaults: ApiDefaults = readDefaults({});

/** What a request is if nothing is said about it. */
export const plainRequest = {
  method: 'GET',
  followRedirects: true,
  skipSSL: false,
  ipFamily: null,
  body: '',
  bodyType: 'NONE',
  ...noDefaults,
} as const satisfies z.output<typeof apiRequest>;

const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const ms = z.number();

const phases = z
  .strictObject({ wait: ms, dns: ms, tcp: ms, tls: ms, firstByte: ms, download: ms, total: ms })
  .describe(`In ms with decimals; 0 for phases that did not occur. They add up to the total. ${unmeasured}`);

const redirects = z.array(z.strictObject({ status: z.int(), location: z.string() }));

const orTornDown = 'null if only the outcome is stored or the teardown script failed.';

/** Result of an HTTP request and its response. */
export const httpResult = {
  assertions: z.array(assertionOutcome),
  request: z
    .strictObject({
      method: z.string(),
      url: z.string(),
      data: z.string(),
      headers,
      params: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    })
    .nullable()
    .describe(inFull),
  response: z
    .strictObject({
      status: z.int(),
      statusText: z.string().nullable(),
      headers: headers.nullable().describe(orTornDown),
      body: z.string().nullable().describe(orTornDown),
      bodyEncoding: z.string().exactOptional().describe('base64 if the body is not text.'),
      truncated: z.boolean().describe('Whether the body is truncated.'),
      redirects: redirects.exactOptional(),
      timings: z
        .record(z.string(), z.number())
        .nullable()
        .describe('Times of the phases, Unix ms. null = not stored, or Tocsin was too busy to measure them.'),
      timingPhases: phases.nullable(),
    })
    .nullable()
    .describe('null if there was no response.'),
  requestError: z.string().nullable().describe('Why there was no response.'),
  address: z.string().nullable().describe('IP address of the target.'),
  protocol: z.strictObject({ http: z.string(), tls: z.string().nullable(), cipher: z.string().nullable() }).nullable(),
  sizes: z.strictObject({ headers: z.int(), body: z.int(), decoded: z.int() }).describe('Bytes.'),
  redirects,
};
