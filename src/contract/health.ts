// Health, metrics and the pages that describe the service.
import { z } from 'zod';
import type { Operations } from './operation.ts';

export const health = z
  .strictObject({
    status: z.enum(['ok', 'unavailable']),
    reasons: z.array(z.string()).exactOptional().describe('Why it is unavailable, a sentence each.'),
    notes: z.array(z.string()).exactOptional().describe('That deliveries are held, and why.'),
  })
  .meta({ id: 'Health' });

const tag = 'Health';

export const healthOperations = {
  getLiveness: {
    method: 'GET',
    path: '/health/live',
    summary: 'Tell whether the process is alive',
    tag,
    permission: 'none',
    status: 200,
    response: health,
  },
  getReadiness: {
    method: 'GET',
    path: '/health/ready',
    summary: 'Tell whether the service can do its work',
    description: 'Ready means: the database is migrated and answers, and the steps of this process are running.',
    tag,
    permission: 'none',
    status: 200,
    response: health,
    alsoAnswers: { 503: 'It cannot: `reasons` says why.' },
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Read the metrics',
    description:
      'Prometheus text format. Requires the token of `TOCSIN_METRICS_TOKEN` as a bearer token if that is set; served on `TOCSIN_METRICS_PORT` instead if that is.',
    tag,
    permission: 'none',
    status: 200,
    media: 'text/plain',
    alsoAnswers: {
      401: 'The token is missing or wrong, or none is configured.',
      404: 'They are served on another port.',
    },
  },
  getOpenApi: {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'Read this document',
    tag,
    permission: 'none',
    status: 200,
    response: z.record(z.string(), z.unknown()).describe('OpenAPI 3.1.'),
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    summary: 'Read this document as a page',
    tag,
    permission: 'none',
    status: 200,
    media: 'text/html',
  },
} as const satisfies Operations;
