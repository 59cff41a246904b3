// Names inside messages of the domain name system, compressed as they are (RFC 1035 §4.1.4).

/** The most jumps that a name may make: one that makes more means harm. */
const mostJumps = 64;

/** The most bytes of a name, lengths of its labels and its end included (RFC 1035 §3.1). */
const mostBytes = 255;

/** A name with a dot at its end, and where what follows it begins. @throws {RangeError} when it makes no sense */
export function readName(bytes: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = start;
  let end: number | null = null;
  let jumps = 0;
  let size = 1;
  // Where the labels read now begin: a name refers only to what stands before it, so it cannot go in circles.
  let segment = start;
  for (;;) {
    const length = bytes.readUInt8(at);
    if (length === 0) return { name: `${labels.join('.')}.`, end: end ?? at + 1 };
    if (length >= 0xc0) {
      end ??= at + 2;
      at = bytes.readUInt16BE(at) & 0x3fff;
      if (at >= segment || ++jumps > mostJumps) throw new RangeError('a name points to itself');
      segment = at;
      continue;
    }
    if (length > 63 || at + 1 + length > bytes.length) throw new RangeError('a label is truncated');
    size += length + 1;
    if (size > mostBytes) throw new RangeError('a name is too long');
    labels.push(shown(bytes.subarray(at + 1, at + 1 + length)));
    at += length + 1;
  }
}

/** A label as zone files write it: dots in it and what cannot be printed are escaped. */
function shown(label: Buffer): string {
  return label
    .toString('latin1')
    .replace(/[.\\]/g, String.raw`\$&`)
    .replace(/[^\x21-\x7e]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`);
}
