// Check results on the wire (reference §4.7, decisions: What is kept of a result).
import { z } from 'zod';
import { checkTypes } from './check.ts';
import { flag, instant, pathUuid, queryInstant, wholeNumber } from './fields.ts';
import { heartbeatCheckResult } from './heartbeat.ts';
import type { Operations } from './operation.ts';
import { pageQuery } from './paging.ts';

const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const ms = z.number();

const phases = z
  .strictObject({ wait: ms, dns: ms, tcp: ms, tls: ms, firstByte: ms, download: ms, total: ms })
  .describe('ms with decimals, 0 for what did not take place; they add up to the total.');

const redirects = z.array(z.strictObject({ status: z.int(), location: z.string() }));

const assertionOutcome = z.strictObject({
  source: z.string(),
  comparison: z.string(),
  property: z.string(),
  target: z.string(),
  regex: z.string().nullable(),
  passed: z.boolean(),
  actual: z.string().nullable().describe('What came, shortened; null = nothing.'),
  problem: z.string().nullable().describe('Why nothing could be compared.'),
  message: z.string().describe('What was expected and what came, in a sentence.'),
});

const httpFields = {
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
    .describe('null when only the outcome of this result is kept.'),
  response: z
    .strictObject({
      status: z.int(),
      statusText: z.string().nullable(),
      headers: headers.nullable().describe('null when only the outcome of this result is kept.'),
      body: z.string().nullable().describe('null when only the outcome of this result is kept.'),
      bodyEncoding: z.string().exactOptional().describe('base64 for what is no text.'),
      truncated: z.boolean().describe('Only the beginning of the body is kept.'),
      redirects: redirects.exactOptional(),
      timings: z.record(z.string(), z.number()).nullable().describe('Instants of the phases, unix ms.'),
      timingPhases: phases,
    })
    .nullable()
    .describe('null when there was no answer.'),
  requestError: z.string().nullable().describe('Why there was no answer, in a sentence.'),
  address: z.string().nullable().describe('The address that was asked.'),
  protocol: z.strictObject({ http: z.string(), tls: z.string().nullable(), cipher: z.string().nullable() }).nullable(),
  sizes: z.strictObject({ headers: z.int(), body: z.int(), decoded: z.int() }).describe('Bytes.'),
  redirects,
};

const apiCheckResult = z
  .strictObject({ ...httpFields, jobLog: z.null(), jobAssets: z.null() })
  .meta({ id: 'ApiCheckResult' });
const urlCheckResult = z.strictObject(httpFields).meta({ id: 'UrlCheckResult' });

const lightFields = {
  assertions: z.array(assertionOutcome),
  requestError: z.string().nullable().describe('Why there was no answer, in a sentence.'),
  address: z.string().nullable().describe('The address that was asked.'),
  timingPhases: z.record(z.string(), ms).describe('ms with decimals, in the order in which they took place.'),
};
const inFull = 'null when only the outcome of this result is kept.';

const tcpCheckResult = z
  .strictObject({
    ...lightFields,
    request: z.strictObject({ hostname: z.string(), port: z.int(), data: z.string() }).nullable().describe(inFull),
    response: z
      .strictObject({
        bytes: z.int(),
        truncated: z.boolean().describe('More came than was read.'),
        data: z.string().exactOptional().describe('Absent when only the outcome of this result is kept.'),
      })
      .nullable()
      .describe('null when there was no connection.'),
  })
  .meta({ id: 'TcpCheckResult' });

const sslCheckResult = z
  .strictObject({
    ...lightFields,
    request: z
      .strictObject({ hostname: z.string(), port: z.int(), serverName: z.string() })
      .nullable()
      .describe(inFull),
    response: z
      .strictObject({
        certificate: z.strictObject({
          daysUntilExpiry: z.int(),
          validFrom: z.string(),
          validTo: z.string(),
          subjectCN: z.string().nullable(),
          issuerCN: z.string().nullable(),
          serialNumber: z.string(),
          fingerprintSha256: z.string(),
          issuerFingerprintSha256: z.string().nullable(),
          keySizeBits: z.int().nullable(),
          keyAlgorithm: z.string(),
          signatureAlgorithm: z.string(),
          sans: z.array(z.string()),
          selfSigned: z.boolean(),
          isCA: z.boolean(),
        }),
        connection: z.strictObject({
          tlsVersion: z.string(),
          cipherSuite: z.string(),
          hostnameVerified: z.boolean(),
          chainTrusted: z.boolean(),
          ocspStapled: z.boolean(),
          resolvedIp: z.string().nullable(),
        }),
      })
      .nullable()
      .describe('null when no certificate was seen.'),
  })
  .meta({ id: 'SslCheckResult' });

