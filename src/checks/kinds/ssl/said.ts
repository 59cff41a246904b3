// What an authority says of a certificate of its own, and until when that is to be believed.
import type { X509Certificate } from 'node:crypto';
import type { CertificateParts } from './certificate-parts.ts';

/** A certificate and the one that signed it. */
export interface Issued {
  readonly own: CertificateParts;
  readonly issuer: CertificateParts;
  readonly issuerCertificate: X509Certificate;
}

/** What is said of a certificate; times in epoch ms. */
export interface Said {
  readonly status: 'good' | 'revoked' | 'unknown';
  /** null = it is not, or nobody said since when. */
  readonly revokedAt: number | null;
  /** As `keyCompromise`; null = none was given. */
  readonly reason: string | null;
  readonly thisUpdate: number;
  /** null = it can change at any time. */
  readonly nextUpdate: number | null;
}

/** Why what came says nothing. */
export interface Unsaid {
  readonly problem: string;
  /** It came, and cannot be believed: something is wrong there, and not only out of reach. */
  readonly isUnbelievable: boolean;
}

/** The clocks of others may be ahead of ours or behind it by as much, ms. */
const otherClocksMs = 300_000;

/** How old what names no end may be, ms. */
const oldestEndlessMs = 7 * 86_400_000;

/** Why something said then is not to be believed now; null = it is. Epoch ms. */
export function timeProblem(thisUpdate: number, nextUpdate: number | null, now: number): string | null {
  if (thisUpdate > now + otherClocksMs) return `it is not valid before ${instant(thisUpdate)}`;
  if (nextUpdate !== null && nextUpdate < now - otherClocksMs) return `it expired on ${instant(nextUpdate)}`;
  // What tells no end could be shown for ever, also after a revocation.
  if (nextUpdate === null && thisUpdate < now - oldestEndlessMs)
    return `it is of ${instant(thisUpdate)} and has no expiry`;
  return null;
}

/** Reasons of a revocation by their number (RFC 5280 §5.3.1). */
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
export function reasonOf(content: Buffer): string | null {
  return content.length === 1 ? (reasons[content.readUInt8(0)] ?? null) : null;
}

/** Reads what may be anything: what it is not is told, and not thrown. */
export function reading<Read>(read: () => Read | Unsaid): Read | Unsaid {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { problem: `it cannot be read: ${error.message}`, isUnbelievable: true };
  }
}

/** What came and cannot be believed. */
export function unbelievable(problem: string): Unsaid {
  return { problem, isUnbelievable: true };
}

function instant(at: number): string {
  return new Date(at).toISOString().replace(/:\d\d\.\d{3}Z$/, 'Z');
}
