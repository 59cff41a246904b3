// IDs: random ones that sort by time, and derived ones, so that repeating the same work yields the same ID.
import { hash, randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** Positions of the sixteen digit pairs in the text of a UUID. */
export const pairAt = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
/** Character codes of the two digits of a byte. */
const digitCodes = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));
const highCodes = Uint8Array.from(digitCodes, (digits) => digits.charCodeAt(0));
const lowCodes = Uint8Array.from(digitCodes, (digits) => digits.charCodeAt(1));
/** Creates the text in one piece: a concatenated string would be flattened by its first reader. */
const letters = Buffer.alloc(36, '-');

/**
 * The lower-case text of the 16 bytes of a UUID.
 * @param from start position
 */
export function idOfBytes(bytes: Uint8Array, from = 0): string {
  for (let index = 0; index < 16; index++) {
    const value = bytes[from + index] ?? 0;
    const at = pairAt[index] ?? 0;
    letters[at] = highCodes[value] ?? 0;
    letters[at + 1] = lowCodes[value] ?? 0;
  }
  return letters.toString('latin1');
}

/**
 * Creates a UUID (version 7) of the current time. IDs created later in a process sort later, even if the clock is set
 * back.
 */
export function newId(): string {
  return v7();
}

let lastMs = -1;
let sequence = 0;

/**
 * Creates a UUID (version 7) of a given time, in epoch milliseconds. Successive IDs of one time sort in creation order,
 * so that rows due together are adjacent.
 */
export function newIdAt(atMs: number): string {
  const msecs = Math.trunc(atMs);
  // A random start below 2^31 separates processes and leaves room for two billion successors.
  sequence = msecs === lastMs ? sequence + 1 : randomInt(2 ** 31);
  lastMs = msecs;
  return v7({ msecs, seq: sequence });
}

/**
 * A UUID (version 7) derived from a time and from what it identifies: the same input always gives the same ID, so work
 * that is done twice is recorded once (design: lease, don't lock).
 * @param atMs epoch milliseconds, 0..2^48-1: the first 48 bits, so that derived IDs sort by time too
 * @param parts what the ID identifies; joined with U+0000, which cannot occur in a part
 */
export function derivedId(atMs: number, ...parts: readonly (string | number)[]): string {
  return idOfBytes(derivedIdBytes(atMs, ...parts));
}

/** The same as 16 bytes. */
export function derivedIdBytes(atMs: number, ...parts: readonly (string | number)[]): Buffer {
  const digest = hash('sha256', parts.join('\0'), 'buffer');
  const nibble = (index: number): number => ((digest[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 0xf;
  const id = Buffer.allocUnsafe(16);
  id.writeUIntBE(Math.trunc(atMs), 0, 6);
  id[6] = 0x70 | nibble(0);
  id[7] = (nibble(1) << 4) | nibble(2);
  id[8] = ((nibble(3) & 0x3) << 4) | 0x80 | nibble(4);
  id[9] = (nibble(5) << 4) | nibble(6);
  digest.copy(id, 10, 4, 10);
  return id;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the format of a UUID (any version). */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
