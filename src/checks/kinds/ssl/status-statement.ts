// A revocation status from a CA and its validity.
import { type X509Certificate, constants, type KeyObject, verify } from 'node:crypto';
import type { CertificateParts } from './certificate-parts.ts';
import { readBits, type Element, holding, readOid, type Reader, readerOf, tags } from './der.ts';

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

export interface Signed {
  /** The signed part. */
  readonly content: Element;
  readonly algorithm: Element;
  readonly signature: Buffer;
}

/** Reads the three parts of a signed structure. @throws {RangeError} */
export function readSigned(reader: Reader): Signed {
  return {
    content: reader.next(tags.sequence),
    algorithm: reader.next(tags.sequence),
    signature: readBits(reader.next()),
  };
}

/** Hash by algorithm; null if the algorithm includes it. */
const hashes: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
  '1.3.101.113': null,
};
const pss = '1.2.840.113549.1.1.10';
const pssHashes: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
/** MD5 and SHA-1 with RSA or ECDSA, which can be forged. */
const weak: ReadonlySet<string> = new Set(['1.2.840.113549.1.1.4', '1.2.840.113549.1.1.5', '1.2.840.10045.4.1']);

/** Returns why signatures of this algorithm are rejected, or null. @throws {RangeError} */
export function algorithmProblem({ algorithm }: Signed): string | null {
  const name = readOid(readerOf(algorithm).next());
  if (weak.has(name)) return 'it has a weak signature (MD5 or SHA-1)';
  const isKnown = name === pss ? pssHashOf(algorithm) !== undefined : name in hashes;
  return isKnown ? null : `it has an unknown signature algorithm: ${name}`;
}

/** Whether a key made the signature. @throws {RangeError} */
export function isSignedBy({ content, algorithm, signature }: Signed, key: KeyObject): boolean {
  const name = readOid(readerOf(algorithm).next());
  const hash = name === pss ? pssHashOf(algorithm) : hashes[name];
  if (hash === undefined) return false;
  const padding = name === pss ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {};
  try {
    return verify(hash, content.whole, { key, ...padding }, signature);
  } catch {
    // The key type does not match the signature.
    return false;
  }
}

function pssHashOf(algorithm: Element): string | undefined {
  const reader = readerOf(algorithm);
  reader.next();
  const parameters = reader.optional(tags.sequence);
  const hash = parameters === null ? null : readerOf(parameters).optional(holding(0));
  return hash === null ? undefined : pssHashes[readOid(readerOf(readerOf(hash).next(tags.sequence)).next())];
}
