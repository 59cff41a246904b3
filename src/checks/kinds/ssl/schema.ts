// The schema of SSL checks (reference §4.3: sslConfig).
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';
import { showAs, shown } from '#lib/schema/shown.ts';
import type { CheckSchema, SettingsOf } from '../../schema.ts';
import { assertionList } from '../../parts/assertions/schema.ts';
import { hostname, inFull, ipFamily, lightResult, port, responseTimes } from '../../parts/schema.ts';

export const sources = ['CERTIFICATE', 'CONNECTION', 'RESPONSE_TIME', 'JSON_RESPONSE', 'TEXT_RESPONSE'] as const;
const versions = ['TLS1.0', 'TLS1.1', 'TLS1.2', 'TLS1.3'] as const;
const severities = ['fail', 'degrade', 'ignore'] as const;

const revocations = ['STAPLED', 'ONLINE', 'OFF'] as const;

/** A baseline rule: the required value and the severity of a violation. */
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
    weakSignatureAlgorithm: rule('fail').describe('Rejects MD2, MD5 and SHA-1, except in the root.'),
    weakCipherSuite: rule('fail').describe('Rejects ciphers that are broken or lack forward secrecy.'),
    knownBadCA: rule('fail').describe('Stored and returned only. Untrusted CAs always fail.'),
    recommendedTLSVersion: version('TLS1.3', 'ignore'),
    recommendedKeySizeBits: bits(3072, 'ignore'),
    ocspMustStapleRespected: rule('fail').describe('Requires a stapled OCSP response if the certificate does.'),
    sctPresent: rule('ignore').describe('Requires certificate transparency timestamps in the certificate.'),
    revocationAnswerValid: showAs(
      rule('degrade').describe(
        'Requires that a received OCSP response or CRL is signed, current and covers the certificate.',
      ),
      shown(rule('degrade')).exactOptional().describe('Absent on older checks, which use degrade.'),
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
    skipChainValidation: z.boolean().default(false).describe('Skip validation of trust and name.'),
    handshakeTimeoutMs: orNull(z.int().min(1000).max(30_000), () => 10_000).default(10_000),
    alertDaysBeforeExpiry: orNull(z.int().min(1).max(365), () => 20)
      .default(20)
      .describe('Degraded if fewer days are left until expiry.'),
    revocation: showAs(
      orNull(z.enum(revocations), () => 'STAPLED' as const)
        .default('STAPLED')
        .describe(
          'How to check for revocation: STAPLED uses the stapled OCSP response, ONLINE also queries the OCSP responder or CRL of the CA, OFF disables it.',
        ),
      z.enum(revocations).exactOptional().describe('Absent on older checks, which use STAPLED.'),
    ),
    securityBaseline: z.preprocess((value) => value ?? {}, securityBaseline).prefault({}),
    clientCertificateMode: z
      .preprocess(
        (value) => (value === '' ? null : value),
        z.null('must be null: client certificates are not supported in this field'),
      )
      .default(null),
    assertions: assertionList(
      'SslAssertion',
      sources,
      'CERTIFICATE and CONNECTION: a value name. JSON_RESPONSE: a JSON path.',
    ).default([]),
  })
  .meta({ id: 'SslConfigWrite', description: 'The host to check and the requirements for its certificate.' });

/** Accepts the form of newer clients, which put host, port, `sslConfig` and assertions under `request`. */
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

const revocationStatus = z.enum(['good', 'revoked', 'unknown']);
const revocation = z
  .strictObject({
    status: revocationStatus,
    source: z.enum(['STAPLED', 'OCSP', 'CRL']).nullable().describe('Source of the status. null = none.'),
    revokedAt: z.string().nullable(),
    reason: z.string().nullable().describe('For example keyCompromise.'),
    thisUpdate: z.string().nullable(),
    nextUpdate: z.string().nullable().describe('Expiry of the status. null if not stated.'),
    problem: z.string().nullable().describe('Why the status is unknown.'),
  })
  .describe('Revocation status. null if the check does not query it. Absent in older results.');

export const sslSchema = {
  type: 'SSL',
  name: 'Ssl',
  title: 'an SSL check',
  analyticsPath: 'ssl',
  about: 'Monitors a TLS certificate and connection.',
  description: 'Checks the dates, name, trust and strength of a certificate, and its TLS connection.',
  example: {
    name: 'Certificate of the shop',
    frequency: 720,
    sslConfig: {
      hostname: 'shop.example',
      assertions: [{ source: 'CERTIFICATE', property: 'issuerCN', comparison: 'CONTAINS', target: 'Example CA' }],
    },
  },
  fields: { sslConfig, ...responseTimes(3000, 10_000) },
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
          ocspStatus: revocationStatus.exactOptional().describe('Absent in older results.'),
          resolvedIp: z.string().nullable(),
        }),
        revocation: revocation.nullable().exactOptional(),
      })
      .nullable()
      .describe('null if the server sent no certificate.'),
  },
  lenient: liftingSslConfig,
} as const satisfies CheckSchema;

export type SslConfig = SettingsOf<typeof sslSchema>['sslConfig'];
