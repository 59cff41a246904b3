// Masks values in the texts of one untrusted Playwright trace: a zip of JSON lines, page resources and screenshots. Runs
// in a thread, so that a slow trace cannot block the scheduler.
import { parentPort, workerData } from 'node:worker_threads';
import { isUtf8 } from 'node:buffer';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { createMasker } from '#lib/text-masker.ts';

const mask = '********';
/** Maximum unpacked bytes of all entries. */
const maxBytes = 64 << 20;
const maxEntries = 10_000;

type Hide = (text: string) => string;

/**
 * Masks the texts of a trace. Throws if it is not a zip or larger than 64 MB unpacked.
 *
 * @param hidden non-empty values
 */
function maskTrace(zip: Buffer, hidden: readonly string[]): Buffer {
  const hidePlain = createMasker(hidden, mask);
  const hide: Hide = (text) => hidePlain(hiddenInBasic(text, hidePlain));
  return rewritten(zip, (name, content) => {
    if (!isUtf8(content)) return content;
    const text = content.toString();
    const clean = ofTrace.test(name)
      ? text
          .split('\n')
          .map((line) => hiddenInLine(line, hide))
          .join('\n')
      : hide(text);
    return clean === text ? content : Buffer.from(clean);
  });
}

/** Entries that the viewer parses, one object per line. Masking must not change its numbers or field names. */
const ofTrace = /\.(trace|network|stacks)$/;
/** Name of another entry. */
const entryName = /^[\da-f]{40}(\.\w+)?$/;

/** Field names of the viewer. */
const fieldName = /^[a-z]+$/i;

function hiddenInLine(line: string, hide: Hide): string {
  if (line === '') return line;
  try {
    return JSON.stringify(hiddenInValue(JSON.parse(line) as JsonValue, hide));
  } catch {
    return hide(line);
  }
}

/** Masks basic authorization, where base64 hides the values. */
function hiddenInBasic(text: string, hide: Hide): string {
  return text.replace(/\b(basic\s+)([\w+/-]+=*)/gi, (whole: string, scheme: string, encoded: string) => {
    const plain = Buffer.from(encoded, 'base64').toString();
    return hide(plain) === plain ? whole : scheme + mask;
  });
}

function hiddenInValue(value: JsonValue, hide: Hide): JsonValue {
  if (typeof value === 'string') {
    const clean = hide(value);
    // A value may look like an entry name; then only mask it as a whole.
    return entryName.test(value) && clean !== mask ? value : clean;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((item) => hiddenInValue(item, hide));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [fieldName.test(name) ? name : hide(name), hiddenInValue(item, hide)]),
  );
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

interface Entry {
  readonly method: number;
  readonly crc: number;
  readonly packed: Buffer;
  readonly plainLength: number;
  readonly stamp: number;
}

/** Returns the new content of an entry, or the same buffer. */
type Change = (name: string, content: Buffer) => Buffer;

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;
const endLength = 22;

/** Rewrites a zip. Unchanged entries are copied as they are. */
function rewritten(zip: Buffer, change: Change): Buffer {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + endLength > zip.length) throw new Error('the trace is not a zip file');
  const count = zip.readUInt16LE(end + 10);
  if (count > maxEntries) throw new Error('the trace has too many entries');
  const [locals, entries]: [Buffer[], Buffer[]] = [[], []];
  let [at, length, left] = [zip.readUInt32LE(end + 16), 0, maxBytes];
  for (let index = 0; index < count; index++) {
    if (zip.readUInt32LE(at) !== entryMark) throw new Error('the trace is a broken zip');
    const [nameLength, extraLength, commentLength] = sizesAt(zip, at);
    const name = zip.subarray(at + 46, at + 46 + nameLength);
    const plain = plainAt(zip, at, left);
    left -= plain.length;
    if (left < 0) throw new Error('the trace is too large');
    const entry = changedEntry(zip, at, plain, change(name.toString(), plain));
    const local = Buffer.concat([localHeader(entry, name), entry.packed]);
    entries.push(centralHeader(entry, name, length));
    locals.push(local);
    length += local.length;
    at += 46 + nameLength + extraLength + commentLength;
  }
  const directory = Buffer.concat(entries);
  const last = Buffer.alloc(endLength);
  last.writeUInt32LE(endMark, 0);
  last.writeUInt16LE(count, 8);
  last.writeUInt16LE(count, 10);
  last.writeUInt32LE(directory.length, 12);
  last.writeUInt32LE(length, 16);
  return Buffer.concat([...locals, directory, last]);
}

function sizesAt(zip: Buffer, at: number): readonly [number, number, number] {
  return [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
}

function packedAt(zip: Buffer, at: number): Buffer {
  const from = zip.readUInt32LE(at + 42);
  const start = from + 30 + zip.readUInt16LE(from + 26) + zip.readUInt16LE(from + 28);
  return zip.subarray(start, start + zip.readUInt32LE(at + 20));
}

function plainAt(zip: Buffer, at: number, max: number): Buffer {
  const packed = packedAt(zip, at);
  const isStored = zip.readUInt16LE(at + 10) === 0;
  // Zero would mean no limit.
  return isStored ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, max) });
}

function changedEntry(zip: Buffer, at: number, plain: Buffer, next: Buffer): Entry {
  // Modification time.
  const stamp = zip.readUInt32LE(at + 12);
  if (next !== plain)
    return { method: 8, crc: crc32(next), packed: deflateRawSync(next), plainLength: next.length, stamp };
  const [method, crc, plainLength] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 24)];
  return { method, crc, packed: packedAt(zip, at), plainLength, stamp };
}

/** Fields that both headers of an entry share, from the required version on. Names are UTF-8. */
function commonFields({ method, crc, packed, plainLength, stamp }: Entry, name: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(0x800, 2);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt32LE(stamp, 6);
  fields.writeUInt32LE(crc, 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(plainLength, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function localHeader(entry: Entry, name: Buffer): Buffer {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(localMark, 0);
  return Buffer.concat([mark, commonFields(entry, name), name]);
}

function centralHeader(entry: Entry, name: Buffer, offset: number): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(entryMark, 0);
  head.writeUInt16LE(20, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, commonFields(entry, name), tail, name]);
}

const { zip, hidden } = workerData as { readonly zip: Uint8Array; readonly hidden: readonly string[] };
parentPort?.postMessage(maskTrace(Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength), hidden));
