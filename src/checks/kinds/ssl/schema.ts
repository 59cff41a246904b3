// The schema of SSL checks (reference §4.3: sslConfig).
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';
import type { CheckSchema, SettingsOf } from '../../schema.ts';
import { assertionList, assertionsShown } from '../../parts/assertions/schema.ts';
import {
  hostname,
  inFull,
  ipFamily,
  ipFamilyShown,
  lightResult,
  port,
  responseTimes,
  responseTimesShown,
} from '../../parts/schema.ts';

/** What assertions may look at. */
export const sources = ['CERTIFICATE', 'CONNECTION', 'RESPONSE_TIME', 'JSON_RESPONSE', 'TEXT_RESPONSE'] as const;
const versions = ['TLS1.0', 'TLS1.1', 'TLS1.2', 'TLS1.3'] as const;
const severities = ['fail', 'degrade', 'ignore'] as const;

const revocations = ['STAPLED', 'ONLINE', 'OFF'] as const;

/** A rule of the baseline by its name: what is right, and how bad it is when it is broken. */
const severity = (usual: (typeof severities)[number]) => z.enum(severities).default(usual);
const version = (value: (typeof versions)[number], usual: (typeof severities)[number]) =>
  z.strictObject({ value: z.enum(versions).default(value), severity: severity(usual) }).prefault({});
const bits = (value: number, usual: (typeof severities)[number]) =>
  z.strictObject({ value: z.int().min(0).max(16_384).default(value), severity: severity(usual) }).prefault({});
const rule = (usual: (typeof severities)[number]) => z.strictObject({ severity: severity(usual) }).prefault({});

const securityBaseline = z
  .strictObject({
    enabled: z.boolean().default(true),
    minTLSVersion: version('TLS1.2', 'fail'),
    minKeySizeBits: bits(2048, 'fail').describe(
      'For RSA keys. Other key types count as the RSA size of equal strength.',
    ),
    weakSignatureAlgorithm: rule('fail').describe('MD2, MD5 or SHA-1, the root left out.'),
    weakCipherSuite: rule('fail').describe('Broken, or without forward secrecy.'),
    knownBadCA: rule('fail').describe('Stored and returned. Untrusted authorities always fail.'),
    recommendedTLSVersion: version('TLS1.3', 'ignore'),
    recommendedKeySizeBits: bits(3072, 'ignore'),
    ocspMustStapleRespected: rule('fail').describe('A certificate that asks for a stapled OCSP response has one.'),
    sctPresent: rule('ignore').describe('The certificate holds timestamps of certificate transparency.'),
    revocationAnswerValid: rule('degrade').describe(
      'An OCSP response or list of revoked certificates that came is signed, of this time, and knows the certificate.',
    ),
  })
  .meta({ id: 'SecurityBaselineWrite', description: 'Minimum requirements for the certificate and the connection.' });

const sslConfig = z
  .strictObject({
    hostname: hostname.describe('Name or address, without scheme and port.'),
    port: port.default(443),
    serverName: orNull(z.string().trim().max(2048), () => '')
      .default('')
      .describe('Server name (SNI) to send instead of the host name. The certificate must match it.'),
    ipFamily,
    skipChainValidation: z.boolean().default(false).describe('Judge neither trust nor name.'),
    handshakeTimeoutMs: orNull(z.int().min(1000).max(30_000), () => 10_000).default(10_000),
    alertDaysBeforeExpiry: orNull(z.int().min(1).max(365), () => 20)
      .default(20)
      .describe('Fewer days left than this are degraded.'),
    revocation: orNull(z.enum(revocations), () => 'STAPLED' as const)
      .default('STAPLED')
      .describe(
        'How to check for revocation: by the OCSP response that the server staples (STAPLED), otherwise also by the OCSP responder or revocation list of the CA (ONLINE), or not at all (OFF).',
      ),
    securityBaseline: z.preprocess((value) => value ?? {}, securityBaseline).prefault({}),
    clientCertificateMode: z
      .preprocess(
        (value) => (value === '' ? null : value),
        z.null('must be null: client certificates are not supported here'),
      )
      .default(null),
    assertions: assertionList(
      'SslAssertion',
      sources,
      'CERTIFICATE and CONNECTION: a value name. JSON_RESPONSE: a JSON path.',
    ).default([]),
  })
  .meta({ id: 'SslConfigWrite', description: 'The host to check and the requirements for its certificate.' });

