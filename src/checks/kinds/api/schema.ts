// The schema of API checks (reference §4.3).
import { z } from 'zod';
import { httpMethod, pairs } from '#lib/schema/bodies.ts';
import { orNull } from '#lib/schema/fields.ts';
import type { CheckSchema, SettingsOf } from '../../schema.ts';
import { assertions, basicAuth, bodyTypes, httpResult, templatedUrl } from '../../parts/http/schema.ts';
import { certificateDomain, ipFamily, responseTimes } from '../../parts/schema.ts';
import { hookLog, hookResult, scriptFields } from '../../parts/scripted/hook-schema.ts';
import { runtimeWarning } from '../../parts/scripted/schema.ts';

const request = z
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

export const apiSchema = {
  type: 'API',
  name: 'Api',
  title: 'an API check',
  analyticsPath: 'api-checks',
  about: 'Monitors an HTTP API: sends any request and checks the response.',
  example: {
    name: 'Shop',
    frequency: 1,
    request: {
      method: 'GET',
      url: 'https://shop.example/health',
      assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
    },
  },
  fields: {
    request,
    ...responseTimes(5000, 20_000),
    sslCheckDomain: certificateDomain.describe(
      'Host whose certificate expiry is reported, e.g. `shop.example:8443`. Default: the host of an https URL.',
    ),
    ...scriptFields,
  },
  shown: { runtimeWarning },
  result: {
    ...httpResult,
    certificateProblem: z
      .string()
      .nullable()
      .exactOptional()
      .describe(
        'Why the certificate of sslCheckDomain could not be checked. null = it was checked, or no domain is set. Absent in results of older versions.',
      ),
    scripts: hookResult,
    jobLog: hookLog,
    jobAssets: z.null(),
  },
} as const satisfies CheckSchema;

export type ApiCheckSettings = SettingsOf<typeof apiSchema>;
