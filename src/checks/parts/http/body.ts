// The body of an answer: decompressed within bounds, read as text in its own charset, or kept as base64.
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { TextDecoder } from 'node:util';
import * as zlib from 'node:zlib';
import type { Redactor } from '../redact.ts';
import { gunzipMember } from './gzip.ts';

/** The most a body may grow to when it is decompressed, bytes. */
export const mostInflatedBytes = 5 * 1024 * 1024;
/** Content-encodings laid over each other that are taken off. */
const mostEncodings = 4;
/** What is kept of a body, bytes (decisions: What is kept of a result). */
export const keptBytes = 64 * 1024;
/** Bodies that stay below this are decompressed at once; larger ones off the thread. */
const smallBytes = 256 * 1024;

/** A body after its content-encoding is taken off. */
export interface DecodedBody {
  readonly bytes: Buffer;
  /** It would have been longer than may be kept in memory. */
  readonly isCut: boolean;
  /** A sentence when it is not what its content-encoding says. */
  readonly problem: string | null;
  /** The problem is an unknown encoding: it matters only to those who read the body. */
  readonly isUnknown?: true;
}

interface Decompressor {
  readonly sync: (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;
  readonly stream: () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress | zlib.ZstdDecompress;
}

const gzip: Decompressor = { sync: zlib.gunzipSync, stream: () => zlib.createGunzip() };
/** Of HTTP no more than 8 MB of memory may be asked for (RFC 9659); zstd itself would give 128 MB. */
const zstdWindow = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };
const decompressors: Readonly<Record<string, (bytes: Buffer) => Decompressor>> = {
  gzip: () => gzip,
  'x-gzip': () => gzip,
  br: () => ({ sync: zlib.brotliDecompressSync, stream: () => zlib.createBrotliDecompress() }),
  zstd: () => ({
    sync: (bytes, options) => zlib.zstdDecompressSync(bytes, { ...options, ...zstdWindow }),
    stream: () => zlib.createZstdDecompress(zstdWindow),
  }),
  // Some servers send deflate without its zlib frame.
  deflate: (bytes) =>
    ((bytes[0] ?? 0) & 0x0f) === 8
      ? { sync: zlib.inflateSync, stream: () => zlib.createInflate() }
      : { sync: zlib.inflateRawSync, stream: () => zlib.createInflateRaw() },
};

/** Takes off the encodings. `isCut`: the wire already held more than was read. */
export async function decodeBody(bytes: Buffer, headers: IncomingHttpHeaders, isCut: boolean): Promise<DecodedBody> {
  const names = (headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  let body: DecodedBody = { bytes, isCut, problem: null };
  if (names.length > mostEncodings)
    return { ...body, problem: `the body has more than ${mostEncodings} content encodings` };
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
  // Bytes after the end are ignored, as by all other decompressors.
  const withoutTrailing = async (): Promise<DecodedBody> => {
    const bytes = decompressor === gzip ? await gunzipMember(body.bytes, mostInflatedBytes) : null;
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
      if (length > mostInflatedBytes) {
        isFull = true;
        break;
      }
    }
  } catch {
    // A body cut short on purpose ends in the middle of its compressed data.
    if (!body.isCut) return withoutTrailing();
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: isFull ? bytes.subarray(0, mostInflatedBytes) : bytes, isCut: isFull || body.isCut, problem: null };
}

/** The charset a content type names, or UTF-8; an unknown one counts as UTF-8. */
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

/** Whether a body is text: by its content type, else by its bytes. */
export function isText(bytes: Buffer, contentType: string | undefined): boolean {
  if (contentType !== undefined && textTypes.test(contentType)) return true;
  const start = bytes.subarray(0, keptBytes);
  return !start.includes(0) && (isUtf8(start) || isUtf8(start.subarray(0, lastWhole(start))));
}

/** A body as it is kept: its beginning, redacted; text as it is, anything else as base64. */
export interface KeptBody {
  readonly body: string;
  readonly bodyEncoding: 'base64' | null;
  readonly truncated: boolean;
}

/** Cuts a body to what is kept. Redacted before it is cut, so that no half of a secret is left at the edge. */
export function keepBody(decoded: DecodedBody, contentType: string | undefined, redactor: Redactor): KeptBody {
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

/** The length of UTF-8 bytes without a character that is cut off at their end. */
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
