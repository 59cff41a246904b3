// The certificates that checks see, for a list of those that expire. Times are epoch ms.
import type { SeenCertificate } from './result.ts';

/** What the state of a check stores of the certificate that it last saw. */
export interface StateCertificate extends Pick<SeenCertificate, 'domain' | 'role' | 'issuer'> {
  readonly seenAt: number;
}

/** The certificate that a check last saw. */
export interface MonitoredCertificate extends StateCertificate {
  readonly checkId: string;
  readonly name: string;
  readonly checkType: string;
  readonly validTo: number;
}

/** What is stored of a certificate. @param seenAt epoch ms */
export function stateCertificate({ domain, role, issuer }: SeenCertificate, seenAt: number): StateCertificate {
  return { domain, seenAt, ...(role !== undefined && { role }), ...(issuer !== undefined && { issuer }) };
}
