// An LRU cache with a bounded total size.

/** Values by a short key. */
export interface Recent<Value> {
  /** undefined = not cached. */
  get(key: string): Value | undefined;
  /** Stores or replaces a value. A value above the limit on its own is not stored. */
  set(key: string, value: Value): void;
}

/** Maximum total size. */
export interface RecentBounds<Value> {
  /** Current total size. */
  readonly max: number;
  /** Size of a value, in the unit of `most`; must not change. */
  readonly sizeOf: (value: Value) => number;
}

export function createRecent<Value>({ max, sizeOf }: RecentBounds<Value>): Recent<Value> {
  // A map preserves insertion order.
  const values = new Map<string, Value>();
  let kept = 0;
  const forget = (key: string): void => {
    const value = values.get(key);
    if (value === undefined) return;
    kept -= sizeOf(value);
    values.delete(key);
  };
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      forget(key);
      const size = sizeOf(value);
      if (size > max) return;
      values.set(key, value);
      kept += size;
      for (const oldest of values.keys()) {
        if (kept <= max) return;
        forget(oldest);
      }
    },
  };
}
