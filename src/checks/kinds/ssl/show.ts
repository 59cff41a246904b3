// How SSL checks are presented.
import { hostAndPort } from '#lib/net/host-and-port.ts';
import { lightEvidence } from '../../parts/show.ts';
import type { Certificate, CheckShow, EvidenceFacts, EvidenceSection, Format, PartOf } from '../../show.ts';
import type { sslSchema } from './schema.ts';

type SslPart = PartOf<(typeof sslSchema)['result']>;
type Seen = NonNullable<SslPart['response']>;

export const sslShow: CheckShow<typeof sslSchema> = {
  type: 'SSL',
  label: 'SSL',
  phases: 'results',
  hasCertificate: true,
  request: ({ sslConfig }) => ({ ...sslConfig, target: hostAndPort(sslConfig.hostname, sslConfig.port) }),
  evidence: (part, format) => {
    const { request, response, address } = part;
    const section: EvidenceSection = {
      title: 'Certificate',
      facts: [
        ['Request', request && `${request.hostname}:${request.port}, server name ${request.serverName}`],
        ['Address', address],
      ],
      certificate: response && certificateOf(response, format),
      isShort: false,
    };
    const comparable = response === null ? [] : comparableOf(response);
    return { ...lightEvidence(part, section, response && valuesOf(response), comparable), isFirst: true };
  },
};

function valuesOf(seen: Seen) {
  const { certificate, connection } = seen;
  return {
    CERTIFICATE: certificate,
    CONNECTION: connection,
    JSON_RESPONSE: seen,
    TEXT_RESPONSE: JSON.stringify(seen),
  };
}

function comparableOf(seen: Seen): EvidenceFacts {
  const { certificate, connection } = seen;
  return [
    ['Certificate', certificate.fingerprintSha256],
    ['Issuer', certificate.issuerCN],
    ['Valid to', certificate.validTo],
    ['Chain', connection.chainTrusted ? 'trusted' : 'not trusted'],
    ['TLS', connectionOf(seen)],
  ];
}

function certificateOf(seen: Seen, format: Format): Certificate {
  const { certificate, connection } = seen;
  const { subjectCN, issuerCN, selfSigned, sans, keySizeBits, issuerFingerprintSha256: issuer } = certificate;
  return {
    path: [
      { name: subjectCN ?? sans[0] ?? 'No subject', note: selfSigned ? 'self-signed' : 'server certificate' },
      ...(selfSigned
        ? []
        : [
            {
              name: issuerCN ?? 'Unnamed issuer',
              note: `issuer${connection.chainTrusted ? ', chain trusted' : ', chain not trusted'}`,
            },
          ]),
    ],
    validFrom: certificate.validFrom,
    validTo: certificate.validTo,
    daysUntilExpiry: certificate.daysUntilExpiry,
    facts: [
      ['Names', [...new Set([subjectCN, ...sans].filter((name) => name !== null))].join(', ')],
      ['Key', [certificate.keyAlgorithm, keySizeBits && `${keySizeBits} bit`].filter(Boolean).join(', ')],
      ['Signature', certificate.signatureAlgorithm],
      ['Connection', connectionOf(seen)],
      ['Name', connection.hostnameVerified ? 'Matches the host' : 'Does not match the host'],
      ['Revocation', revocationOf(seen, format)],
      ['Serial number', { code: certificate.serialNumber }],
      ['SHA-256', { code: certificate.fingerprintSha256 }],
      ...(issuer === null ? [] : [['SHA-256 of the issuer', { code: issuer }] as const]),
    ],
  };
}

function connectionOf({ connection }: Seen): string {
  return `${connection.tlsVersion}, ${connection.cipherSuite}`;
}

const sources = { STAPLED: 'stapled OCSP response', OCSP: 'OCSP responder', CRL: 'revocation list' } as const;

/** Whether the certificate is revoked, and the source of that information. */
function revocationOf({ revocation, connection: { ocspStatus } }: Seen, { day }: Format): string {
  const status = revocation?.status ?? ocspStatus ?? 'unknown';
  const source = revocation?.source == null ? '' : ` (${sources[revocation.source]})`;
  if (status === 'good') return `Not revoked${source}`;
  const { revokedAt = null, reason = null, problem = null } = revocation ?? {};
  if (status === 'revoked') {
    const since = revokedAt === null ? '' : ` since ${day(Date.parse(revokedAt))}`;
    return `Revoked${since}${reason === null ? '' : `, ${reason}`}${source}`;
  }
  return `${source === '' ? 'Not checked' : `Unknown${source}`}${problem === null ? '' : `: ${problem}`}`;
}
