// Reading DER as strangers send it: nothing is believed to be as long as it says, and nothing is read that was not asked for
// (X.690; docs/decisions/0037).

/** The sorts of elements that certificates, OCSP responses and lists of revoked certificates are made of. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octets: 0x04,
  oid: 0x06,
  enumerated: 0x0a,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag `[number]` of what holds other elements. */
export function holding(number: number): number {
  return 0xa0 | number;
}

/** The tag `[number]` of what is a value itself. */
export function plain(number: number): number {
  return 0x80 | number;
}

/** One element. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length: what is signed and hashed. */
  readonly whole: Buffer;
}

/** Where the element that begins at `at` ends. @throws {RangeError} when there is none, or not all of it */
export function endAt(bytes: Buffer, at: number): number {
  if (at + 2 > bytes.length) throw new RangeError('it is truncated');
  if ((bytes.readUInt8(at) & 0x1f) === 0x1f) throw new RangeError('it has a tag of several bytes');
  const first = bytes.readUInt8(at + 1);
  if (first < 0x80) return within(bytes, at + 2 + first);
  // 0x80 alone leaves the length open, which DER does not allow; four bytes are 4 GB.
  if (first === 0x80 || first > 0x84) throw new RangeError('it contains an invalid length');
  const start = within(bytes, at + 2 + first - 0x80);
  return within(bytes, start + bytes.readUIntBE(at + 2, first - 0x80));
}

function within(bytes: Buffer, end: number): number {
  if (end > bytes.length) throw new RangeError('it is truncated');
  return end;
}

/** Reads the element that begins at `at`. @throws {RangeError} when there is none, or not all of it */
export function elementAt(bytes: Buffer, at: number): Element {
  const end = endAt(bytes, at);
  const first = bytes.readUInt8(at + 1);
  const start = at + 2 + (first < 0x80 ? 0 : first - 0x80);
  return { tag: bytes.readUInt8(at), content: bytes.subarray(start, end), whole: bytes.subarray(at, end) };
}

/** The one element that some bytes are. @throws {RangeError} when they are more, less, or another */
export function soleElement(bytes: Buffer, tag: number): Element {
  const element = expected(elementAt(bytes, 0), tag);
  if (element.whole.length < bytes.length) throw new RangeError('it is followed by other data');
  return element;
}

/** Goes through the elements in a content, one after the other. */
export interface Reader {
  /** The next one. @throws {RangeError} when it is another, or there is none */
  readonly next: (tag?: number) => Element;
  /** The next one if it is of that tag; null = it is not, and stays the next. */
  readonly optional: (...any: readonly number[]) => Element | null;
}

export function readerOf({ content }: Element): Reader {
  let at = 0;
  const next = (tag?: number): Element => {
    const element = elementAt(content, at);
    if (tag !== undefined) expected(element, tag);
    at += element.whole.length;
    return element;
  };
  return { next, optional: (...any) => (at < content.length && any.includes(content.readUInt8(at)) ? next() : null) };
}

/** All elements in a content. @throws {RangeError} when there are more than `most` */
export function elementsIn({ content }: Element, most = 64): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < content.length; at += found.at(-1)?.whole.length ?? 0) {
    if (found.length === most) throw new RangeError(`it has more than ${most} elements`);
    found.push(elementAt(content, at));
  }
  return found;
}

/** Bytes of an object identifier that are read: what is longer names nothing we know. */
const longestOid = 32;

/** An object identifier as `1.3.6.1`. @throws {RangeError} */
export function oidOf({ tag, content }: Element): string {
  if (tag !== tags.oid || content.length === 0 || content.length > longestOid)
    throw new RangeError('it contains an invalid object identifier');
  const values = [0];
  for (const byte of content) {
    // A number and not bits: 32 of them would run over.
    const value = (values.at(-1) ?? 0) * 128 + (byte & 127);
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('it contains an invalid object identifier');
    values[values.length - 1] = value;
    if (byte < 128) values.push(0);
  }
  const [first = 0, ...rest] = values.slice(0, -1);
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.');
}

/** A time, epoch ms. @throws {RangeError} */
export function timeOf({ tag, content }: Element): number {
  const text = content.toString('latin1');
  const isShort = tag === tags.utcTime;
  if (!isShort && tag !== tags.generalizedTime) throw new RangeError('it contains an invalid time');
  const match = /^(\d\d)?(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d{1,9})?Z$/.exec(text);
  if (match === null || (match[1] === undefined) !== isShort) throw new RangeError('it contains an invalid time');
  const [century, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  // Years of two digits are those from 1950 to 2049 (RFC 5280 §4.1.2.5.1).
  const at = Date.UTC((century ?? (year < 50 ? 20 : 19)) * 100 + year, month - 1, day, hour, minute, second);
  const isReal = new Date(at).getUTCMonth() === month - 1 && hour < 24 && minute < 60 && second < 60;
  if (!isReal) throw new RangeError('it contains an invalid time');
  return at;
}

/** The bytes of a string of bits, of which whole bytes are wanted. @throws {RangeError} */
export function bitsOf({ tag, content }: Element): Buffer {
  if (tag !== tags.bitString || content.length === 0 || content[0] !== 0)
    throw new RangeError('it contains an invalid bit string');
  return content.subarray(1);
}

/** One extension of a certificate, a response or a list. */
export interface Extension {
  readonly oid: string;
  /** Who does not understand it must not believe the rest. */
  readonly isCritical: boolean;
  /** What stands in it, DER. */
  readonly value: Buffer;
}

/** @param list the sequence of extensions @throws {RangeError} */
export function extensionsIn(list: Element): Extension[] {
  return elementsIn(expected(list, tags.sequence)).map((each) => {
    const reader = readerOf(expected(each, tags.sequence));
    const oid = oidOf(reader.next());
    const critical = reader.optional(tags.boolean);
    return { oid, isCritical: critical !== null && critical.content[0] !== 0, value: reader.next(tags.octets).content };
  });
}

function expected(element: Element, tag: number): Element {
  if (element.tag !== tag) throw new RangeError('it contains an unexpected element');
  return element;
}
