// Creates OCSP requests and verifies OCSP responses, stapled or fetched (RFC 6960).
import { createHash, X509Certificate } from 'node:crypto';
import {
  type Element,
  elementsIn,
  extensionsIn,
  holding,
  readOid,
  plain,
  type Reader,
  readerOf,
  soleElement,
  tags,
  readTime,
} from './der.ts';
import {
  type Issued,
  reading,
  readReason,
  type StatusStatement,
  timeProblem,
  invalidStatus,
  type NoStatus,
  algorithmProblem,
  isSignedBy,
  readSigned,
  type Signed,
} from './status-statement.ts';
import { isCertifiedBy } from '#lib/net/tls-trust.ts';

/** Maximum bytes of a response. With three certificates it has about 4000. */
export const maxOcspBytes = 65_536;

const basicResponse = '1.3.6.1.5.5.7.48.1.1';
/** Key usage of a responder authorized by the CA. */
const ocspSigning = '1.3.6.1.5.5.7.3.9';
const hashNames: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
/** Error statuses of a responder. */
const refusals: Readonly<Record<number, string>> = {
  1: 'malformedRequest',
  2: 'internalError',
  3: 'tryLater',
  5: 'sigRequired',
  6: 'unauthorized',
};
/** Maximum certificates used from a response. */
const maxSigners = 4;

/**
 * Creates a request for one certificate in the form that simple responders require: SHA-1, no nonce (RFC 5019 §2.1).
 */
export function ocspQuestion({ own, issuer }: Issued): Buffer {
  const name = createHash('sha1').update(own.issuerName).digest();
  const key = createHash('sha1').update(issuer.keyBits).digest();
  const sha1 = Buffer.from('300906052b0e03021a0500', 'hex');
  const id = sequence(sha1, Buffer.from([tags.octets, 20]), name, Buffer.from([tags.octets, 20]), key, own.serial);
  // OCSPRequest, TBSRequest, requestList, Request.
  return sequence(sequence(sequence(sequence(id))));
}

/** Encodes a sequence shorter than 64 kB. */
function sequence(...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tags.sequence, ...head]), content]);
}

/** Verifies a response and returns the status of a certificate. @param now epoch ms */
export function readOcspAnswer(bytes: Buffer, issued: Issued, now: number): StatusStatement | NoStatus {
  if (bytes.length > maxOcspBytes) return invalidStatus(`it is larger than ${maxOcspBytes / 1024} kB`);
  return reading(() => {
    const answer = readerOf(soleElement(bytes, tags.sequence));
    const [status = 0] = answer.next(tags.enumerated).content;
    if (status !== 0) {
      const problem = `the responder refused to answer: ${refusals[status] ?? `status ${status}`}`;
      return { problem, isUnbelievable: false };
    }
    const body = readerOf(readerOf(answer.next(holding(0))).next(tags.sequence));
    const sort = readOid(body.next());
    if (sort !== basicResponse) return invalidStatus(`its response type is unknown: ${sort}`);
    const basic = readerOf(soleElement(body.next(tags.octets).content, tags.sequence));
    const signed = readSigned(basic);
    const problem = signerProblem(signed, basic, issued.issuerCertificate, now);
    return problem === null ? statusInResponse(signed.content, issued, now) : invalidStatus(problem);
  });
}

/** Returns why the signer is not authorized, or null. */
function signerProblem(signed: Signed, basic: Reader, issuer: X509Certificate, now: number): string | null {
  const weakness = algorithmProblem(signed);
  if (weakness !== null) return weakness;
  if (isSignedBy(signed, issuer.publicKey)) return null;
  const enclosed = basic.optional(holding(0));
  const list = enclosed === null ? [] : elementsIn(readerOf(enclosed).next(tags.sequence)).slice(0, maxSigners);
  let problem = 'it is not signed by the issuing CA or a responder that the CA authorized';
  for (const { whole } of list) {
    const signer = certificateIn(whole);
    if (!isSignedBy(signed, signer.publicKey)) continue;
    const refusal = delegationProblem(signer, issuer, now);
    if (refusal === null) return null;
    problem = refusal;
  }
  return problem;
}

function certificateIn(der: Buffer): X509Certificate {
  try {
    const certificate = new X509Certificate(der);
    // The key is parsed on access, and may be invalid.
    if (certificate.publicKey.type === 'public') return certificate;
    throw new RangeError('it contains an invalid key');
  } catch {
    throw new RangeError('it contains an invalid certificate');
  }
}

/** Returns why a signer may not answer for the CA, or null (RFC 6960 §4.2.2.2). */
function delegationProblem(signer: X509Certificate, issuer: X509Certificate, now: number): string | null {
  if (!isCertifiedBy(signer, issuer)) return 'the issuing CA did not certify its signer';
  // Typed as always present, but absent if the certificate lists no usage.
  const uses = signer.keyUsage as readonly string[] | undefined;
  if (uses?.includes(ocspSigning) !== true)
    return 'the certificate of its signer does not allow signing OCSP responses';
  const isOfTime = Date.parse(signer.validFrom) <= now && now <= Date.parse(signer.validTo);
  return isOfTime ? null : 'the certificate of its signer has expired or is not valid yet';
}

function statusInResponse(data: Element, issued: Issued, now: number): StatusStatement | NoStatus {
  const reader = readerOf(data);
  reader.optional(holding(0));
  // Skip the responder's id; only the signature counts.
  reader.next();
  reader.next(tags.generalizedTime);
  const answers = elementsIn(reader.next(tags.sequence));
  const more = reader.optional(holding(1));
  if (more !== null && extensionsIn(readerOf(more).next()).some(({ isCritical }) => isCritical)) {
    return invalidStatus('it has an unknown critical extension');
  }
  for (const each of answers) {
    const answer = readerOf(each);
    if (isAbout(answer.next(tags.sequence), issued)) return statusIn(answer, now);
  }
  return invalidStatus('it is about another certificate');
}

function isAbout(id: Element, { own, issuer }: Issued): boolean {
  const reader = readerOf(id);
  const hash = hashNames[readOid(readerOf(reader.next(tags.sequence)).next())];
  const [name, key] = [reader.next(tags.octets).content, reader.next(tags.octets).content];
  if (hash === undefined || !reader.next(tags.integer).whole.equals(own.serial)) return false;
  const digestOf = (bytes: Buffer): Buffer => createHash(hash).update(bytes).digest();
  return digestOf(own.issuerName).equals(name) && digestOf(issuer.keyBits).equals(key);
}

function statusIn(answer: Reader, now: number): StatusStatement | NoStatus {
  const status = answer.next();
  const thisUpdate = readTime(answer.next());
  const next = answer.optional(holding(0));
  const nextUpdate = next === null ? null : readTime(readerOf(next).next());
  const problem = timeProblem(thisUpdate, nextUpdate, now);
  if (problem !== null) return invalidStatus(problem);
  const statement = { revokedAt: null, reason: null, thisUpdate, nextUpdate };
  if (status.tag === plain(0)) return { ...statement, status: 'good' };
  if (status.tag === plain(2)) return { ...statement, status: 'unknown' };
  if (status.tag !== holding(1)) throw new RangeError('it has an invalid status');
  const revoked = readerOf(status);
  const revokedAt = readTime(revoked.next());
  const reason = revoked.optional(holding(0));
  return {
    ...statement,
    status: 'revoked',
    revokedAt,
    reason: reason === null ? null : readReason(readerOf(reason).next(tags.enumerated).content),
  };
}
