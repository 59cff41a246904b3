// The entries of a zip, as far as tests look into one.
import { inflateRawSync } from 'node:zlib';

/** Content by name. Throws when it is no zip. */
export function unzip(zip: Buffer): ReadonlyMap<string, Buffer> {
  const end = zip.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  const entries = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((to) => zip.readUInt16LE(at + to));
    const from = zip.readUInt32LE(at + 42);
    const start = from + 30 + zip.readUInt16LE(from + 26) + zip.readUInt16LE(from + 28);
    const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20));
    const isStored = zip.readUInt16LE(at + 10) === 0;
    entries.set(zip.toString('utf8', at + 46, at + 46 + nameLength), isStored ? packed : inflateRawSync(packed));
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}
