// Decodes gzip followed by extra bytes, which zlib rejects and browsers ignore.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';

const inflateRaw = promisify(zlib.inflateRaw);
const [hasChecksum, hasExtra, hasName, hasComment] = [2, 4, 8, 16];
const trailerBytes = 8;

/**
 * Decompresses a complete gzip member and ignores what follows, unless it is gzip too. Returns null if there is none.
 */
export async function gunzipMember(bytes: Buffer, maxOutputLength: number): Promise<Buffer | null> {
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
