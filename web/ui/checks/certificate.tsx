// The certificate in a result: path, dates, connection.
import type { Result } from './result-part.ts';
import { Facts } from '../layout/page.tsx';
import { Day } from '../text/time.tsx';
import { day } from '../text/format.ts';
import { useNow } from '../text/now.ts';
import css from './certificate.module.css';

export type SeenCertificate = NonNullable<NonNullable<Result['sslCheckResult']>['response']>;

/** `12 days left` */
export function daysLeft(days: number): string {
  if (days < 0) return `expired ${-days} ${days === -1 ? 'day' : 'days'} ago`;
  return `${days} ${days === 1 ? 'day' : 'days'} left`;
}

export function CertificatePath({ seen }: { readonly seen: SeenCertificate }) {
  const { certificate, connection } = seen;
  const { validFrom, validTo, daysUntilExpiry, subjectCN, issuerCN, selfSigned, sans } = certificate;
  const now = useNow();
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const used = Math.min(1, Math.max(0, (now - from) / (to - from)));
  const names = [...new Set([subjectCN, ...sans].filter((name) => name !== null))];
  return (
    <div className={css['certificate']}>
      <ol className={css['path']} aria-label="Certificate path">
        <li>
          <strong>{subjectCN ?? sans[0] ?? 'No subject'}</strong>
          <span className="quiet">{selfSigned ? 'self-signed' : 'server certificate'}</span>
        </li>
        {!selfSigned && (
          <li>
            <strong>{issuerCN ?? 'Unnamed issuer'}</strong>
            <span className="quiet">issuer{connection.chainTrusted ? ', chain trusted' : ', chain not trusted'}</span>
          </li>
        )}
      </ol>
      <div className={css['validity']}>
        <Day at={validFrom} />
        <span className={css['track']} role="img" aria-label={daysLeft(daysUntilExpiry)}>
          <span className={css['used']} style={{ width: `${used * 100}%` }} />
        </span>
        <Day at={validTo} />
        <strong className={daysUntilExpiry < 14 ? css['soon'] : undefined}>{daysLeft(daysUntilExpiry)}</strong>
      </div>
      <Facts
        facts={[
          ['Names', names.join(', ')],
          [
            'Key',
            [certificate.keyAlgorithm, certificate.keySizeBits && `${certificate.keySizeBits} bit`]
              .filter(Boolean)
              .join(', '),
          ],
          ['Signature', certificate.signatureAlgorithm],
          ['Connection', `${connection.tlsVersion}, ${connection.cipherSuite}`],
          ['Name', connection.hostnameVerified ? 'Matches the host' : 'Does not match the host'],
          ['Revocation', formatRevocation(seen)],
          ['Serial number', <code key="serial">{certificate.serialNumber}</code>],
          ['SHA-256', <code key="sha">{certificate.fingerprintSha256}</code>],
          ...(certificate.issuerFingerprintSha256 === null
            ? []
            : [['SHA-256 of the issuer', <code key="issuer">{certificate.issuerFingerprintSha256}</code>] as const]),
        ]}
      />
    </div>
  );
}

const sources = { STAPLED: 'stapled OCSP response', OCSP: 'OCSP responder', CRL: 'revocation list' } as const;

/** Whether the certificate is revoked, and the source of that information. */
function formatRevocation({ revocation, connection: { ocspStatus } }: SeenCertificate): string {
  const status = revocation?.status ?? ocspStatus ?? 'unknown';
  const source = revocation?.source == null ? '' : ` (${sources[revocation.source]})`;
  if (status === 'good') return `Not revoked${source}`;
  if (status === 'revoked') {
    const { revokedAt = null, reason = null } = revocation ?? {};
    const since = revokedAt === null ? '' : ` since ${day(Date.parse(revokedAt))}`;
    return `Revoked${since}${reason === null ? '' : `, ${reason}`}${source}`;
  }
  if (revocation?.source != null)
    return `Unknown${source}${revocation.problem === null ? '' : `: ${revocation.problem}`}`;
  return revocation?.problem == null ? 'Not checked' : `Not checked: ${revocation.problem}`;
}
