// Parses certificate revocation lists (RFC 5280 §5).
import { type ListPlace, namesIn } from './certificate-parts.ts';
import {
  type Element,
  elementAt,
  elementsIn,
  endAt,
  type Extension,
  extensionsIn,
  holding,
  plain,
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
} from './status-statement.ts';

/** A verified, current CRL. */
export interface RevokedList {
  /** Encoded entries. */
  readonly entries: Buffer;
  /** Epoch ms. */
  readonly thisUpdate: number;
  readonly nextUpdate: number | null;
  /** Names of its distribution point, as returned by `namesIn`; null if it covers all certificates. */
  readonly names: readonly string[] | null;
}

const issuingPoint = '2.5.29.28';
const reasonCode = '2.5.29.21';
/** Tags of CRLs that do not cover all server certificates: CA only, some reasons, indirect, attributes. */
const someReasons = plain(3);
const partial: ReadonlySet<number> = new Set([plain(2), someReasons, plain(4), plain(5)]);

/**
 * Parses a CRL and verifies that it is the one that a certificate names.
 *
 * @param place where it was fetched
 * @param now epoch ms
 */
export function readRevokedList(
  bytes: Buffer,
  { own, issuerCertificate }: Issued,
  place: ListPlace,
  now: number,
): RevokedList | NoStatus {
  return reading(() => {
    const signed = readSigned(readerOf(soleElement(bytes, tags.sequence)));
    const weakness = algorithmProblem(signed);
    if (weakness !== null) return invalidStatus(weakness);
    const list = readerOf(signed.content);
    list.optional(tags.integer);
    list.next(tags.sequence);
    const isOfIssuer = list.next(tags.sequence).whole.equals(own.issuerName);
    if (!isOfIssuer || !isSignedBy(signed, issuerCertificate.publicKey)) {
      return invalidStatus('it is not signed by the issuing CA');
    }
    const thisUpdate = readTime(list.next());
    const next = list.optional(tags.utcTime, tags.generalizedTime);
    const nextUpdate = next === null ? null : readTime(next);
    const entries = list.optional(tags.sequence)?.content ?? Buffer.alloc(0);
    const more = list.optional(holding(0));
    const extensions = more === null ? [] : extensionsIn(readerOf(more).next());
    const point = extensions.find(({ oid }) => oid === issuingPoint);
    const scope = point === undefined ? null : soleElement(point.value, tags.sequence);
    const name = scope === null ? null : readerOf(scope).optional(holding(0));
    const names = name === null ? null : namesIn(name, own.issuerName);
    const problem =
      timeProblem(thisUpdate, nextUpdate, now) ??
      scopeProblem(extensions, scope) ??
      (isListOf({ names }, place) ? null : `it is a different list of ${nameOf(issuerCertificate)}`);
    // Copy, so that only the entries stay in memory.
    return problem === null ? { entries: Buffer.from(entries), thisUpdate, nextUpdate, names } : invalidStatus(problem);
  });
}

/**
 * Whether a CRL belongs to a distribution point. A CA may have many. Any common name is enough (RFC 5280 §6.3.3
 * (b)(2)(i)).
 */
export function isListOf({ names }: Pick<RevokedList, 'names'>, place: ListPlace): boolean {
  return names === null || names.some((name) => place.names.includes(name));
}

/** Returns why a CRL does not cover server certificates, or null. @param scope its issuing distribution point */
function scopeProblem(extensions: readonly Extension[], scope: Element | null): string | null {
  if (extensions.some(({ oid, isCritical }) => isCritical && oid !== issuingPoint)) {
    return 'it has an unknown critical extension';
  }
  if (scope === null) return null;
  const isPartial = elementsIn(scope).some(
    ({ tag, content }) => partial.has(tag) && (tag === someReasons || content[0] !== 0),
  );
  return isPartial ? 'it covers other certificates or only some reasons' : null;
}

/** A CA name may be empty. */
function nameOf({ subject }: { readonly subject: string | undefined }): string {
  return subject?.slice(0, 200) ?? 'that authority';
}

/** Looks a certificate up in a CRL. @throws {RangeError} */
export function statusInList({ entries, thisUpdate, nextUpdate }: RevokedList, { own }: Issued): StatusStatement {
  const statement = { status: 'good', revokedAt: null, reason: null, thisUpdate, nextUpdate } as const;
  // A CRL may have 100,000 entries, so search for the bytes of the serial number first.
  let hit = entries.indexOf(own.serial);
  for (let at = 0, end = 0; hit >= 0; at = end) {
    end = endAt(entries, at);
    if (end <= hit) continue;
    const reader = readerOf(elementAt(entries, at));
    hit = entries.indexOf(own.serial, end);
    if (!reader.next().whole.equals(own.serial)) continue;
    const revokedAt = readTime(reader.next());
    const more = reader.optional(tags.sequence);
    const reason = more === null ? undefined : extensionsIn(more).find(({ oid }) => oid === reasonCode);
    return {
      ...statement,
      status: 'revoked',
      revokedAt,
      reason: reason === undefined ? null : readReason(soleElement(reason.value, tags.enumerated).content),
    };
  }
  return statement;
}
