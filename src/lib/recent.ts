// What was found lately, remembered within bounds: what was not asked for the longest is forgotten first.

/** Values by a short key. */
export interface Recent<Value> {
  /** undefined = it is not known, or not any more. */
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** How much is remembered. */
export interface RecentBounds<Value> {
  readonly most: number;
  readonly mostBytes: number;
  /** What a value takes beside its key, roughly. */
  readonly bytesOf: (value: Value) => number;
}

/** For the entry itself and its place in a map, bytes. */
const perEntry = 100;

export function createRecent<Value>({ most, mostBytes, bytesOf }: RecentBounds<Value>): Recent<Value> {
  // A map keeps the order in which it was written.
  const entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  let bytes = 0;
  const forget = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      forget(key);
      const size = perEntry + 2 * key.length + bytesOf(value);
      entries.set(key, { value, bytes: size });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (entries.size <= most && bytes <= mostBytes) return;
        forget(oldest);
      }
    },
  };
}
