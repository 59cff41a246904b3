// Writing DER for tests: certificates, OCSP responses and lists of revoked certificates are made of it.

/** An element of less than 16 MB. */
export function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 128
      ? [length]
      : length < 256
        ? [0x81, length]
        : length < 65_536
          ? [0x82, length >> 8, length & 255]
          : [0x83, length >> 16, (length >> 8) & 255, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

export function octets(content: Buffer): Buffer {
  return der(0x04, content);
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((value) => {
    const groups = [value & 127];
    for (let left = value >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128);
    return groups;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

/** An integer of some bytes, the first below 128. */
export function integer(...bytes: readonly number[]): Buffer {
  return der(0x02, Buffer.from(bytes));
}

export function time(at: Date): Buffer {
  return der(0x18, Buffer.from(`${at.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));
}
