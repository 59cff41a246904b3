// Health, metrics and API documentation.
import { z } from 'zod';
import { tagged, type Untagged } from '../operation.ts';

export const health = z
  .strictObject({
    status: z.enum(['ok', 'unavailable']),
    reasons: z.array(z.string()).exactOptional().describe('Why the service is unavailable, one sentence per reason.'),
    notes: z.array(z.string()).exactOptional().describe('Set while deliveries are held, with the reason.'),
  })
  .meta({ id: 'Health' });

export const healthOperations = tagged('Health', {
  getLiveness: {
    method: 'GET',
    path: '/health/live',
    summary: 'Check liveness',
    permission: 'none',
    response: health,
  },
  getReadiness: {
    method: 'GET',
    path: '/health/ready',
    summary: 'Check readiness',
    description:
      'The service is ready if its database is migrated and reachable and all steps of this process are running.',
    permission: 'none',
    response: health,
    alsoAnswers: { 503: 'Not ready; see `reasons`.' },
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Get metrics',
    description:
      'Prometheus text format. If `TOCSIN_METRICS_TOKEN` is set, send it as a bearer token. If `TOCSIN_METRICS_PORT` is set, metrics are served on that port only.',
    permission: 'none',
    media: 'text/plain',
    alsoAnswers: {
      401: 'The token is missing or wrong, or none is configured.',
      404: 'Metrics are served on another port.',
    },
  },
  getOpenApi: {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'Get the OpenAPI document',
    permission: 'none',
    response: z.record(z.string(), z.unknown()).describe('OpenAPI 3.1.'),
  },
  getFileSchema: {
    method: 'GET',
    path: '/schema.json',
    summary: 'Get the JSON Schema of resource files',
    description: 'For editors: they complete and check the YAML of `tocsin apply`.',
    permission: 'none',
    response: z.record(z.string(), z.unknown()).describe('JSON Schema, draft 2020-12.'),
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    summary: 'Get the API reference as a page',
    permission: 'none',
    media: 'text/html',
  },
  getDocsPage: {
    method: 'GET',
    path: '/docs/{page}',
    summary: 'Get a page of the documentation of this version',
    description: 'Markdown. Links to other pages are relative to it.',
    permission: 'none',
    params: z.object({
      page: z
        .string()
        .regex(/^(?:[a-z\d-]{1,60}|README)\.md$/, 'must be the name of a page, such as operating.md')
        .describe('For example `operating.md`. `README.md` lists the pages.'),
    }),
    media: 'text/plain',
    alsoAnswers: { 404: 'Unknown page.' },
  },
  getLlmsIndex: {
    method: 'GET',
    path: '/llms.txt',
    summary: 'Get the index of the documentation for assistants',
    description: 'Markdown in the form of llmstxt.org, with absolute links to the pages.',
    permission: 'none',
    media: 'text/plain',
  },
  getDocsScript: {
    method: 'GET',
    path: '/docs/reference.js',
    summary: 'Get the script of the API reference',
    permission: 'none',
    media: 'text/javascript',
  },
  getDocsStyle: {
    method: 'GET',
    path: '/docs/reference.css',
    summary: 'Get the style of the API reference',
    permission: 'none',
    media: 'text/css',
  },
} as const satisfies Untagged);
