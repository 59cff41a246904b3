// Response bodies: decompressed within limits, stored as text in their charset or as base64.
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { TextDecoder, promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { Redactor } from '../redact.ts';

/** Maximum bytes of a decompressed body. */
export const maxInflatedBytes = 5 * 1024 * 1024;
/** Maximum nested content encodings. */
const maxEncodings = 4;
/** Bytes stored of a body (decisions: What is kept of a result). */
export const keptBytes = 64 * 1024;
/** Smaller bodies are decompressed synchronously. */
const smallBytes = 256 * 1024;

export interface DecodedBody {
  readonly bytes: Buffer;
  /** Whether it exceeds the memory limit. */
  readonly isCut: boolean;
  /** Message if it does not match its content encoding. */
  readonly problem: string | null;
  /** Whether the encoding is unknown, which matters only if the body is used. */
  readonly isUnknown?: true;
}

interface Decompressor {
  readonly sync: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;
  readonly stream: () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress | zlib.ZstdDecompress;
}

const gzip: Decompressor = { sync: zlib.gunzipSync, stream: () => zlib.createGunzip() };
/** HTTP limits the window to 8 MB (RFC 9659); zstd alone would allow 128 MB. */
const zstdWindow = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };
const decompressors: Readonly<Record<string, (bytes: Buffer) => Decompressor>> = {
  gzip: () => gzip,
  'x-gzip': () => gzip,
  br: () => ({ sync: zlib.brotliDecompressSync, stream: () => zlib.createBrotliDecompress() }),
  zstd: () => ({
    sync: (bytes, options) => zlib.zstdDecompressSync(bytes, { ...options, ...zstdWindow }),
    stream: () => zlib.createZstdDecompress(zstdWindow),
  }),
  // Some servers send deflate without the zlib frame.
  deflate: (bytes) =>
    ((bytes[0] ?? 0) & 0x0f) === 8
      ? { sync: zlib.inflateSync, stream: () => zlib.createInflate() }
      : { sync: zlib.inflateRawSync, stream: () => zlib.createInflateRaw() },
};

/** Decompresses a body. `isCut`: not all of it was read. */
export async function decodeBody(bytes: Buffer, headers: IncomingHttpHeaders, isCut: boolean): Promise<DecodedBody> {
  const names = (headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  let body: DecodedBody = { bytes, isCut, problem: null };
  if (names.length > maxEncodings)
    return { ...body, problem: `the body has more than ${maxEncodings} content encodings` };
  for (const name of names.filter((each) => each !== '' && each !== 'identity').toReversed()) {
    const decompressor = decompressors[name]?.(body.bytes);
    if (decompressor === undefined)
      return { ...body, problem: `the body has the unknown encoding "${name.slice(0, 50)}"`, isUnknown: true };
    if (body.bytes.length === 0) return body;
    body = await inflate(decompressor, body, name);
    if (body.problem !== null) return body;
  }
  return body;
}

async function inflate(decompressor: Decompressor, body: DecodedBody, name: string): Promise<DecodedBody> {
  const problem = `the body is labelled ${name} but is not valid ${name}`;
  // Ignore bytes after the end, like other decompressors.
  const withoutTrailing = async (): Promise<DecodedBody> => {
    const bytes = decompressor === gzip ? await gunzipMember(body.bytes, maxInflatedBytes) : null;
    return bytes === null ? { ...body, problem } : { bytes, isCut: false, problem: null };
  };
  if (body.bytes.length < smallBytes && !body.isCut) {
    try {
      const bytes = decompressor.sync(body.bytes, { maxOutputLength: smallBytes });
      return { bytes, isCut: false, problem: null };
    } catch (error) {
      const isLarge = error instanceof RangeError;
      if (!isLarge) return withoutTrailing();
    }
  }
  const stream = decompressor.stream();
  const chunks: Buffer[] = [];
  let length = 0;
  let isFull = false;
  stream.end(body.bytes);
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxInflatedBytes) {
        isFull = true;
        break;
      }
    }
  } catch {
    // An intentionally truncated body ends within its compressed data.
    if (!body.isCut) return withoutTrailing();
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: isFull ? bytes.subarray(0, maxInflatedBytes) : bytes, isCut: isFull || body.isCut, problem: null };
}

