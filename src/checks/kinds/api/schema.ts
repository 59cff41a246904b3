// The schema of API checks (reference §4.3).
import { z } from 'zod';
import type { CheckSchema } from '../../schema.ts';
import { apiRequest, httpResult } from '../../parts/http/schema.ts';
import { certificateDomain, responseTimes } from '../../parts/schema.ts';
import { hookLog, hookResult, scriptFields, runtimeWarning } from '../../parts/scripted/schema.ts';

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
    request: apiRequest,
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