/** The part of a result that belongs to its type; null for a slot that was missed. */
const parts = {
  apiCheckResult: apiCheckResult.nullable().exactOptional(),
  urlCheckResult: urlCheckResult.nullable().exactOptional(),
  tcpCheckResult: tcpCheckResult.nullable().exactOptional(),
  sslCheckResult: sslCheckResult.nullable().exactOptional(),
  heartbeatCheckResult: heartbeatCheckResult.nullable().exactOptional(),
};
/** Which part the results of a type have. */
export const resultParts = {
  API: 'apiCheckResult',
  URL: 'urlCheckResult',
  TCP: 'tcpCheckResult',
  SSL: 'sslCheckResult',
  HEARTBEAT: 'heartbeatCheckResult',
} as const satisfies Record<(typeof checkTypes)[number], keyof typeof parts>;

export const checkResult = z
  .strictObject({
    id: z.uuid(),
    name: z.string().describe('Name of the check.'),
    checkId: z.uuid(),
    checkType: z.enum(checkTypes),
    outcome: z.enum(['passed', 'degraded', 'failed', 'unknown', 'missed']),
    reason: z.string().nullable().describe('Why it did not pass: a class of a closed list.'),
    message: z.string().nullable().describe('Why it did not pass, in a sentence.'),
    hasFailures: z.boolean(),
    hasErrors: z.boolean().describe('There is no verdict: the observer itself was at fault, or the slot was missed.'),
    isDegraded: z.boolean(),
    isCancelled: z.boolean(),
    overMaxResponseTime: z.boolean(),
    runLocation: z.string(),
    runSource: z.string(),
    startedAt: instant,
    stoppedAt: instant,
    created_at: instant,
    responseTime: z.int().describe('Whole ms; 0 when there was no answer.'),
    checkRunId: z.uuid(),
    attempts: z.int().describe('Which attempt of its run it is, from 1.'),
    slots: z.int().describe('Slots it stands for: more than 1 for a stretch of missed ones.'),
    resultType: z.enum(['FINAL', 'ATTEMPT']),
    ...parts,
  })
  .meta({
    id: 'CheckResult',
    description:
      'What one attempt of a run found. One part belongs to its type; it is null for a slot that was missed.',
  });
export type CheckResultBody = z.output<typeof checkResult>;

const filters = {
  location: z.string().max(100).exactOptional(),
  checkType: z.enum(checkTypes).exactOptional(),
  hasFailures: flag.exactOptional(),
  resultType: z.enum(['FINAL', 'ATTEMPT', 'ALL']).default('FINAL').describe('ATTEMPT = those that were retried.'),
  from: queryInstant.exactOptional(),
  to: queryInstant.exactOptional(),
};

const listQuery = pageQuery.extend(filters);

const cursorQuery = z.object({
  ...filters,
  limit: wholeNumber(1, 100).default(10),
  nextId: z.string().max(200).exactOptional().describe('Goes on where the last answer ended.'),
});

const checkId = pathUuid('Id of the check.');
const tag = 'Check results';

export const checkResultOperations = {
  listCheckResults: {
    method: 'GET',
    path: '/v1/check-results/{checkId}',
    summary: 'List the results of a check',
    description: 'Newest first. Without `from` and `to`: all that are kept.',
    tag,
    permission: 'read',
    params: z.object({ checkId }),
    query: listQuery,
    status: 200,
    response: z.array(checkResult),
    isPaged: true,
    alsoAnswers: { 404: 'There is no check of that id.' },
  },
  listCheckResultsV2: {
    method: 'GET',
    path: '/v2/check-results/{checkId}',
    summary: 'Walk through the results of a check',
    description: 'Newest first, by cursor: steady while new results come in.',
    tag,
    permission: 'read',
    params: z.object({ checkId }),
    query: cursorQuery,
    status: 200,
    response: z.strictObject({
      length: z.int(),
      entries: z.array(checkResult),
      nextId: z.string().nullable().describe('null at the end.'),
    }),
    alsoAnswers: { 404: 'There is no check of that id.' },
  },
  getCheckResult: {
    method: 'GET',
    path: '/v1/check-results/{checkId}/{checkResultId}',
    summary: 'Read a result',
    tag,
    permission: 'read',
    params: z.object({ checkId, checkResultId: pathUuid('Id of the result.') }),
    status: 200,
    response: checkResult,
    alsoAnswers: { 404: 'There is no such result, or it is no longer kept.' },
  },
  showResult: {
    method: 'GET',
    path: '/results/{link}',
    summary: 'Show a result as a page',
    description: 'The RESULT_LINK of an alert: whoever has it may read that one result, for 30 days, without a key.',
    tag,
    permission: 'none',
    params: z.object({ link: z.string().max(1000).describe('The last part of a RESULT_LINK.') }),
    status: 200,
    media: 'text/html',
    alsoAnswers: { 404: 'The link is wrong, has expired, or the result is no longer kept.' },
  },
} as const satisfies Operations;
