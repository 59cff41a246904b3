// Identifiers: random ones that sort by time, and derived ones, so that a repeat of the same fact has the same id.
import { hash, randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** Where the sixteen pairs of digits stand in the text of a UUID. */
export const pairAt = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
/** Character codes of the two digits of a byte. */
const digitCodes = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));
const highCodes = Uint8Array.from(digitCodes, (digits) => digits.charCodeAt(0));
const lowCodes = Uint8Array.from(digitCodes, (digits) => digits.charCodeAt(1));
/** A text that is made in one piece: one that is put together of parts is put together anew by whoever looks into it. */
const letters = Buffer.alloc(36, '-');

/**
 * The lower-case text of the 16 bytes of a UUID.
 *
 * @param from where they begin, when there are more
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
 * Makes a UUID (version 7) of the current time. Ids made later in one process sort later, also when the clock steps back.
 */
export function newId(): string {
  return v7();
}

let lastMs = -1;
let sequence = 0;

/**
 * Makes a UUID (version 7) of a given time, in epoch milliseconds. Successive ids of one time sort in the order in which they
 * are made, so that rows that are due together are written side by side.
 */
export function newIdAt(atMs: number): string {
  const msecs = Math.trunc(atMs);
  // A random start below 2^31 keeps processes apart and leaves room for two thousand million successors.
  sequence = msecs === lastMs ? sequence + 1 : randomInt(2 ** 31);
  lastMs = msecs;
  return v7({ msecs, seq: sequence });
}

/**
 * A UUID (version 7) made of a time and of what it stands for: the same time and parts always give the same id,
 * so work that is done twice is recorded once (design: lease, don't lock).
 *
 * @param atMs epoch milliseconds, 0..2^48-1: the first 48 bits, so that derived ids sort by time too
 * @param parts what the id stands for; joined with a separator that cannot occur in a part (U+0000)
 */
export function derivedId(atMs: number, ...parts: readonly (string | number)[]): string {
  return idOfBytes(derivedIdBytes(atMs, ...parts));
}

/** The 16 bytes of the same. */
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

/** Whether a text has the shape of a UUID (any version). */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
