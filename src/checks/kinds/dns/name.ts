// Decodes compressed names in DNS messages (RFC 1035 §4.1.4).

/** Maximum number of compression pointers in a name. */
const maxJumps = 64;

/** Maximum bytes of a name, including label lengths and the terminator (RFC 1035 §3.1). */
const maxBytes = 255;

/** Decodes a name with a trailing dot, and returns the offset after it. @throws {RangeError} if malformed */
export function readName(bytes: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = start;
  let end: number | null = null;
  let jumps = 0;
  let size = 1;
  // Start of the current labels. Pointers must go backwards, so a name cannot loop.
  let segment = start;
  for (;;) {
    const length = bytes.readUInt8(at);
    if (length === 0) return { name: `${labels.join('.')}.`, end: end ?? at + 1 };
    if (length >= 0xc0) {
      end ??= at + 2;
      at = bytes.readUInt16BE(at) & 0x3fff;
      if (at >= segment || ++jumps > maxJumps) throw new RangeError('a name points to itself');
      segment = at;
      continue;
    }
    if (length > 63 || at + 1 + length > bytes.length) throw new RangeError('a label is truncated');
    size += length + 1;
    if (size > maxBytes) throw new RangeError('a name is too long');
    labels.push(shown(bytes.subarray(at + 1, at + 1 + length)));
    at += length + 1;
  }
}

/** Escapes a label like zone files: dots and unprintable bytes. */
function shown(label: Buffer): string {
  return label
    .toString('latin1')
    .replace(/[.\\]/g, String.raw`\$&`)
    .replace(/[^\x21-\x7e]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`);
}
