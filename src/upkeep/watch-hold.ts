// Beside the path: whether deliveries are held (docs/decisions/0119).

/** While nothing is held, that is asked this often, ms. */
const askEveryMs = 1000;

/** A hold that has just begun is noticed within a second, its end at once. */
export function createWatchHold(store: { find(): Promise<object | null> }): () => Promise<boolean> {
  let sentAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - sentAt < askEveryMs) return false;
    const isHeld = (await store.find()) !== null;
    if (!isHeld) sentAt = performance.now();
    return isHeld;
  };
}
