// How values stand in columns: ids as 16 bytes, flags as 0 and 1, documents as JSON text. The same on every engine.

/** A UUID as its 16 bytes. */
export type IdBytes = Uint8Array;

/** The 16 bytes of a UUID text. */
export function idBytes(id: string): IdBytes {
  return Buffer.from(id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24, 36), 'hex');
}

/** The lower-case text of 16 bytes. */
export function idText(bytes: IdBytes): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function idTextOrNull(bytes: IdBytes | null): string | null {
  return bytes === null ? null : idText(bytes);
}

export function idBytesOrNull(id: string | null): IdBytes | null {
  return id === null ? null : idBytes(id);
}

/** Bytes as a text of as many characters: the cheapest key of a map. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The epoch ms in the first 48 bits of a UUID (version 7). */
export function idTime(bytes: IdBytes): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUIntBE(0, 6);
}

/** The smallest id that a UUID (version 7) made at `at` (epoch ms) can have: the bound of a range by time. */
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

export function jsonOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** A document as it was stored; `Shape` is what the same store wrote there. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what its own table holds
export function parsed<Shape>(text: string): Shape {
  return JSON.parse(text) as Shape;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
export function parsedOrNull<Shape>(text: string | null): Shape | null {
  return text === null ? null : (JSON.parse(text) as Shape);
}
