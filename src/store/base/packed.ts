// Encodes JSON values compactly, at about half the size of their text, for documents stored by the million. A type byte
// comes first; small integers, short lists, objects and texts are part of it. Texts that are integers or IPv4
// addresses, which are common in results, are stored as numbers.
import type { JsonValue } from '#domain/json.ts';
import * as codes from './packed-codes.ts';

const maxVarint = 10;
const wholeNumber = /^(?:0|[1-9]\d{0,14})$/;
const dottedQuad = /^(?:(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;

let buffer = Buffer.allocUnsafe(16_384);
let end = 0;

/** Encodes a JSON value; undefined members are omitted, as in JSON. */
export function packed(value: JsonValue): Uint8Array {
  end = 0;
  write(value);
  return Uint8Array.prototype.slice.call(buffer, 0, end);
}

/** Decodes what `packed` encoded. Throws on any other bytes. */
export function unpacked(bytes: Uint8Array): JsonValue {
  const source = { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
  return read(source);
}

function write(value: JsonValue): void {
  if (typeof value === 'number') writeNumber(value);
  else if (typeof value === 'string') writeText(value);
  else if (value === null) writeByte(codes.nothing);
  else if (typeof value === 'boolean') writeByte(value ? codes.yes : codes.no);
  else if (isList(value)) {
    writeHead(value.length, 16, codes.shortList, codes.longList);
    for (const item of value) write(item);
  } else {
    const members = Object.entries(value).filter(([, member]) => (member as JsonValue | undefined) !== undefined);
    writeHead(members.length, 16, codes.shortObject, codes.longObject);
    for (const [name, member] of members) {
      writeText(name);
      write(member);
    }
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function writeNumber(value: number): void {
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    if (value >= 0 && value < 0x80) return writeByte(value);
    writeByte(value < 0 ? codes.negative : codes.integer);
    return writeVarint(Math.abs(value));
  }
  // As in JSON: no infinity and no NaN.
  if (!Number.isFinite(value)) return writeByte(codes.nothing);
  writeByte(codes.double);
  makeRoom(8);
  end = buffer.writeDoubleBE(value, end);
}

function writeText(text: string): void {
  if (text.length < 16 && wholeNumber.test(text)) {
    writeByte(codes.numberText);
    return writeVarint(Number(text));
  }
  if (text.length < 16 && dottedQuad.test(text)) {
    writeByte(codes.addressText);
    for (const part of text.split('.')) writeByte(Number(part));
    return;
  }
  const length = Buffer.byteLength(text);
  writeHead(length, 32, codes.shortText, codes.longText);
  makeRoom(length);
  end += buffer.write(text, end);
}

function writeHead(size: number, shortBelow: number, short: number, long: number): void {
  if (size < shortBelow) return writeByte(short + size);
  writeByte(long);
  writeVarint(size);
}

function writeByte(byte: number): void {
  makeRoom(1);
  buffer[end++] = byte;
}

/** Seven bits per byte, lowest first. */
function writeVarint(value: number): void {
  makeRoom(maxVarint);
  let rest = value;
  while (rest >= 0x80) {
    buffer[end++] = (rest % 0x80) + 0x80;
    rest = Math.floor(rest / 0x80);
  }
  buffer[end++] = rest;
}

function makeRoom(bytes: number): void {
  if (end + bytes <= buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + bytes));
  buffer.copy(larger, 0, 0, end);
  buffer = larger;
}

interface Source {
  readonly bytes: Buffer;
  at: number;
}

function read(source: Source): JsonValue {
  const byte = readByte(source);
  if (byte < codes.shortList) return byte;
  if (byte < codes.shortObject) return readList(source, byte - codes.shortList);
  if (byte < codes.shortText) return readObject(source, byte - codes.shortObject);
  if (byte < codes.nothing) return readText(source, byte - codes.shortText);
  switch (byte) {
    case codes.nothing:
      return null;
    case codes.no:
      return false;
    case codes.yes:
      return true;
    case codes.integer:
      return readVarint(source);
    case codes.negative:
      return -readVarint(source);
    case codes.double:
      source.at += 8;
      return source.bytes.readDoubleBE(source.at - 8);
    case codes.longText:
      return readText(source, readVarint(source));
    case codes.longList:
      return readList(source, readVarint(source));
    case codes.longObject:
      return readObject(source, readVarint(source));
    case codes.numberText:
      return String(readVarint(source));
    case codes.addressText:
      return Array.from({ length: 4 }, () => readByte(source)).join('.');
    default:
      throw new Error(`the database has a document with the code ${byte}, which this version does not know`);
  }
}

function readList(source: Source, length: number): JsonValue {
  return Array.from({ length }, () => read(source));
}

function readObject(source: Source, size: number): JsonValue {
  return Object.fromEntries(Array.from({ length: size }, () => [readName(source), read(source)] as const));
}

function readName(source: Source): string {
  const name = read(source);
  if (typeof name === 'string') return name;
  throw new Error('the database has a document with a member that has no name');
}

function readText(source: Source, length: number): string {
  const { bytes, at } = source;
  if (at + length > bytes.length) throw cutOff();
  source.at += length;
  return bytes.toString('utf8', at, at + length);
}

function readByte(source: Source): number {
  const byte = source.bytes[source.at++];
  if (byte === undefined) throw cutOff();
  return byte;
}

function readVarint(source: Source): number {
  let value = 0;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = readByte(source);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
}

function cutOff(): Error {
  return new Error('the database has a document that is cut off');
}
