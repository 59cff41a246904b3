// Reads the body of a request with limits, decompresses and decodes it.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Operation } from '#contract/operation.ts';
import { HttpRefusal } from './http-refusal.ts';
import { parseJson } from './json-text.ts';

/** Maximum size of a body, before and after decompression. */
export const bodyLimit = 1_048_576;
/** The same without authentication. */
const openBodyLimit = 524_288;

/** Maximum size of a body of this operation. */
export function maxBodyBytes({ permission, maxBody }: Pick<Operation, 'permission' | 'maxBody'>): number {
  return maxBody ?? (permission === 'none' ? openBodyLimit : bodyLimit);
}

/** A body that may be larger may have a member or element per so many bytes. */
const bytesPerMember = 40;

/** How much more of a too large body is read, so that the client can read the response. */
const drainBytes = 32 * 1_048_576;
const drainMs = 500;

const inflate = promisify(gunzip);
const utf8 = new TextDecoder('utf-8', { fatal: true });
const jsonType = /^application\/(?:json|[a-z0-9!#$&^_.+-]+\+json)\s*(?:;\s*charset="?utf-?8"?\s*)?;?$/i;

/**
 * Reads and parses a JSON body. An empty body is undefined. Refuses 415 for another type, charset or encoding, 413 for
 * more than `limit` bytes, and 400 for invalid UTF-8 or JSON.
 * @param turn waits until a body of this size may be parsed; null = at once
 */
export async function readJsonBody(
  headers: IncomingHttpHeaders,
  stream: Readable,
  fairQueue: (bytes: number) => Promise<void> | null = () => null,
  limit = bodyLimit,
): Promise<unknown> {
  const bytes = await readBytes(stream, limit);
  if (bytes.length === 0) return undefined;
  const type = headers['content-type'];
  if (type !== undefined && !jsonType.test(type)) {
    throw new HttpRefusal(415, 'Send the body as JSON in UTF-8, with content-type: application/json.');
  }
  const plain = await decompressed(bytes, headers['content-encoding'], limit);
  await fairQueue(plain.length);
  let text: string;
  try {
    text = utf8.decode(plain);
  } catch {
    throw new HttpRefusal(400, 'The body is not valid UTF-8.');
  }
  return text.trim() === ''
    ? undefined
    : parseJson(text, limit > bodyLimit ? Math.floor(limit / bytesPerMember) : undefined);
}

/** A body that is not JSON. */
export interface OtherBody {
  /** Its first part as text; null = there is none, or the operation takes no text. */
  readonly rawBody: string | null;
  /** Empty if the operation takes no bytes. */
  readonly bytes: Buffer;
}

export const nothingRead: OtherBody = { rawBody: null, bytes: Buffer.alloc(0) };

/** Whether an operation takes a body that is not JSON. */
export function isRead({ maxRawBody, maxBytesBody }: Operation): boolean {
  return maxRawBody !== undefined || maxBytesBody !== undefined;
}

/** Reads it. Refuses 413 for more than `maxBytesBody`, and 400 if it is incomplete or not what its encoding says. */
export async function readOtherBody(
  { maxRawBody, maxBytesBody }: Operation,
  headers: IncomingHttpHeaders,
  stream: Readable,
): Promise<OtherBody> {
  if (maxBytesBody === undefined) return { ...nothingRead, rawBody: await readRawBody(stream, maxRawBody ?? 0) };
  const bytes = await readBytes(stream, maxBytesBody);
  return { ...nothingRead, bytes: await decompressed(bytes, headers['content-encoding'], maxBytesBody) };
}

/**
 * The first part of a body of any type as text; null = no body. Bytes beyond `most` are read and dropped, up to a
 * limit. U+0000, which not every database can store, becomes U+FFFD. Refuses (400) an incomplete body.
 */
async function readRawBody(stream: Readable, max: number): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  let overAt = 0;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      if (size < max) parts.push(part.subarray(0, max - size));
      else if (overAt === 0) overAt = Date.now();
      size += part.length;
      if (size > drainBytes || (overAt > 0 && Date.now() - overAt > drainMs)) break;
    }
  } catch {
    throw new HttpRefusal(400, 'The body is incomplete.');
  }
  return size === 0 ? null : Buffer.concat(parts).toString('utf8').replaceAll('\0', '\u{FFFD}');
}

async function decompressed(bytes: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case '':
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      try {
        return await inflate(bytes, { maxOutputLength: limit });
      } catch (error) {
        if (error instanceof RangeError) throw tooLarge(limit);
        throw new HttpRefusal(400, 'The body is labelled gzip but is not valid gzip.');
      }
    default:
      throw new HttpRefusal(
        415,
        'Unsupported content-encoding. Send the body uncompressed or with content-encoding: gzip.',
        {
          headers: { 'accept-encoding': 'gzip, identity' },
        },
      );
  }
}

function tooLarge(limit: number): HttpRefusal {
  return new HttpRefusal(413, `The body is larger than ${limit} bytes.`);
}

async function readBytes(stream: Readable, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  let overAt = 0;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      size += part.length;
      if (size <= limit) parts.push(part);
      else if (overAt === 0) {
        parts.length = 0;
        overAt = Date.now();
      } else if (size > drainBytes || Date.now() - overAt > drainMs) break;
    }
  } catch {
    throw new HttpRefusal(400, 'The body is incomplete.');
  }
  if (size > limit) throw tooLarge(limit);
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}
