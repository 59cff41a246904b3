// Keeps values while they are used, up to a bound. What is kept stays, and what is new is let in where one is not used any more:
// of values that are asked for in turn, and are more than can be kept, the least recently used one would always be the next
// that is needed, and each would be kept for nothing.

interface Entry<Value> {
  readonly key: string;
  value: Value;
  size: number;
  expectedTo: number;
  /** Where it stands in the ring. */
  at: number;
}

/** A value that is to be kept. */
export interface Kept<Value> {
  readonly value: Value;
  readonly size: number;
  /** Until when it is expected to be used again, ms of a monotonic clock. */
  readonly expectedTo: number;
}

/** Values by key. */
export interface KeptUsed<Value> {
  /** The value; undefined = it is not kept. @param expectedTo until when it is expected to be used again; as before if not told */
  use(key: string, expectedTo?: number): Value | undefined;
  /**
   * Keeps a value, or another one in the place of its key's; false = there is no room, and its key has none any more.
   *
   * @param now ms of the same clock
   */
  keep(key: string, kept: Kept<Value>, now: number): boolean;
  forget(key: string): void;
  keys(): Iterable<string>;
}

/** Entries that are looked at for one that makes room, each time there is none. */
const lookedAt = 4;

/**
 * @param most of all sizes together
 * @param onDropped told of one that made room, or that has grown and found none
 */
export function createKeptUsed<Value>(
  most: number,
  onDropped: (key: string) => void = () => undefined,
): KeptUsed<Value> {
  const entries = new Map<string, Entry<Value>>();
  // Gone round in search of room. Not an iterator of the map: one that rests holds every table that the map has left behind.
  const ring: Entry<Value>[] = [];
  let [total, hand] = [0, 0];

  const remove = (entry: Entry<Value>): void => {
    entries.delete(entry.key);
    total -= entry.size;
    const last = ring.pop();
    if (last === undefined || last === entry) return;
    ring[entry.at] = last;
    last.at = entry.at;
  };
  const drop = (entry: Entry<Value>): void => {
    remove(entry);
    onDropped(entry.key);
  };
  const hasRoom = (size: number): boolean => total + size <= most;
  const makeRoom = (size: number, now: number): boolean => {
    for (let looks = 0; looks < lookedAt && !hasRoom(size); looks++) {
      if (hand >= ring.length) hand = 0;
      const entry = ring[hand];
      // In the place of one that goes stands another one.
      if (entry !== undefined && entry.expectedTo <= now) drop(entry);
      else hand++;
    }
    return hasRoom(size);
  };
  return {
    use(key, expectedTo) {
      const entry = entries.get(key);
      if (entry !== undefined && expectedTo !== undefined) entry.expectedTo = expectedTo;
      return entry?.value;
    },
    keep(key, { value, size, expectedTo }, now) {
      const before = entries.get(key);
      if (before !== undefined && hasRoom(size - before.size)) {
        total += size - before.size;
        Object.assign(before, { value, size, expectedTo });
        return true;
      }
      if (before !== undefined) drop(before);
      if (!makeRoom(size, now)) return false;
      const entry = { key, value, size, expectedTo, at: ring.length };
      entries.set(key, entry);
      ring.push(entry);
      total += size;
      return true;
    },
    forget(key) {
      const entry = entries.get(key);
      if (entry !== undefined) remove(entry);
    },
    keys: () => entries.keys(),
  };
}
