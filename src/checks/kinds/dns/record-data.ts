// Names (RFC 1035 §4.1.4) and record data in zone file format (RFC 1035 §5; SRV: RFC 2782; CAA: RFC 8659; HTTPS: RFC 9460).

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

type Reader = (bytes: Buffer, at: number, length: number) => string;

const oneName: Reader = (bytes, at) => readName(bytes, at).name;

const readers: Readonly<Record<number, Reader>> = {
  1: (bytes, at, length) => {
    if (length !== 4) throw new RangeError('an address has the wrong length');
    return [...bytes.subarray(at, at + 4)].join('.');
  },
  2: oneName,
  5: oneName,
  6: (bytes, at) => {
    const server = readName(bytes, at);
    const mailbox = readName(bytes, server.end);
    const numbers = [0, 4, 8, 12, 16].map((offset) => bytes.readUInt32BE(mailbox.end + offset));
    return [server.name, mailbox.name, ...numbers].join(' ');
  },
  12: oneName,
  15: (bytes, at) => `${bytes.readUInt16BE(at)} ${readName(bytes, at + 2).name}`,
  16: (bytes, at, length) => texts(bytes, at, length).join(''),
  28: (bytes, at, length) => {
    if (length !== 16) throw new RangeError('an address has the wrong length');
    return address6(bytes, at);
  },
  33: (bytes, at) => {
    const numbers = [0, 2, 4].map((offset) => bytes.readUInt16BE(at + offset));
    return [...numbers, readName(bytes, at + 6).name].join(' ');
  },
  65: service,
  257: (bytes, at, length) => {
    const tagEnd = at + 2 + bytes.readUInt8(at + 1);
    const [tag, value] = [bytes.toString('latin1', at + 2, tagEnd), bytes.toString('utf8', tagEnd, at + length)];
    return `${bytes.readUInt8(at)} ${tag} ${JSON.stringify(value)}`;
  },
};

/** Formats the data of a record; unknown types as hex. @throws {RangeError} if malformed */
export function dataText(bytes: Buffer, type: number, at: number, length: number): string {
  const reader = readers[type];
  return reader === undefined
    ? `\\# ${length} ${bytes.toString('hex', at, at + length)}`.trimEnd()
    : reader(bytes, at, length);
}

function texts(bytes: Buffer, start: number, length: number): string[] {
  const found: string[] = [];
  for (let at = start; at < start + length;) {
    const size = bytes.readUInt8(at);
    if (at + 1 + size > start + length) throw new RangeError('a text is truncated');
    found.push(bytes.toString('utf8', at + 1, at + 1 + size));
    at += size + 1;
  }
  return found;
}

function address6(bytes: Buffer, at: number): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(at + index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

const parameterNames = ['mandatory', 'alpn', 'no-default-alpn', 'port', 'ipv4hint', 'ech', 'ipv6hint'];

function service(bytes: Buffer, start: number, length: number): string {
  const target = readName(bytes, start + 2);
  const parts = [String(bytes.readUInt16BE(start)), target.name];
  for (let at = target.end; at < start + length;) {
    const [key, size] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2)];
    if (at + 4 + size > start + length) throw new RangeError('a parameter is truncated');
    const value = parameter(bytes, key, at + 4, size);
    parts.push((parameterNames[key] ?? `key${key}`) + (value === '' ? '' : `=${value}`));
    at += 4 + size;
  }
  return parts.join(' ');
}

function parameter(bytes: Buffer, key: number, at: number, size: number): string {
  const every = (width: number, read: (from: number) => string): string =>
    Array.from({ length: Math.floor(size / width) }, (_, index) => read(at + index * width)).join(',');
  if (key === 1) return texts(bytes, at, size).join(',');
  if (key === 3) return String(bytes.readUInt16BE(at));
  if (key === 4) return every(4, (from) => [...bytes.subarray(from, from + 4)].join('.'));
  if (key === 6) return every(16, (from) => address6(bytes, from));
  return bytes.toString('hex', at, at + size);
}
