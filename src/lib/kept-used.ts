// Keeps values while they are used, up to a bound. What is kept stays, and what is new is let in where one is not used any more:
// of values that are asked for in turn, and are more than can be kept, the least recently used one would always be the next
// that is needed, and each would be kept for nothing.

interface Entry<Value> {
  value: Value;
  size: number;
  /** Until when it is expected to be used again, ms of a monotonic clock. */
  expectedTo: number;
}

/** Values by key. Times are ms of a monotonic clock. */
export interface KeptUsed<Value> {
  /** The value, which is expected to be used again until then; undefined = it is not kept. */
  use(key: string, expectedTo: number): Value | undefined;
  /** Keeps a value, or another one in the place of its key's; false = there is no room. */
  keep(key: string, entry: { readonly value: Value; readonly size: number; readonly expectedTo: number }): boolean;
  forget(key: string): void;
  keys(): Iterable<string>;
}

/** Entries that are looked at for one that makes room, each time there is none. */
const lookedAt = 4;

/**
 * @param most of all sizes together
 * @param now ms of the same clock
 * @param onDropped told of one that made room
 */
export function createKeptUsed<Value>(
  most: number,
  now: () => number,
  onDropped: (key: string) => void = () => undefined,
): KeptUsed<Value> {
  const entries = new Map<string, Entry<Value>>();
  let total = 0;
  // Goes on where it stopped, round and round; what comes in meanwhile is at the end.
  let hand = entries.entries();

  const forget = (key: string): void => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  const hasRoom = (size: number): boolean => total + size <= most;
  const makeRoom = (size: number): boolean => {
    for (let looks = 0; looks < lookedAt && !hasRoom(size); looks++) {
      const next = hand.next();
      if (next.done === true) hand = entries.entries();
      else if (next.value[1].expectedTo <= now()) {
        forget(next.value[0]);
        onDropped(next.value[0]);
      }
    }
    return hasRoom(size);
  };
  return {
    use(key, expectedTo) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entry.expectedTo = expectedTo;
      return entry.value;
    },
    keep(key, { value, size, expectedTo }) {
      const entry = entries.get(key);
      if (entry === undefined) {
        if (!makeRoom(size)) return false;
        entries.set(key, { value, size, expectedTo });
      } else {
        total -= entry.size;
        Object.assign(entry, { value, size, expectedTo });
      }
      total += size;
      return true;
    },
    forget,
    keys: () => entries.keys(),
  };
}
