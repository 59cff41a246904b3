// The template of the rendering benchmark: 1 kB of JSON with typical helpers, and the same with precomputed results.
import type { RenderFacts } from '#channels/templates/context.ts';

/** Input of a rendering besides the variables. */
export const facts: RenderFacts = {
  createdAt: Date.parse('2026-03-10T12:00:05.250Z'),
  uuid: '6b1f0f0e-3d3c-4a55-9a51-1d2f3c4b5a69',
  randomNumber: 612,
  userAgent: 'Tocsin/0',
};

export const referenceVariables = {
  ALERT_TITLE: 'Cart "v2" has failed',
  ALERT_TYPE: 'ALERT_FAILURE',
  CHECK_ID: '7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
  CHECK_NAME: 'Cart "v2"',
  CHECK_TYPE: 'API',
  GROUP_NAME: 'Shop',
  CHECK_RESULT_ID: '019cd7b3-2a00-7d11-8f60-3b1c2d4e5f60',
  RESULT_LINK: 'https://tocsin.example/results/AbC',
  RESPONSE_TIME: 183,
  API_CHECK_RESPONSE_STATUS_CODE: 503,
  RUN_LOCATION: 'Local',
  REGION: 'local',
  STARTED_AT: '2026-03-10T12:00:05.000Z',
  TAGS: ['shop', 'env:production'],
  CHECK_ERROR_MESSAGE: 'expected a status below 400, got 503 Service Unavailable',
};

export const referenceTemplate = `{
  "title": {{json ALERT_TITLE}},
  "state": "{{#eq ALERT_TYPE 'ALERT_FAILURE'}}DOWN{{else eq ALERT_TYPE 'ALERT_RECOVERY'}}UP{{else}}{{ALERT_TYPE}}{{/eq}}",
  "check": { "id": "{{CHECK_ID}}", "name": {{json CHECK_NAME}}, "type": "{{lowercase CHECK_TYPE}}", "group": {{json GROUP_NAME}} },
  "result": "{{CHECK_RESULT_ID}}",
  "link": {{json RESULT_LINK}},
  "severity": "{{#and (eq CHECK_TYPE 'API') (gt RESPONSE_TIME 1000)}}slow{{else}}normal{{/and}}",
  "responseTimeMs": {{default RESPONSE_TIME 0}},
  "status": {{default API_CHECK_RESPONSE_STATUS_CODE 0}},
  "where": "{{RUN_LOCATION}} ({{REGION}})",
  "at": "{{moment STARTED_AT 'YYYY-MM-DD HH:mm:ss'}} UTC",
  "tags": [{{#each TAGS}}{{json this}}{{#unless @last}}, {{/unless}}{{/each}}],
  "production": {{contains TAGS 'env:production'}},
  "attempt": "{{$UUID}}",
  "runbook": "https://wiki.example/{{urlencode CHECK_NAME}}",
  "error": {{#if CHECK_ERROR_MESSAGE}}{{json (truncate CHECK_ERROR_MESSAGE 200 '…')}}{{else}}null{{/if}}
}`;

/** The same text without Tocsin's helpers. */
export const bareTemplate = `{
  "title": {{{title}}},
  "state": "{{#if isFailure}}DOWN{{else if isRecovery}}UP{{else}}{{ALERT_TYPE}}{{/if}}",
  "check": { "id": "{{CHECK_ID}}", "name": {{{name}}}, "type": "{{type}}", "group": {{{group}}} },
  "result": "{{CHECK_RESULT_ID}}",
  "link": {{{link}}},
  "severity": "{{#if isSlow}}slow{{else}}normal{{/if}}",
  "responseTimeMs": {{time}},
  "status": {{status}},
  "where": "{{RUN_LOCATION}} ({{REGION}})",
  "at": "{{startedAt}} UTC",
  "tags": [{{#each TAGS}}{{{this}}}{{#unless @last}}, {{/unless}}{{/each}}],
  "production": {{isProduction}},
  "attempt": "{{uuid}}",
  "runbook": "https://wiki.example/{{{encoded}}}",
  "error": {{#if CHECK_ERROR_MESSAGE}}{{{message}}}{{else}}null{{/if}}
}`;

/** Precomputed results of the helpers. */
export const bareValues = {
  ...referenceVariables,
  title: JSON.stringify(referenceVariables.ALERT_TITLE),
  isFailure: true,
  isRecovery: false,
  name: JSON.stringify(referenceVariables.CHECK_NAME),
  type: 'api',
  group: JSON.stringify(referenceVariables.GROUP_NAME),
  link: JSON.stringify(referenceVariables.RESULT_LINK),
  isSlow: false,
  time: 183,
  status: 503,
  startedAt: '2026-03-10 12:00:05',
  isProduction: true,
  uuid: facts.uuid,
  encoded: encodeURIComponent(referenceVariables.CHECK_NAME),
  message: JSON.stringify(referenceVariables.CHECK_ERROR_MESSAGE),
  TAGS: referenceVariables.TAGS.map((tag) => JSON.stringify(tag)),
};
