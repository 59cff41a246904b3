// The settings of an SSL check as its probe sees them (reference §4.3: sslConfig).
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { AssertionSettings, AssertionSource } from '../../parts/assertions/assertion.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { hostProblem } from '../../parts/findings/prepare.ts';
import type { SettingsProblem } from '../../kind.ts';
import { hasPlaceholder } from '../../parts/placeholders.ts';
import { assertions, family, object, positive, text } from '../../parts/read.ts';

export const sslSources = [
  'CERTIFICATE',
  'CONNECTION',
  'RESPONSE_TIME',
  'JSON_RESPONSE',
  'TEXT_RESPONSE',
] as const satisfies readonly AssertionSource[];

export type Severity = 'fail' | 'degrade' | 'ignore';

/** What a certificate and its connection must at least be; `ignore` = it does not matter. */
export interface Baseline {
  /** The oldest version that is fine, as `TLS1.2`. */
  readonly tlsVersion: readonly { readonly value: string; readonly severity: Severity }[];
  /** Bits of an RSA key, or what is as strong. */
  readonly keySize: readonly { readonly value: number; readonly severity: Severity }[];
  readonly weakSignature: Severity;
  readonly weakCipher: Severity;
  readonly mustStaple: Severity;
  readonly timestamps: Severity;
  readonly revocationAnswer: Severity;
}

/** `STAPLED` = only what the server sends along is looked at; `ONLINE` = its authority is asked where that says nothing. */
const revocationModes = ['STAPLED', 'ONLINE', 'OFF'] as const;
export type RevocationMode = (typeof revocationModes)[number];

export interface SslSettings {
  readonly hostname: string;
  readonly port: number;
  /** '' = the host name. */
  readonly serverName: string;
  readonly family: 0 | 4 | 6;
  readonly skipChainValidation: boolean;
  /** ms. */
  readonly handshakeTimeoutMs: number;
  readonly alertDaysBeforeExpiry: number;
  readonly revocation: RevocationMode;
  readonly baseline: Baseline;
  readonly assertions: readonly AssertionSettings[];
  /** ms. */
  readonly degradedResponseTime: number;
  /** ms. */
  readonly maxResponseTime: number;
}

export function readSslSettings(settings: JsonObject): SslSettings {
  const config = object(settings['sslConfig']);
  return {
    hostname: text(config['hostname']),
    port: positive(config['port'], 443),
    serverName: text(config['serverName']),
    family: family(config['ipFamily']),
    skipChainValidation: config['skipChainValidation'] === true,
    handshakeTimeoutMs: positive(config['handshakeTimeoutMs'], 10_000),
    alertDaysBeforeExpiry: positive(config['alertDaysBeforeExpiry'], 20),
    revocation: revocationModes.find((mode) => mode === config['revocation']) ?? 'STAPLED',
    baseline: readBaseline(object(config['securityBaseline'])),
    assertions: assertions(config['assertions']),
    degradedResponseTime: positive(settings['degradedResponseTime'], 3000),
    maxResponseTime: positive(settings['maxResponseTime'], 10_000),
  };
}

function readBaseline(rules: JsonObject): Baseline {
  const rule = (name: string): JsonObject => object(rules[name]);
  const severity = (name: string, usual: Severity): Severity =>
    rules['enabled'] === false ? 'ignore' : severityOf(rule(name)['severity'], usual);
  return {
    tlsVersion: [
      { value: text(rule('minTLSVersion')['value']) || 'TLS1.2', severity: severity('minTLSVersion', 'fail') },
      {
        value: text(rule('recommendedTLSVersion')['value']) || 'TLS1.3',
        severity: severity('recommendedTLSVersion', 'ignore'),
      },
    ],
    keySize: [
      { value: positive(rule('minKeySizeBits')['value'], 2048), severity: severity('minKeySizeBits', 'fail') },
      {
        value: positive(rule('recommendedKeySizeBits')['value'], 3072),
        severity: severity('recommendedKeySizeBits', 'ignore'),
      },
    ],
    weakSignature: severity('weakSignatureAlgorithm', 'fail'),
    weakCipher: severity('weakCipherSuite', 'fail'),
    mustStaple: severity('ocspMustStapleRespected', 'fail'),
    timestamps: severity('sctPresent', 'ignore'),
    revocationAnswer: severity('revocationAnswerValid', 'degrade'),
  };
}

function severityOf(value: JsonValue | undefined, usual: Severity): Severity {
  return value === 'fail' || value === 'degrade' || value === 'ignore' ? value : usual;
}

/** What is wrong with the settings beyond what the wire schema can say. */
export function validateSslSettings(settings: JsonObject): SettingsProblem[] {
  const read = readSslSettings(settings);
  const hosts = [
    ['sslConfig.hostname', read.hostname],
    ...(read.serverName === '' ? [] : [['sslConfig.serverName', read.serverName] as const]),
  ] as const;
  return [
    ...hosts.flatMap(([path, host]) => {
      const message = hasPlaceholder(host) ? null : hostProblem(host);
      return message === null ? [] : [{ path, message }];
    }),
    ...assertionProblems(read.assertions, sslSources, 'sslConfig.assertions'),
    ...timeProblems(settings, read),
  ];
}
