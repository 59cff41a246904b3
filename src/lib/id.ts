// Identifiers: random ones that sort by time, and derived ones, so that a repeat of the same fact has the same id.
import { hash, randomUUIDv7 } from 'node:crypto';

let lastTime = '';
let ordinal = 0;
let lastGiven = '';
let givenOrdinal = 0;

/**
 * A fresh UUID (version 7) whose first 48 bits are the machine's time: ids made later sort later, those that one process
 * makes within a millisecond too, up to some three thousand of them.
 */
export function newId(): string {
  const id = randomUUIDv7();
  const time = id.slice(0, 13);
  // A random start leaves room for more, and keeps ids of different processes apart.
  ordinal = time === lastTime ? Math.min(ordinal + 1, 0xfff) : Number.parseInt(id.slice(15, 18), 16) >> 2;
  lastTime = time;
  return `${time}-7${ordinal.toString(16).padStart(3, '0')}${id.slice(18)}`;
}

/** Of ids for one millisecond that is given, how many more there are in order than the random start leaves: 26 bits. */
const ordinalMost = 0x3ff_ffff;

/**
 * The same for a time that is given, epoch ms: ids made one after the other for times that do not go back are in order, up to
 * some fifty million for one millisecond. A hundred thousand deadlines may lie in one, and ids that are in order are
 * written side by side.
 */
export function newIdAt(atMs: number): string {
  const hex = Math.trunc(atMs).toString(16).padStart(12, '0');
  const time = `${hex.slice(0, 8)}-${hex.slice(8)}`;
  const random = randomUUIDv7();
  givenOrdinal =
    time === lastGiven
      ? Math.min(givenOrdinal + 1, ordinalMost)
      : (Number.parseInt(random.slice(15, 18), 16) >> 2) << 14;
  lastGiven = time;
  const high = (givenOrdinal >> 14).toString(16).padStart(3, '0');
  // Below the two bits that say which sort of UUID it is.
  const low = (0x8000 | (givenOrdinal & 0x3fff)).toString(16);
  return `${time}-7${high}-${low}${random.slice(23)}`;
}

/**
 * A UUID (version 7) made of a time and of what it stands for: the same time and parts always give the same id,
 * so work that is done twice is recorded once (design: lease, don't lock).
 *
 * @param atMs epoch milliseconds, 0..2^48-1: the first 48 bits, so that derived ids sort by time too
 * @param parts what the id stands for; joined with a separator that cannot occur in a part (U+0000)
 */
export function derivedId(atMs: number, ...parts: readonly (string | number)[]): string {
  const hex = derivedIdBytes(atMs, ...parts).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
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
