// The schema of URL checks (reference §4.3).
import { z } from 'zod';
import { refusing } from '#lib/schema/bodies.ts';
import type { CheckSchema } from '../../schema.ts';
import { assertionList } from '../../parts/assertions/schema.ts';
import { httpResult, templatedUrl } from '../../parts/http/schema.ts';
import { ipFamily, responseTimes } from '../../parts/schema.ts';

export const sources = ['STATUS_CODE'] as const;

const useApi = 'use an API check (POST /v1/checks/api)';
const onlyStatus = `a URL check evaluates the status only: ${useApi} with an assertion TEXT_BODY CONTAINS`;
const nothing = `a URL check sends only a URL: ${useApi}`;

/** Hints for fields that other check types have. */
const hints = {
  headers: nothing,
  queryParameters: nothing,
  body: nothing,
  bodyType: nothing,
  basicAuth: nothing,
  keyword: onlyStatus,
  contains: onlyStatus,
};

const hintsOutsideRequest = { keyword: onlyStatus, contains: onlyStatus };

/** The method is always GET, but clients send it. */
const method = z.preprocess(
  (value) => (typeof value === 'string' ? value.toUpperCase() : (value ?? 'GET')),
  z.literal('GET', `must be GET: for other methods ${useApi}`),
);

const request = z
  .strictObject({
    method: method.default('GET'),
    url: templatedUrl.describe('Absolute, or starting with a variable like {{NAME}}.'),
    followRedirects: z.boolean().default(true),
    skipSSL: z.boolean().default(false).describe('Accept any certificate.'),
    ipFamily,
    assertions: assertionList('UrlAssertion', sources, 'Has no effect here.').default([]),
  })
  .meta({ id: 'UrlRequestWrite', description: 'The request of a URL check.' });

export const urlSchema = {
  type: 'URL',
  name: 'Url',
  title: 'a URL check',
  analyticsPath: 'url-monitors',
  about: 'Monitors whether a URL is available.',
  description: 'Sends a GET request and checks the status.',
  example: { name: 'Front page', frequency: 1, request: { url: 'https://shop.example/' } },
  fields: { request: refusing(hints, request), ...responseTimes(3000, 5000) },
  result: httpResult,
  lenient: (body) => refusing(hintsOutsideRequest, body),
} as const satisfies CheckSchema;
