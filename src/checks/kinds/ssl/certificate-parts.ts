// Parses the parts of a certificate that revocation checks need and Node.js does not provide (RFC 5280 §4).
import { createHash } from 'node:crypto';
import {
  readBits,
  type Element,
  elementAt,
  elementsIn,
  type Extension,
  extensionsIn,
  holding,
  readOid,
  plain,
  readerOf,
  soleElement,
  tags,
} from './der.ts';

export interface CertificateParts {
  /** Serial number, DER. */
  readonly serial: Buffer;
  /** DER. */
  readonly issuerName: Buffer;
  readonly subjectName: Buffer;
  /** Bits of the public key, as hashed by OCSP. */
  readonly keyBits: Buffer;
  /** URLs of OCSP responders, `http:` only: https would require a revocation check first. */
  readonly ocspUrls: readonly string[];
  /** CRL distribution points, `http:` only. */
  readonly lists: readonly ListPlace[];
}

/** A CRL distribution point. */
export interface ListPlace {
  readonly url: string;
  /** All names of the distribution point, as returned by `namesIn`. */
  readonly names: readonly string[];
}

const authorityAccess = '1.3.6.1.5.5.7.1.1';
const ocspAccess = '1.3.6.1.5.5.7.48.1';
const distributionPoints = '2.5.29.31';

/** Maximum number of URLs tried per type. */
const maxUrls = 2;

/** @param der a certificate that Node.js accepts @throws {RangeError} */
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
  const keyBits = readBits(key.next());
  signed.optional(plain(1), holding(1));
  signed.optional(plain(2), holding(2));
  const list = signed.optional(holding(3));
  const extensions = list === null ? [] : extensionsIn(readerOf(list).next());
  const valueOf = (wanted: string): Extension | undefined => extensions.find(({ oid }) => oid === wanted);
  const access = valueOf(authorityAccess);
  const responders = access === undefined ? [] : respondersIn(access);
  const points = valueOf(distributionPoints);
  const lists = points === undefined ? [] : listsIn(points, issuerName);
  return {
    serial,
    issuerName,
    subjectName,
    keyBits,
    ocspUrls: responders.filter(isUsable).slice(0, maxUrls),
    lists: lists.filter(({ url }) => isUsable(url)).slice(0, maxUrls),
  };
}

function isUsable(url: string): boolean {
  return /^http:\/\//i.test(url) && url.length <= 2048;
}

function respondersIn({ value }: Extension): string[] {
  return elementsIn(soleElement(value, tags.sequence)).flatMap((each) => {
    const reader = readerOf(each);
    const isResponder = readOid(reader.next()) === ocspAccess;
    const place = reader.next();
    return isResponder && place.tag === uri ? [place.content.toString('latin1')] : [];
  });
}

/** Skips CRLs of other issuers and CRLs for some reasons only. */
function listsIn({ value }: Extension, issuerName: Buffer): ListPlace[] {
  return elementsIn(soleElement(value, tags.sequence)).flatMap((each) => {
    const reader = readerOf(each);
    const name = reader.optional(holding(0));
    const isAll = reader.optional(plain(1), holding(2)) === null;
    if (!isAll || name === null) return [];
    const names = namesIn(name, issuerName);
    return urlsIn(name).map((url) => ({ url, names }));
  });
}

/** `[6]` and `[4]` of a GeneralName. */
const uri = plain(6);
const directoryName = holding(4);

function fullNameIn(name: Element): Element[] | null {
  const full = readerOf(name).optional(holding(0));
  return full === null ? null : elementsIn(full);
}

/** Returns the URLs of a distribution point name. @throws {RangeError} */
function urlsIn(name: Element): string[] {
  return (fullNameIn(name) ?? []).flatMap(({ tag, content }) => (tag === uri ? [content.toString('latin1')] : []));
}

/**
 * Returns all names of a distribution point as comparable hashes, so that long names use little memory.
 *
 * @param issuerName DER name of the CA, which relative names extend
 * @throws {RangeError}
 */
export function namesIn(name: Element, issuerName: Buffer): string[] {
  const full = fullNameIn(name);
  if (full !== null) return full.map(readText);
  const relative = readerOf(name).optional(holding(1));
  if (relative === null) return [];
  const last = Buffer.concat([Buffer.from([tags.set]), relative.whole.subarray(1)]);
  return [hashOf(directoryName, Buffer.concat([elementAt(issuerName, 0).content, last]))];
}

/** Scheme and host of a URL are case-insensitive (RFC 5280 §7.4). */
function readText(element: Element): string {
  const { tag, content } = element;
  if (tag === directoryName) return hashOf(tag, readerOf(element).next(tags.sequence).content);
  if (tag !== uri) return hashOf(tag, content);
  const address = content.toString('latin1').replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, (begin) => begin.toLowerCase());
  return hashOf(tag, Buffer.from(address, 'latin1'));
}

function hashOf(tag: number, content: Buffer): string {
  return createHash('sha256').update(`${tag} `).update(content).digest('base64');
}
