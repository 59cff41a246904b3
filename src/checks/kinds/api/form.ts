// The form of API checks.
import type { FormField } from '#lib/schema/form.ts';
import { type CheckForm, setupNames, teardownNames } from '../../form.ts';
import { fromCurl } from './curl-form.ts';
import {
  assertionField,
  certificateField,
  connectionFields,
  errorStatusField,
  responseTimeFields,
  urlField,
} from '../../parts/form.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const bodyTypes = [
  ['NONE', 'No body'],
  ['JSON', 'JSON'],
  ['FORM', 'Form'],
  ['GRAPHQL', 'GraphQL'],
  ['RAW', 'Other text'],
] as const;

const sources = ['STATUS_CODE', 'JSON_BODY', 'HEADERS', 'TEXT_BODY', 'RESPONSE_TIME'] as const;

/** @param parent of the fields in the body */
const pairFields = (parent: string): readonly FormField[] => [
  { path: `${parent}.headers`, label: 'Headers', input: 'pairs', noun: 'header' },
  { path: `${parent}.queryParameters`, label: 'Query parameters', input: 'pairs', noun: 'parameter' },
];
const credentialsField = (parent: string): FormField => ({
  path: `${parent}.basicAuth`,
  label: 'Basic authorization',
  input: 'credentials',
});

const scriptFields: readonly FormField[] = [
  {
    path: 'setupSnippetId',
    label: 'Setup snippet',
    help: 'Runs before the setup script.',
    input: 'snippet',
  },
  {
    path: 'localSetupScript',
    label: 'Setup script',
    help: 'Runs before the request and may change it.',
    input: 'code',
    language: 'typescript',
    names: setupNames,
    placeholder: "request.headers['x-time'] = String(Date.now());",
    snippets: [
      { label: 'Set a header', code: "request.headers['x-time'] = String(Date.now());\n" },
      { label: 'Write to the output', code: 'console.log(request.url);\n' },
    ],
  },
  {
    path: 'localTearDownScript',
    label: 'Teardown script',
    help: 'Runs after the response, before it is evaluated.',
    input: 'code',
    language: 'typescript',
    names: teardownNames,
    placeholder: 'console.log(response.statusCode);',
    snippets: [{ label: 'Write to the output', code: 'console.log(response.statusCode);\n' }],
  },
  {
    path: 'tearDownSnippetId',
    label: 'Teardown snippet',
    help: 'Runs after the teardown script.',
    input: 'snippet',
  },
];

export const apiForm: CheckForm = {
  fromLine: fromCurl,
  lineExample: "curl -X POST https://shop.example/api/orders -d 'article=1'",
  type: 'API',
  label: 'API',
  isCommon: true,
  about: 'sends any HTTP request and checks status, headers, body and time',
  hasInterval: true,
  shortestInterval: 10,
  start: { request: { method: 'GET', url: '' } },
  target: [urlField],
  sections: [
    {
      title: 'Request',
      fields: [
        {
          path: 'request.method',
          label: 'Method',
          input: 'choice',
          options: methods.map((method) => [method, method]),
        },
        ...pairFields('request'),
        { path: 'request.bodyType', label: 'Body', input: 'choice', options: bodyTypes },
        { path: 'request.body', label: 'Body text', input: 'area' },
        credentialsField('request'),
        ...connectionFields,
      ],
    },
    {
      title: 'Assertions',
      fields: [assertionField('request.assertions', sources), errorStatusField],
    },
    { title: 'Response time', fields: responseTimeFields(5000, 20_000) },
    {
      title: 'Certificate and scripts',
      fields: [certificateField('Its expiry is reported instead of that of the URL.'), ...scriptFields],
    },
  ],
  ofGroups: [
    {
      title: 'Requests of API checks',
      fields: [
        {
          path: 'apiCheckDefaults.url',
          label: 'Base URL',
          help: 'API checks use it as {{GROUP_BASE_URL}}.',
          input: 'text',
          placeholder: 'https://shop.example.com',
        },
        ...pairFields('apiCheckDefaults'),
        credentialsField('apiCheckDefaults'),
        assertionField('apiCheckDefaults.assertions', sources),
      ],
    },
    { title: 'Scripts of API checks', fields: scriptFields },
  ],
};
