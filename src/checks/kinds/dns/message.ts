// Encodes DNS queries and decodes responses (RFC 1035 §4; EDNS: RFC 6891).
import { domainToASCII } from 'node:url';
import { dataText, readName } from './record-data.ts';

export const recordTypes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  HTTPS: 65,
  CAA: 257,
} as const;
export type RecordType = keyof typeof recordTypes;

const codes = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
] as const;
/** Response codes that require EDNS (RFC 6891 §6.1.3). */
const extendedCodes: Readonly<Record<number, string>> = { 16: 'BADVERS', 23: 'BADCOOKIE' };

export interface DnsRecord {
  /** Ends with a dot. */
  readonly name: string;
  readonly type: number;
  /** In seconds. */
  readonly ttl: number;
  /** In zone file format. */
  readonly data: string;
}

export interface DnsAnswer {
  /** Header bits: QR, AA, TC, RD, RA, AD, CD. */
  readonly flags: number;
  /** For example `NXDOMAIN`. */
  readonly code: string;
  readonly codeNumber: number;
  readonly question: { readonly name: string; readonly type: number } | null;
  readonly answers: readonly DnsRecord[];
  readonly authority: readonly DnsRecord[];
}

export const isResponse = 0x8000;
export const isTruncated = 0x0200;
const recursionDesired = 0x0100;

/** The class of every query. */
const internet = 1;
/** Record type of EDNS options. */
const options = 41;

/** Accepted size of UDP responses in bytes; passes nearly every network unfragmented. */
const udpBytes = 1232;

/** Returns the name to query, with a trailing dot, or null if it is invalid. */
export function queryName(text: string): string | null {
  const plain = text.trim().replace(/\.$/, '');
  if (plain === '') return text.trim() === '.' ? '.' : null;
  // oxlint-disable-next-line no-control-regex -- what is not ASCII is what must be converted
  const ascii = /^[\x21-\x7e]+$/.test(plain) ? plain : domainToASCII(plain);
  const labels = ascii.split('.');
  const isName = ascii !== '' && ascii.length <= 253 && labels.every((label) => label !== '' && label.length <= 63);
  return isName ? `${ascii}.` : null;
}

/** Encodes a query. @param name from `queryName` @param isExtended whether to announce the UDP size with EDNS */
export function questionOf(id: number, name: string, type: number, isExtended = true): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(id, 0);
  head.writeUInt16BE(recursionDesired, 2);
  head.writeUInt16BE(1, 4);
  if (isExtended) head.writeUInt16BE(1, 10);
  const labels = name === '.' ? [] : name.slice(0, -1).split('.');
  const encoded = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]));
  const tail = Buffer.from([0, type >> 8, type & 255, 0, 1]);
  const edns = Buffer.from([0, 0, 41, udpBytes >> 8, udpBytes & 255, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, ...encoded, tail, ...(isExtended ? [edns] : [])]);
}

/** The part of a response before its records. */
export interface DnsHead extends Pick<DnsAnswer, 'flags' | 'codeNumber' | 'question'> {
  /** Offset of the records. */
  readonly end: number;
}

/** Decodes what identifies a response. @throws {RangeError} if it is truncated or malformed */
export function readHead(bytes: Buffer): DnsHead {
  const flags = bytes.readUInt16BE(2);
  let at = 12;
  let question: DnsAnswer['question'] = null;
  for (let left = bytes.readUInt16BE(4); left > 0; left--) {
    const { name, end } = readName(bytes, at);
    if (bytes.readUInt16BE(end + 2) !== internet) throw new RangeError('its question is of another class');
    question ??= { name, type: bytes.readUInt16BE(end) };
    at = end + 4;
  }
  return { flags, codeNumber: flags & 15, question, end: at };
}

/** Decodes a response. @throws {RangeError} if it is truncated or malformed */
export function readAnswer(bytes: Buffer, { flags, codeNumber, question, end: start }: DnsHead): DnsAnswer {
  const [answers = 0, authority = 0, additional = 0] = [6, 8, 10].map((offset) => bytes.readUInt16BE(offset));
  let at = start;
  const records = (count: number): DnsRecord[] =>
    Array.from({ length: count }, () => {
      const { name, end } = readName(bytes, at);
      const type = bytes.readUInt16BE(end);
      const length = bytes.readUInt16BE(end + 8);
      at = end + 10 + length;
      if (at > bytes.length) throw new RangeError('a record is truncated');
      if (type !== options && bytes.readUInt16BE(end + 2) !== internet) {
        throw new RangeError('a record is of another class');
      }
      return { name, type, ttl: bytes.readUInt32BE(end + 4), data: dataText(bytes, type, end + 10, length) };
    });
  // Truncated records cannot be read.
  const [own, ofZone, more] =
    (flags & isTruncated) === 0 ? [records(answers), records(authority), records(additional)] : [[], [], []];
  const extension = more.find(({ type }) => type === options);
  const code = codeNumber + (extension === undefined ? 0 : (extension.ttl >>> 24) << 4);
  return {
    flags,
    code: codes[code] ?? extendedCodes[code] ?? `RCODE${code}`,
    codeNumber: code,
    question,
    answers: own,
    authority: ofZone,
  };
}

/** Name of a type, or `TYPE99`. */
export function typeName(type: number): string {
  return Object.entries(recordTypes).find(([, code]) => code === type)?.[0] ?? `TYPE${type}`;
}
