// Follows whether deliveries are held (docs/decisions/0119).

/** Polling interval while nothing is held, ms. */
const askEveryMs = 1000;

/** A new hold is noticed within a second, its end at once. */
export function createWatchHold(store: { find(): Promise<object | null> }): () => Promise<boolean> {
  let sentAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - sentAt < askEveryMs) return false;
    const isHeld = (await store.find()) !== null;
    if (!isHeld) sentAt = performance.now();
    return isHeld;
  };
}
