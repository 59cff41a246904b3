// The form of SSL checks.
import type { FormField } from '#lib/schema/form.ts';
import type { CheckForm, LineCheck } from '../../form.ts';
import { assertionField, familyField, hostField, responseTimeFields } from '../../parts/form.ts';

/** `ssl host`, or `ssl host:port`. */
function fromLine(line: string): LineCheck | null {
  const [, hostname, port] = /^(?:ssl|tls)(?:\s+|:\/\/)([^\s:/]+)(?::(\d{1,5}))?\/?$/i.exec(line) ?? [];
  if (hostname === undefined) return null;
  const sslConfig = { hostname, ...(port !== undefined && { port: Number(port) }) };
  return { name: `${hostname}${port === undefined ? '' : `:${port}`} certificate`, body: { sslConfig } };
}

const severities = [
  ['fail', 'Failed'],
  ['degrade', 'Degraded'],
  ['ignore', 'Ignored'],
] as const;

const baseline = 'sslConfig.securityBaseline';

/** What a violation of a rule means. @param byDefault the severity if nothing is chosen */
function severityField(rule: string, label: string, byDefault: (typeof severities)[number][0]): FormField {
  return {
    path: `${baseline}.${rule}.severity`,
    label,
    input: 'choice',
    options: severities.toSorted(([one], [other]) => Number(other === byDefault) - Number(one === byDefault)),
  };
}

const versions = ['TLS1.0', 'TLS1.1', 'TLS1.2', 'TLS1.3'];

function versionField(rule: string, label: string, byDefault: string): FormField {
  const others = versions.filter((each) => each !== byDefault);
  return {
    path: `${baseline}.${rule}.value`,
    label,
    input: 'choice',
    options: [byDefault, ...others].map((version) => [version, version.replace('TLS', 'TLS ')]),
  };
}

function bitsField(rule: string, label: string, byDefault: number): FormField {
  return { path: `${baseline}.${rule}.value`, label, input: 'number', byDefault, unit: 'bits' };
}

/** Minimum requirements for the certificate and the connection. */
const baselineFields: readonly FormField[] = [
  { path: `${baseline}.enabled`, label: 'Check the requirements below', input: 'flag', byDefault: true },
  versionField('minTLSVersion', 'Required TLS version', 'TLS1.2'),
  severityField('minTLSVersion', 'An older version is', 'fail'),
  bitsField('minKeySizeBits', 'Required key size (RSA)', 2048),
  severityField('minKeySizeBits', 'A smaller key is', 'fail'),
  versionField('recommendedTLSVersion', 'Recommended TLS version', 'TLS1.3'),
  severityField('recommendedTLSVersion', 'A version below the recommended one is', 'ignore'),
  bitsField('recommendedKeySizeBits', 'Recommended key size (RSA)', 3072),
  severityField('recommendedKeySizeBits', 'A key below the recommended size is', 'ignore'),
  severityField('weakSignatureAlgorithm', 'A weak signature algorithm is', 'fail'),
  severityField('weakCipherSuite', 'A weak cipher suite is', 'fail'),
  severityField('ocspMustStapleRespected', 'A missing OCSP response, if the certificate requires one, is', 'fail'),
  severityField('sctPresent', 'A certificate without transparency timestamps is', 'ignore'),
  severityField('revocationAnswerValid', 'An invalid OCSP response or revocation list is', 'degrade'),
];

export const sslForm: CheckForm = {
  fromLine,
  lineExample: 'ssl shop.example',
  type: 'SSL',
  label: 'SSL',
  about: 'checks a certificate, its expiry and its TLS connection',
  hasInterval: true,
  shortestInterval: 10,
  start: { sslConfig: { hostname: '' }, frequency: 720 },
  target: [
    hostField('sslConfig', 'shop.example'),
    { path: 'sslConfig.port', label: 'Port', input: 'number', byDefault: 443 },
  ],
  sections: [
    {
      title: 'Certificate',
      fields: [
        {
          path: 'sslConfig.alertDaysBeforeExpiry',
          label: 'Degraded before expiry',
          input: 'number',
          byDefault: 20,
          unit: 'days',
        },
        {
          path: 'sslConfig.revocation',
          label: 'Revocation',
          help: 'Online also queries the OCSP responder or revocation list of the CA.',
          input: 'choice',
          options: [
            ['STAPLED', 'Stapled response'],
            ['ONLINE', 'Online'],
            ['OFF', 'Off'],
          ],
        },
        {
          path: 'sslConfig.skipChainValidation',
          label: 'Accept any certificate',
          help: 'Neither trust nor name are validated.',
          input: 'flag',
          byDefault: false,
        },
        {
          path: 'sslConfig.serverName',
          label: 'Server name',
          help: 'Sent instead of the host name (SNI); the certificate must match it.',
          input: 'text',
          placeholder: 'shop.example',
        },
        {
          path: 'sslConfig.handshakeTimeoutMs',
          label: 'Handshake limit',
          input: 'number',
          byDefault: 10_000,
          unit: 'ms',
        },
        familyField('sslConfig'),
      ],
    },
    {
      title: 'Assertions',
      fields: [
        assertionField('sslConfig.assertions', [
          'CERTIFICATE',
          'CONNECTION',
          'RESPONSE_TIME',
          'JSON_RESPONSE',
          'TEXT_RESPONSE',
        ]),
      ],
    },
    { title: 'Requirements', fields: baselineFields },
    { title: 'Response time', fields: responseTimeFields(3000, 10_000) },
  ],
};
