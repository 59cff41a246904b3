// Identifiers: random ones that sort by time, and derived ones, so that a repeat of the same fact has the same id.
import { hash, randomFillSync } from 'node:crypto';

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

/** Random bytes that no id has yet: to ask for them one id at a time costs more than all the rest of it. */
const random = Buffer.alloc(4096);
let randomUsed = random.length;
/** The id that is being made. */
const fresh = Buffer.alloc(16);

/** Begins an id: its time, which is epoch ms, and ten random bytes; answers with the first twelve bits of these. */
function begin(at: number): number {
  if (randomUsed + 10 > random.length) {
    randomFillSync(random);
    randomUsed = 0;
  }
  let rest = at;
  for (let index = 5; index >= 0; index--) {
    fresh[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  random.copy(fresh, 6, randomUsed, randomUsed + 10);
  randomUsed += 10;
  return (((fresh[6] ?? 0) << 8) | (fresh[7] ?? 0)) & 0xfff;
}

/** Ends it: of version 7, with twelve bits behind the time. */
function end(ordinalBits: number): string {
  fresh[6] = 0x70 | (ordinalBits >> 8);
  fresh[7] = ordinalBits & 0xff;
  fresh[8] = 0x80 | ((fresh[8] ?? 0) & 0x3f);
  return idOfBytes(fresh);
}

let lastTime = -1;
let ordinal = 0;
let lastGiven = -1;
let givenOrdinal = 0;

/**
 * A fresh UUID (version 7) whose first 48 bits are the machine's time: ids made later sort later, those that one process
 * makes within a millisecond too, up to some three thousand of them.
 */
export function newId(): string {
  const at = Date.now();
  // A random start leaves room for more, and keeps ids of different processes apart.
  const start = begin(at) >> 2;
  ordinal = at === lastTime ? Math.min(ordinal + 1, 0xfff) : start;
  lastTime = at;
  return end(ordinal);
}

/** Of ids for one millisecond that is given, how many more there are in order than the random start leaves: 26 bits. */
const ordinalMost = 0x3ff_ffff;

/**
 * The same for a time that is given, epoch ms: ids made one after the other for times that do not go back are in order, up to
 * some fifty million for one millisecond. A hundred thousand deadlines may lie in one, and ids that are in order are
 * written side by side.
 */
export function newIdAt(atMs: number): string {
  const at = Math.trunc(atMs);
  const start = (begin(at) >> 2) << 14;
  givenOrdinal = at === lastGiven ? Math.min(givenOrdinal + 1, ordinalMost) : start;
  lastGiven = at;
  // Below the two bits that say which sort of UUID it is.
  fresh[8] = (givenOrdinal >> 8) & 0x3f;
  fresh[9] = givenOrdinal & 0xff;
  return end(givenOrdinal >> 14);
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
