// Parses untrusted DER. Lengths are verified, and only the requested parts are read (X.690; docs/decisions/0037).

/** Element types of certificates, OCSP responses and CRLs. */
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

/** The constructed tag `[number]`. */
export function holding(number: number): number {
  return 0xa0 | number;
}

/** The primitive tag `[number]`. */
export function plain(number: number): number {
  return 0x80 | number;
}

export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Including tag and length; used for signatures and hashes. */
  readonly whole: Buffer;
}

/** Returns the end of the element at `at`. @throws {RangeError} if it is incomplete */
export function endAt(bytes: Buffer, at: number): number {
  if (at + 2 > bytes.length) throw new RangeError('it is truncated');
  if ((bytes.readUInt8(at) & 0x1f) === 0x1f) throw new RangeError('it has a tag of several bytes');
  const first = bytes.readUInt8(at + 1);
  if (first < 0x80) return within(bytes, at + 2 + first);
  // DER forbids indefinite length (0x80). Four length bytes already allow 4 GB.
  if (first === 0x80 || first > 0x84) throw new RangeError('it contains an invalid length');
  const start = within(bytes, at + 2 + first - 0x80);
  return within(bytes, start + bytes.readUIntBE(at + 2, first - 0x80));
}

function within(bytes: Buffer, end: number): number {
  if (end > bytes.length) throw new RangeError('it is truncated');
  return end;
}

/** Parses the element at `at`. @throws {RangeError} if it is incomplete */
export function elementAt(bytes: Buffer, at: number): Element {
  const end = endAt(bytes, at);
  const first = bytes.readUInt8(at + 1);
  const start = at + 2 + (first < 0x80 ? 0 : first - 0x80);
  return { tag: bytes.readUInt8(at), content: bytes.subarray(start, end), whole: bytes.subarray(at, end) };
}

/** Parses bytes that are exactly one element. @throws {RangeError} if they are not */
export function soleElement(bytes: Buffer, tag: number): Element {
  const element = expected(elementAt(bytes, 0), tag);
  if (element.whole.length < bytes.length) throw new RangeError('it is followed by other data');
  return element;
}

/** Iterates over the elements of a content. */
export interface Reader {
  /** Returns the next element. @throws {RangeError} if there is none or its tag differs */
  readonly next: (tag?: number) => Element;
  /** Returns the next element if it has one of these tags, otherwise null without consuming it. */
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

/** Returns all elements of a content. @throws {RangeError} if there are more than `max` */
export function elementsIn({ content }: Element, max = 64): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < content.length; at += found.at(-1)?.whole.length ?? 0) {
    if (found.length === max) throw new RangeError(`it has more than ${max} elements`);
    found.push(elementAt(content, at));
  }
  return found;
}

/** Maximum bytes of an object identifier; no known one is longer. */
const longestOid = 32;

/** Formats an object identifier as `1.3.6.1`. @throws {RangeError} */
export function readOid({ tag, content }: Element): string {
  if (tag !== tags.oid || content.length === 0 || content.length > longestOid)
    throw new RangeError('it contains an invalid object identifier');
  const values = [0];
  for (const byte of content) {
    // Not bit operations, which overflow at 32 bits.
    const value = (values.at(-1) ?? 0) * 128 + (byte & 127);
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('it contains an invalid object identifier');
    values[values.length - 1] = value;
    if (byte < 128) values.push(0);
  }
  const [first = 0, ...rest] = values.slice(0, -1);
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.');
}

/** Parses a time as epoch ms. @throws {RangeError} */
export function readTime({ tag, content }: Element): number {
  const text = content.toString('latin1');
  const isShort = tag === tags.utcTime;
  if (!isShort && tag !== tags.generalizedTime) throw new RangeError('it contains an invalid time');
  const match = /^(\d\d)?(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d{1,9})?Z$/.exec(text);
  if (match === null || (match[1] === undefined) !== isShort) throw new RangeError('it contains an invalid time');
  const [century, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  // Two-digit years are 1950 to 2049 (RFC 5280 §4.1.2.5.1).
  const at = Date.UTC((century ?? (year < 50 ? 20 : 19)) * 100 + year, month - 1, day, hour, minute, second);
  const isReal = new Date(at).getUTCMonth() === month - 1 && hour < 24 && minute < 60 && second < 60;
  if (!isReal) throw new RangeError('it contains an invalid time');
  return at;
}

/** Parses a bit string of whole bytes. @throws {RangeError} */
export function readBits({ tag, content }: Element): Buffer {
  if (tag !== tags.bitString || content.length === 0 || content[0] !== 0)
    throw new RangeError('it contains an invalid bit string');
  return content.subarray(1);
}

/** An extension of a certificate, a response or a CRL. */
export interface Extension {
  readonly oid: string;
  /** Whether to reject the whole if the extension is unknown. */
  readonly isCritical: boolean;
  /** Value, DER. */
  readonly value: Buffer;
}

/** @param list the sequence of extensions @throws {RangeError} */
export function extensionsIn(list: Element): Extension[] {
  return elementsIn(expected(list, tags.sequence)).map((each) => {
    const reader = readerOf(expected(each, tags.sequence));
    const oid = readOid(reader.next());
    const critical = reader.optional(tags.boolean);
    return { oid, isCritical: critical !== null && critical.content[0] !== 0, value: reader.next(tags.octets).content };
  });
}

function expected(element: Element, tag: number): Element {
  if (element.tag !== tag) throw new RangeError('it contains an unexpected element');
  return element;
}
