// The form of SSL checks.
import type { CheckForm, LineCheck } from '../../form.ts';
import { assertionField, familyField, hostField, responseTimeFields } from '../../parts/form.ts';

/** `ssl host`, or `ssl host:port`. */
function fromLine(line: string): LineCheck | null {
  const [, hostname, port] = /^(?:ssl|tls)(?:\s+|:\/\/)([^\s:/]+)(?::(\d{1,5}))?\/?$/i.exec(line) ?? [];
  if (hostname === undefined) return null;
  const sslConfig = { hostname, ...(port !== undefined && { port: Number(port) }) };
  return { name: `${hostname}${port === undefined ? '' : `:${port}`} certificate`, body: { sslConfig } };
}

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
    { title: 'Response time', fields: responseTimeFields(3000, 10_000) },
  ],
};
