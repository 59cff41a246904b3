// What is remembered of accounts: bounded, and the account that was not asked for the longest time is forgotten first.

/** A value for each account. */
export interface Remembered<Value> {
  get(accountId: string): Value | undefined;
  /** Keeps a value in the place of the one before. One that is too large by itself is not kept. */
  set(accountId: string, value: Value): void;
}

/** @param most the sum of the sizes of all values */
export function createRemembered<Value>(sizeOf: (value: Value) => number, most: number): Remembered<Value> {
  // In the order in which they were set.
  const values = new Map<string, Value>();
  let kept = 0;
  const forget = (accountId: string): void => {
    const value = values.get(accountId);
    if (value === undefined) return;
    kept -= sizeOf(value);
    values.delete(accountId);
  };
  return {
    get: (accountId) => values.get(accountId),
    set(accountId, value) {
      forget(accountId);
      const size = sizeOf(value);
      if (size > most) return;
      values.set(accountId, value);
      kept += size;
      for (const oldest of values.keys()) {
        if (kept <= most) break;
        forget(oldest);
      }
    },
  };
}
