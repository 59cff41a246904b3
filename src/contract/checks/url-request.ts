// The request of a URL check and what is asserted of its answer (reference §4.3).
import { z } from 'zod';
import { ipFamily, ipFamilyShown, templatedUrl } from './api-request.ts';
import { assertionList, assertionsShown } from './assertions.ts';
import { refusing } from '#lib/schema/bodies.ts';

const sources = ['STATUS_CODE'] as const;

const useApi = 'use an API check (POST /v1/checks/api)';
const onlyStatus = `a URL check evaluates the status only: ${useApi} with an assertion TEXT_BODY CONTAINS`;
const nothing = `a URL check sends only a URL: ${useApi}`;

/** What looks as if it belonged to a URL check. */
const hints = {
  headers: nothing,
  queryParameters: nothing,
  body: nothing,
  bodyType: nothing,
  basicAuth: nothing,
  keyword: onlyStatus,
  contains: onlyStatus,
};

/** The same beside the request. */
export const urlCheckHints = { keyword: onlyStatus, contains: onlyStatus };

/** The method is always GET; clients send it all the same. */
const method = z.preprocess(
  (value) => (typeof value === 'string' ? value.toUpperCase() : (value ?? 'GET')),
  z.literal('GET', `must be GET: for other methods ${useApi}`),
);

const fields = z
  .strictObject({
    method: method.default('GET'),
    url: templatedUrl.describe('Absolute, or starting with a variable like {{NAME}}.'),
    followRedirects: z.boolean().default(true),
    skipSSL: z.boolean().default(false).describe('Accept any certificate.'),
    ipFamily,
    assertions: assertionList('UrlAssertion', sources, 'Has no effect here.').default([]),
  })
  .meta({ id: 'UrlRequestWrite', description: 'What a URL check asks for.' });

export const urlRequest = refusing(hints, fields);

/** The same as shown: everything present. */
export const urlRequestShown = z
  .strictObject({
    method: z.literal('GET'),
    url: z.string(),
    followRedirects: z.boolean(),
    skipSSL: z.boolean(),
    ipFamily: ipFamilyShown,
    assertions: assertionsShown(sources),
  })
  .meta({ id: 'UrlRequest' });
