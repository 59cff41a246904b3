// Column encodings: IDs as 16 bytes, flags as 0 and 1, documents as JSON text. The same on every engine.
import { idOfBytes, pairAt } from '#lib/id.ts';

/** A UUID as its 16 bytes. */
export type IdBytes = Uint8Array;

/** Value of a digit by its character code; more than eight bits if it is not a digit. */
const digitOf = Int16Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16);
  return Number.isNaN(value) ? 0x100 : value;
});

/** The 16 bytes of a UUID text. */
export function idBytes(id: string): IdBytes {
  const bytes = Buffer.allocUnsafe(16);
  let seen = id.length === 36 ? 0 : 0x100;
  for (let index = 0; index < 16; index++) {
    const at = pairAt[index] ?? 0;
    const high = digitOf[id.charCodeAt(at)] ?? 0x100;
    const low = digitOf[id.charCodeAt(at + 1)] ?? 0x100;
    seen |= high | low;
    bytes[index] = (high << 4) | low;
  }
  // Text that is not a UUID is encoded shorter, so that it never matches an ID.
  return seen < 0x100 ? bytes : Buffer.from(id.replaceAll('-', '').slice(0, 30), 'hex');
}

/**
 * The lower-case text of 16 bytes.
 * @param from start position
 */
export function idText(bytes: IdBytes, from = 0): string {
  return idOfBytes(bytes, from);
}

/** The lower-case text of 32 hexadecimal digits. */
export function idOfDigits(digits: string): string {
  const hex = digits.toLowerCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function idTextOrNull(bytes: IdBytes | null): string | null {
  return bytes === null ? null : idText(bytes);
}

export function idBytesOrNull(id: string | null): IdBytes | null {
  return id === null ? null : idBytes(id);
}

/** Bytes as a text of the same length: the cheapest map key. */
export function latin1(bytes: Uint8Array): string {
  const own = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return own.toString('latin1');
}

/** The epoch ms in the first 48 bits of a UUID (version 7). */
export function idTime(bytes: IdBytes): number {
  let time = 0;
  for (let index = 0; index < 6; index++) time = time * 256 + (bytes[index] ?? 0);
  return time;
}

/** The smallest ID of a UUID (version 7) of `at` (epoch ms): the bound of a time range. */
export function firstIdAt(at: number): IdBytes {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.min(Math.max(Math.trunc(at), 0), 2 ** 48 - 1), 0, 6);
  return bytes;
}

/** 0 or 1. */
export type Flag = number;

export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}

export function json(value: unknown): string {
  return JSON.stringify(value);
}

/** Parses a stored document; `Shape` is what the same store wrote. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what its own table holds
export function parsed<Shape>(text: string): Shape {
  return JSON.parse(text) as Shape;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
export function parsedOrNull<Shape>(text: string | null): Shape | null {
  return text === null ? null : (JSON.parse(text) as Shape);
}
