// The expiry of certificates that checks monitor.
import type { SeenCertificate } from './result.ts';

export const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;

/** `expires in 5 hours`, in the largest unit that fits twice; `has expired` after expiry. */
export function timeLeft(ms: number): string {
  if (ms < 0) return 'has expired';
  if (ms >= 2 * dayMs) return `expires in ${Math.floor(ms / dayMs)} days`;
  if (ms >= 2 * hourMs) return `expires in ${Math.floor(ms / hourMs)} hours`;
  if (ms >= 2 * minuteMs) return `expires in ${Math.floor(ms / minuteMs)} minutes`;
  return `expires in ${Math.floor(ms / 1000)} seconds`;
}

/** `the certificate of shop.example expires in 12 days`. @param now epoch ms */
export function certificateSentence({ role, domain, validTo }: SeenCertificate, now: number): string {
  return `the ${role ?? 'certificate'} of ${domain} ${timeLeft(validTo - now)}`;
}

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
