// A revocation status from a CA and its validity.
import type { X509Certificate } from 'node:crypto';
import type { CertificateParts } from './certificate-parts.ts';

export interface Issued {
  readonly own: CertificateParts;
  readonly issuer: CertificateParts;
  readonly issuerCertificate: X509Certificate;
}

/** Status of a certificate; times in epoch ms. */
export interface StatusStatement {
  readonly status: 'good' | 'revoked' | 'unknown';
  /** null if it is not revoked or the time is unknown. */
  readonly revokedAt: number | null;
  /** For example `keyCompromise`; null = none given. */
  readonly reason: string | null;
  readonly thisUpdate: number;
  /** null if the status may change at any time. */
  readonly nextUpdate: number | null;
}

/** Why a response is unusable. */
export interface NoStatus {
  readonly problem: string;
  /** Whether a response was received but is invalid, as opposed to unreachable. */
  readonly isUnbelievable: boolean;
}

/** Tolerated clock skew. */
const otherClocksMs = 300_000;

/** Maximum age of a response without an expiry. */
const oldestEndlessMs = 7 * 86_400_000;

/** Returns why a response is not valid at a time, or null. Epoch ms. */
export function timeProblem(thisUpdate: number, nextUpdate: number | null, now: number): string | null {
  if (thisUpdate > now + otherClocksMs) return `it is not valid before ${instant(thisUpdate)}`;
  if (nextUpdate !== null && nextUpdate < now - otherClocksMs) return `it expired on ${instant(nextUpdate)}`;
  // A response without an expiry could be replayed forever, even after a revocation.
  if (nextUpdate === null && thisUpdate < now - oldestEndlessMs)
    return `it is of ${instant(thisUpdate)} and has no expiry`;
  return null;
}

/** Revocation reasons by number (RFC 5280 §5.3.1). */
const reasons: readonly (string | null)[] = [
  'unspecified',
  'keyCompromise',
  'cACompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'certificateHold',
  null,
  'removeFromCRL',
  'privilegeWithdrawn',
  'aACompromise',
];

/** @param content of the number, DER */
export function readReason(content: Buffer): string | null {
  return content.length === 1 ? (reasons[content.readUInt8(0)] ?? null) : null;
}

/** Parses untrusted data and returns parse errors instead of throwing. */
export function reading<Read>(read: () => Read | NoStatus): Read | NoStatus {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problem: `it cannot be read: ${error.message}`, isUnbelievable: true };
  }
}

/** A response that was received but is invalid. */
export function invalidStatus(problem: string): NoStatus {
  return { problem, isUnbelievable: true };
}

function instant(at: number): string {
  return new Date(at).toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z');
}
