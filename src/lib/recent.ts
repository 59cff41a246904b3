// What was found lately, remembered within bounds: what was not asked for the longest is forgotten first.

/** Values by a short key. */
export interface Recent<Value> {
  /** undefined = it is not known, or not any more. */
  get(key: string): Value | undefined;
  /** Keeps a value in the place of the one before. One that is too large by itself is not kept. */
  set(key: string, value: Value): void;
}

/** How much is remembered. */
export interface RecentBounds<Value> {
  /** The sum of the sizes of all values. */
  readonly most: number;
  /** What a value counts, in the measure of `most`; the same whenever it is asked. */
  readonly sizeOf: (value: Value) => number;
}

export function createRecent<Value>({ most, sizeOf }: RecentBounds<Value>): Recent<Value> {
  // A map keeps the order in which it was written.
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
      if (size > most) return;
      values.set(key, value);
      kept += size;
      for (const oldest of values.keys()) {
        if (kept <= most) return;
        forget(oldest);
      }
    },
  };
}
