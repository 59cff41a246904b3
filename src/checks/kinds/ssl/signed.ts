// Verifies signatures of OCSP responses and CRLs.
import { constants, type KeyObject, verify } from 'node:crypto';
import { readBits, type Element, holding, readOid, type Reader, readerOf, tags } from './der.ts';

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
