// Lists of revoked certificates, as authorities publish them (RFC 5280 §5).
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
  timeOf,
} from './der.ts';
import { type Issued, reading, reasonOf, type Said, timeProblem, unbelievable, type Unsaid } from './said.ts';
import { algorithmProblem, isSignedBy, readSigned } from './signed.ts';

/** A list that is of the authority and of this time. */
export interface RevokedList {
  /** One element for each revoked certificate. */
  readonly entries: Buffer;
  /** Epoch ms. */
  readonly thisUpdate: number;
  readonly nextUpdate: number | null;
  /** What it calls its own distribution point, as `namesIn` tells names; null = it names none, and is of all. */
  readonly names: readonly string[] | null;
}

const issuingPoint = '2.5.29.28';
const reasonCode = '2.5.29.21';
/** Marks of a list that is not about all certificates for servers: of authorities, some reasons, others', attributes. */
const someReasons = plain(3);
const partial: ReadonlySet<number> = new Set([plain(2), someReasons, plain(4), plain(5)]);

/**
 * Reads a list and judges whether it is the one that a certificate names.
 *
 * @param place where it was fetched
 * @param now epoch ms
 */
export function readRevokedList(
  bytes: Buffer,
  { own, issuerCertificate }: Issued,
  place: ListPlace,
  now: number,
): RevokedList | Unsaid {
  return reading(() => {
    const signed = readSigned(readerOf(soleElement(bytes, tags.sequence)));
    const weakness = algorithmProblem(signed);
    if (weakness !== null) return unbelievable(weakness);
    const list = readerOf(signed.content);
    list.optional(tags.integer);
    list.next(tags.sequence);
    const isOfIssuer = list.next(tags.sequence).whole.equals(own.issuerName);
    if (!isOfIssuer || !isSignedBy(signed, issuerCertificate.publicKey)) {
      return unbelievable('it is not signed by the issuing CA');
    }
    const thisUpdate = timeOf(list.next());
    const next = list.optional(tags.utcTime, tags.generalizedTime);
    const nextUpdate = next === null ? null : timeOf(next);
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
    // Not a piece of the whole answer: what is kept is what counts.
    return problem === null ? { entries: Buffer.from(entries), thisUpdate, nextUpdate, names } : unbelievable(problem);
  });
}

/**
 * Whether a list is the one that lies at a place: one authority may have many, and another one of its own says nothing of the
 * certificate. A distribution point may have several names, of which any is enough (RFC 5280 §6.3.3 (b)(2)(i)).
 */
export function isListOf({ names }: Pick<RevokedList, 'names'>, place: ListPlace): boolean {
  return names === null || names.some((name) => place.names.includes(name));
}

/** Why a list says nothing of certificates for servers; null = it does. @param scope what its issuing distribution point says */
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

/** An authority may have an empty name. */
function nameOf({ subject }: { readonly subject: string | undefined }): string {
  return subject?.slice(0, 200) ?? 'that authority';
}

/** What a list says of a certificate. @throws {RangeError} */
export function saidInList({ entries, thisUpdate, nextUpdate }: RevokedList, { own }: Issued): Said {
  const said = { status: 'good', revokedAt: null, reason: null, thisUpdate, nextUpdate } as const;
  // A list may have a hundred thousand entries: read is only one in which the bytes of the number stand.
  let hit = entries.indexOf(own.serial);
  for (let at = 0, end = 0; hit >= 0; at = end) {
    end = endAt(entries, at);
    if (end <= hit) continue;
    const reader = readerOf(elementAt(entries, at));
    hit = entries.indexOf(own.serial, end);
    if (!reader.next().whole.equals(own.serial)) continue;
    const revokedAt = timeOf(reader.next());
    const more = reader.optional(tags.sequence);
    const reason = more === null ? undefined : extensionsIn(more).find(({ oid }) => oid === reasonCode);
    return {
      ...said,
      status: 'revoked',
      revokedAt,
      reason: reason === undefined ? null : reasonOf(soleElement(reason.value, tags.enumerated).content),
    };
  }
  return said;
}
