// The part of a result that belongs to the type of its check (reference §4.7).
import { z } from 'zod';
import type { checkTypes } from '../checks/check.ts';
import { jsonObject } from '#lib/schema/json.ts';
import { browserResult, multiStepResult, scriptResult } from '../checks/script-check.ts';
import { aroundLog, aroundResult } from '../checks/scripts.ts';
import { heartbeatCheckResult } from '../checks/heartbeat.ts';

const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const ms = z.number();

const unmeasured = 'null = Tocsin was too busy to measure them.';

const phases = z
  .strictObject({ wait: ms, dns: ms, tcp: ms, tls: ms, firstByte: ms, download: ms, total: ms })
  .describe(`ms with decimals, 0 for what did not take place; they add up to the total. ${unmeasured}`);

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

const orTornDown = 'null when only the outcome of this result is kept, or its teardown script failed.';

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
      headers: headers.nullable().describe(orTornDown),
      body: z.string().nullable().describe(orTornDown),
      bodyEncoding: z.string().exactOptional().describe('base64 for what is no text.'),
      truncated: z.boolean().describe('Only the beginning of the body is kept.'),
      redirects: redirects.exactOptional(),
      timings: z
        .record(z.string(), z.number())
        .nullable()
        .describe('Instants of the phases, unix ms; null = not kept, or Tocsin was too busy to measure them.'),
      timingPhases: phases.nullable(),
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
  .strictObject({
    ...httpFields,
    certificateProblem: z
      .string()
      .nullable()
      .exactOptional()
      .describe(
        'Why the certificate of sslCheckDomain could not be seen, in a sentence; null = it was, or none is named. Absent in results of an older version.',
      ),
    scripts: aroundResult,
    jobLog: aroundLog,
    jobAssets: z.null(),
  })
  .meta({ id: 'ApiCheckResult' });
const browserCheckResult = z.strictObject({ ...scriptResult, ...browserResult }).meta({ id: 'BrowserCheckResult' });
const multiStepCheckResult = z
  .strictObject({ ...scriptResult, ...multiStepResult })
  .meta({ id: 'MultiStepCheckResult' });
const urlCheckResult = z.strictObject(httpFields).meta({ id: 'UrlCheckResult' });

const lightFields = {
  assertions: z.array(assertionOutcome),
  requestError: z.string().nullable().describe('Why there was no answer, in a sentence.'),
  address: z.string().nullable().describe('The address that was asked.'),
  timingPhases: z
    .record(z.string(), ms)
    .nullable()
    .describe(`ms with decimals, in the order in which they took place. ${unmeasured}`),
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

const revocationStatus = z.enum(['good', 'revoked', 'unknown']);
const revocation = z
  .strictObject({
    status: revocationStatus,
    source: z.enum(['STAPLED', 'OCSP', 'CRL']).nullable().describe('Who said it; null = nobody did.'),
    revokedAt: z.string().nullable(),
    reason: z.string().nullable().describe('As keyCompromise.'),
    thisUpdate: z.string().nullable(),
    nextUpdate: z.string().nullable().describe('Until when it is to be believed; null where nobody said.'),
    problem: z.string().nullable().describe('Why it is not known, in a sentence.'),
  })
  .describe('Whether it is revoked; null where the check does not ask, absent in results older than it.');

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
          ocspStatus: revocationStatus.exactOptional().describe('Absent in results older than it.'),
          resolvedIp: z.string().nullable(),
        }),
        revocation: revocation.nullable().exactOptional(),
      })
      .nullable()
      .describe('null when no certificate was seen.'),
  })
  .meta({ id: 'SslCheckResult' });

const dnsCheckResult = z
  .strictObject({
    ...lightFields,
    request: z
      .strictObject({
        query: z.string(),
        recordType: z.string(),
        nameServer: z.string().nullable(),
        port: z.int(),
        protocol: z.string(),
      })
      .nullable()
      .describe(inFull),
    response: z
      .strictObject({
        code: z.string().describe('As NOERROR or NXDOMAIN.'),
        answers: z.int().describe('Records in the answer.'),
        text: z.string().exactOptional().describe('A line for each record; absent when only the outcome is kept.'),
        json: jsonObject.exactOptional().describe('What JSON_ANSWER looks at; absent when only the outcome is kept.'),
      })
      .nullable()
      .describe('null when there was no answer.'),
  })
  .meta({ id: 'DnsCheckResult' });

const icmpCheckResult = z
  .strictObject({
    ...lightFields,
    request: z.strictObject({ hostname: z.string(), pingCount: z.int() }).nullable().describe(inFull),
    response: z
      .strictObject({
        sent: z.int(),
        received: z.int(),
        packetLoss: z.number().describe('Percent.'),
        latency: z
          .strictObject({ min: ms, avg: ms, max: ms, stdDev: ms })
          .nullable()
          .describe('ms; null when nothing came back.'),
        replies: z
          .array(z.strictObject({ number: z.int(), time: ms }))
          .exactOptional()
          .describe('Absent when only the outcome is kept.'),
      })
      .nullable()
      .describe('null when nothing could be sent.'),
  })
  .meta({ id: 'IcmpCheckResult' });

/** The part of a result that belongs to its type; null for a slot that was missed. */
export const resultPartsOf = {
  apiCheckResult: apiCheckResult.nullable().exactOptional(),
  multiStepCheckResult: multiStepCheckResult.nullable().exactOptional(),
  browserCheckResult: browserCheckResult.nullable().exactOptional(),
  urlCheckResult: urlCheckResult.nullable().exactOptional(),
  tcpCheckResult: tcpCheckResult.nullable().exactOptional(),
  sslCheckResult: sslCheckResult.nullable().exactOptional(),
  dnsCheckResult: dnsCheckResult.nullable().exactOptional(),
  icmpCheckResult: icmpCheckResult.nullable().exactOptional(),
  heartbeatCheckResult: heartbeatCheckResult.nullable().exactOptional(),
};
/** Which part the results of a type have. */
export const resultParts = {
  API: 'apiCheckResult',
  MULTI_STEP: 'multiStepCheckResult',
  BROWSER: 'browserCheckResult',
  URL: 'urlCheckResult',
  TCP: 'tcpCheckResult',
  SSL: 'sslCheckResult',
  DNS: 'dnsCheckResult',
  ICMP: 'icmpCheckResult',
  HEARTBEAT: 'heartbeatCheckResult',
} as const satisfies Record<(typeof checkTypes)[number], keyof typeof resultPartsOf>;