/**
 * A body in which newer clients put it all under `request`: host, port, `sslConfig` and assertions. It means the same
 * as one flat `sslConfig`.
 */
function liftingSslConfig(body: z.ZodType): z.ZodType {
  return z.preprocess((value) => {
    if (!isObject(value) || !isObject(value['request']) || 'sslConfig' in value) return value;
    const { request, ...rest } = value;
    const { sslConfig: config, sslClientCertificateId: certificate, ...place } = request;
    if (!isObject(config)) return value;
    const unknown =
      certificate === null || certificate === '' || certificate === undefined
        ? {}
        : { sslClientCertificateId: certificate };
    return { ...rest, sslConfig: { ...place, ...config, ...unknown } };
  }, body);
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const severityShown = z.enum(severities);
const ruleShown = z.strictObject({ severity: severityShown });
const versionShown = ruleShown.extend({ value: z.enum(versions) });
const bitsShown = ruleShown.extend({ value: z.int() });

const sslConfigShown = z
  .strictObject({
    hostname: z.string(),
    port: z.int(),
    serverName: z.string(),
    ipFamily: ipFamilyShown,
    skipChainValidation: z.boolean(),
    handshakeTimeoutMs: z.int(),
    alertDaysBeforeExpiry: z.int(),
    revocation: z.enum(revocations).exactOptional().describe('Absent, and STAPLED, on checks older than it.'),
    securityBaseline: z.strictObject({
      enabled: z.boolean(),
      minTLSVersion: versionShown,
      minKeySizeBits: bitsShown,
      weakSignatureAlgorithm: ruleShown,
      weakCipherSuite: ruleShown,
      knownBadCA: ruleShown,
      recommendedTLSVersion: versionShown,
      recommendedKeySizeBits: bitsShown,
      ocspMustStapleRespected: ruleShown,
      sctPresent: ruleShown,
      revocationAnswerValid: ruleShown.exactOptional().describe('Absent, and degrade, on checks older than it.'),
    }),
    clientCertificateMode: z.null(),
    assertions: assertionsShown(sources),
  })
  .meta({ id: 'SslConfig' });

const revocationStatus = z.enum(['good', 'revoked', 'unknown']);
const revocation = z
  .strictObject({
    status: revocationStatus,
    source: z.enum(['STAPLED', 'OCSP', 'CRL']).nullable().describe('Source of the status. null = none.'),
    revokedAt: z.string().nullable(),
    reason: z.string().nullable().describe('For example keyCompromise.'),
    thisUpdate: z.string().nullable(),
    nextUpdate: z.string().nullable().describe('End of its validity. null if not stated.'),
    problem: z.string().nullable().describe('Why it is not known, in a sentence.'),
  })
  .describe('Whether it is revoked; null where the check does not ask, absent in results older than it.');

export const sslSchema = {
  type: 'SSL',
  name: 'Ssl',
  title: 'an SSL check',
  analyticsPath: 'ssl',
  about: 'Watches a certificate, and the connection it is shown over.',
  description: 'Watches a certificate: its dates, name, trust and strength, and the connection it is shown over.',
  example: {
    name: 'Certificate of the shop',
    frequency: 720,
    sslConfig: {
      hostname: 'shop.example',
      assertions: [{ source: 'CERTIFICATE', property: 'issuerCN', comparison: 'CONTAINS', target: 'Example CA' }],
    },
  },
  fields: { sslConfig, ...responseTimes(3000, 10_000) },
  shown: { sslConfig: sslConfigShown, ...responseTimesShown },
  result: {
    ...lightResult,
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
  },
  lenient: liftingSslConfig,
} as const satisfies CheckSchema;

export type SslSettings = SettingsOf<typeof sslSchema>;
export type SslConfig = SslSettings['sslConfig'];
