// The parts of a certificate that tell who can say whether it is revoked: Node.js gives them as text or not at all (RFC 5280 §4).
import {
  bitsOf,
  type Element,
  elementsIn,
  type Extension,
  extensionsIn,
  holding,
  oidOf,
  plain,
  readerOf,
  soleElement,
  tags,
} from './der.ts';

export interface CertificateParts {
  /** Its number with its authority, DER. */
  readonly serial: Buffer;
  /** DER. */
  readonly issuerName: Buffer;
  readonly subjectName: Buffer;
  /** The bits of its public key, as OCSP hashes them. */
  readonly keyBits: Buffer;
  /** Where it says that responders answer, `http:` only: over https one would have to ask for theirs first. */
  readonly ocspUrls: readonly string[];
  /** Where it says that lists of revoked certificates of its authority lie, `http:` only. */
  readonly crlUrls: readonly string[];
}

const authorityAccess = '1.3.6.1.5.5.7.1.1';
const ocspAccess = '1.3.6.1.5.5.7.48.1';
const distributionPoints = '2.5.29.31';

/** Addresses of one sort that are tried. */
const mostUrls = 2;

/** @param der a certificate that Node.js could read @throws {RangeError} */
export function readCertificate(der: Buffer): CertificateParts {
  const signed = readerOf(readerOf(soleElement(der, tags.sequence)).next(tags.sequence));
  signed.optional(holding(0));
  const serial = signed.next(tags.integer).whole;
  signed.next(tags.sequence);
  const issuerName = signed.next(tags.sequence).whole;
  signed.next(tags.sequence);
  const subjectName = signed.next(tags.sequence).whole;
  const key = readerOf(signed.next(tags.sequence));
  key.next(tags.sequence);
  const keyBits = bitsOf(key.next());
  signed.optional(plain(1), holding(1));
  signed.optional(plain(2), holding(2));
  const list = signed.optional(holding(3));
  const extensions = list === null ? [] : extensionsIn(readerOf(list).next());
  const valueOf = (wanted: string): Extension | undefined => extensions.find(({ oid }) => oid === wanted);
  const access = valueOf(authorityAccess);
  const points = valueOf(distributionPoints);
  return {
    serial,
    issuerName,
    subjectName,
    keyBits,
    ocspUrls: usable(access === undefined ? [] : respondersIn(access)),
    crlUrls: usable(points === undefined ? [] : listsIn(points)),
  };
}

function usable(urls: readonly string[]): string[] {
  return urls.filter((url) => /^http:\/\//i.test(url) && url.length <= 2048).slice(0, mostUrls);
}

function respondersIn({ value }: Extension): string[] {
  return elementsIn(soleElement(value, tags.sequence)).flatMap((each) => {
    const reader = readerOf(each);
    const isResponder = oidOf(reader.next()) === ocspAccess;
    const place = reader.next();
    return isResponder && place.tag === uri ? [place.content.toString('latin1')] : [];
  });
}

/** Lists of others, and lists of some reasons only, are not those one asks. */
function listsIn({ value }: Extension): string[] {
  return elementsIn(soleElement(value, tags.sequence)).flatMap((each) => {
    const reader = readerOf(each);
    const name = reader.optional(holding(0));
    const isAll = reader.optional(plain(1), holding(2)) === null;
    return isAll && name !== null ? urlsIn(name) : [];
  });
}

/** `[6]` of a GeneralName. */
const uri = plain(6);

/** The addresses in the name of a distribution point. @throws {RangeError} */
export function urlsIn(name: Element): string[] {
  const full = readerOf(name).optional(holding(0));
  if (full === null) return [];
  return elementsIn(full).flatMap(({ tag, content }) => (tag === uri ? [content.toString('latin1')] : []));
}