/** Returns a decoder for the charset of a content type. Default: UTF-8. */
export function decoderOf(contentType: string | undefined): TextDecoder {
  const name = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  const known = decoders.get(name);
  if (known !== undefined) return known;
  try {
    const decoder = new TextDecoder(name);
    if (decoders.size < 50) decoders.set(name, decoder);
    return decoder;
  } catch {
    return utf8;
  }
}

const utf8 = new TextDecoder();
const decoders = new Map<string, TextDecoder>([['utf-8', utf8]]);

const textTypes =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|yaml)\b|application\/(?:javascript|ecmascript|graphql|x-www-form-urlencoded|x-ndjson))|charset=/i;

/** Whether a body is text, by content type or by its bytes. */
export function isText(bytes: Buffer, contentType: string | undefined): boolean {
  if (contentType !== undefined && textTypes.test(contentType)) return true;
  const start = bytes.subarray(0, keptBytes);
  return !start.includes(0) && (isUtf8(start) || isUtf8(start.subarray(0, lastWhole(start))));
}

/** The stored beginning of a body, masked. Binary data is base64. */
export interface TruncatedBody {
  readonly body: string;
  readonly bodyEncoding: 'base64' | null;
  readonly truncated: boolean;
}

/** Truncates a body for storage. Masks it first, so that no partial secret is left at the edge. */
export function keepBody(decoded: DecodedBody, contentType: string | undefined, redactor: Redactor): TruncatedBody {
  const { bytes } = decoded;
  if (bytes.length === 0) return { body: '', bodyEncoding: null, truncated: decoded.isCut };
  const truncated = bytes.length > keptBytes || decoded.isCut;
  const start = bytes.subarray(0, keptBytes + redactor.longest * 4);
  if (!isText(bytes, contentType)) {
    const hidden = redactor.none ? start : Buffer.from(redactor.text(start.toString('latin1')), 'latin1');
    return { body: hidden.toString('base64', 0, keptBytes), bodyEncoding: 'base64', truncated };
  }
  const text = redactor.text(decoderOf(contentType).decode(start));
  if (!truncated && redactor.none) return { body: text, bodyEncoding: null, truncated };
  const encoded = Buffer.from(text);
  if (encoded.length <= keptBytes) return { body: text, bodyEncoding: null, truncated };
  return {
    body: encoded.toString('utf8', 0, lastWhole(encoded.subarray(0, keptBytes))),
    bodyEncoding: null,
    truncated: true,
  };
}

/** Length of UTF-8 bytes without a truncated character at the end. */
function lastWhole(bytes: Buffer): number {
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back >= whole ? bytes.length : bytes.length - back;
  }
  return bytes.length;
}

const inflateRaw = promisify(zlib.inflateRaw);
const [hasChecksum, hasExtra, hasName, hasComment] = [2, 4, 8, 16];
const trailerBytes = 8;

/**
 * Decompresses a complete gzip member and ignores what follows, unless it is gzip too. Returns null if there is none.
 */
async function gunzipMember(bytes: Buffer, maxOutputLength: number): Promise<Buffer | null> {
  try {
    const start = endOfHeader(bytes);
    // With `info`, zlib also reports how much it has read.
    const inflated = (await inflateRaw(bytes.subarray(start), { maxOutputLength, info: true })) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    const trailer = start + inflated.engine.bytesWritten;
    const isWhole =
      bytes.readUInt32LE(trailer) === zlib.crc32(inflated.buffer) &&
      bytes.readUInt32LE(trailer + 4) === inflated.buffer.length;
    return isWhole && !isGzip(bytes.subarray(trailer + trailerBytes)) ? inflated.buffer : null;
  } catch {
    return null;
  }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Offset of the compressed data (RFC 1952 §2.3). */
function endOfHeader(bytes: Buffer): number {
  const flags = bytes.readUInt8(3);
  let end = 10;
  if (flags & hasExtra) end += 2 + bytes.readUInt16LE(end);
  for (const flag of [hasName, hasComment]) if (flags & flag) end = bytes.indexOf(0, end) + 1;
  return flags & hasChecksum ? end + 2 : end;
}
