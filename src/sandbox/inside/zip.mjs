// Takes hidden values out of the texts in a trace: a zip of JSON lines, of what pages loaded, and of pictures.
import { isUtf8 } from 'node:buffer';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

const mask = '********';
/** Of an entry that is unpacked: more than a trace that is small enough to be kept can hold. */
const mostBytes = 256 << 20;

/** @param hidden patterns of what to take out, in any case, one after the other; throws when it is no zip */
export function hideInZip(zip, hidden) {
  const patterns = hidden.map((source) => new RegExp(source, 'gi'));
  const hidePlain = (text) => patterns.reduce((shown, pattern) => shown.replace(pattern, mask), text);
  const hide = (text) => hidePlain(hiddenInBasic(text, hidePlain));
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

/** Entries that the viewer reads, an object a line: what is hidden there must be no number and no field of the viewer's. */
const ofTrace = /\.(trace|network|stacks)$/;
/** The name of another entry. */
const entryName = /^[\da-f]{40}(\.\w+)?$/;

/** Names of fields as the viewer has them. */
const fieldName = /^[a-z]+$/i;

function hiddenInLine(line, hide) {
  if (line === '') return line;
  try {
    return JSON.stringify(hiddenInValue(JSON.parse(line), hide));
  } catch {
    return hide(line);
  }
}

/** What stands in basic authorization is found in none of the forms of its parts. */
function hiddenInBasic(text, hide) {
  return text.replace(/\b(basic\s+)([\w+/-]+=*)/gi, (whole, scheme, encoded) => {
    const plain = Buffer.from(encoded, 'base64').toString();
    return hide(plain) === plain ? whole : scheme + mask;
  });
}

function hiddenInValue(value, hide) {
  if (typeof value === 'string') {
    const clean = hide(value);
    // A secret may look like the name of an entry: then it is one as a whole.
    return entryName.test(value) && clean !== mask ? value : clean;
  }
  if (Array.isArray(value)) return value.map((item) => hiddenInValue(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [fieldName.test(name) ? name : hide(name), hiddenInValue(item, hide)]),
  );
}

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const localMark = 0x04034b50;
const endLength = 22;

/** The same zip with other contents; entries that do not change are copied as they are. */
function rewritten(zip, change) {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + endLength > zip.length) throw new Error('the trace is no zip');
  const count = zip.readUInt16LE(end + 10);
  const [locals, entries] = [[], []];
  let [at, length] = [zip.readUInt32LE(end + 16), 0];
  for (let index = 0; index < count; index++) {
    if (zip.readUInt32LE(at) !== entryMark) throw new Error('the trace is a broken zip');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const name = zip.subarray(at + 46, at + 46 + nameLength);
    const entry = changedEntry(zip, at, name.toString(), change);
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

function changedEntry(zip, at, name, change) {
  const method = zip.readUInt16LE(at + 10);
  const [crc, packedLength, plainLength, from] = [16, 20, 24, 42].map((offset) => zip.readUInt32LE(at + offset));
  const start = from + 30 + zip.readUInt16LE(from + 26) + zip.readUInt16LE(from + 28);
  const packed = zip.subarray(start, start + packedLength);
  const plain = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: mostBytes });
  const next = change(name, plain);
  // When it was written.
  const stamp = zip.readUInt32LE(at + 12);
  if (next === plain) return { method, crc, packed, plainLength, stamp };
  return { method: 8, crc: crc32(next), packed: deflateRawSync(next), plainLength: next.length, stamp };
}

/** What both headers of an entry have in common, from the version that is needed on; names are UTF-8. */
function commonFields({ method, crc, packed, plainLength, stamp }, name) {
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

function localHeader(entry, name) {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(localMark, 0);
  return Buffer.concat([mark, commonFields(entry, name), name]);
}

function centralHeader(entry, name, offset) {
  const head = Buffer.alloc(6);
  head.writeUInt32LE(entryMark, 0);
  head.writeUInt16LE(20, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([head, commonFields(entry, name), tail, name]);
}
