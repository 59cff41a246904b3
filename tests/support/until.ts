// Waits for a condition instead of a fixed time.

/**
 * Returns what `read` returns as soon as that is neither null, undefined nor false.
 *
 * @param awaited completes "waited … ms for"
 * @throws {Error} after `withinMs`, with what `seen` returns
 */
export async function until<Answer>(
  awaited: string,
  read: () => Answer | Promise<Answer>,
  { withinMs = 30_000, seen = () => '' }: { withinMs?: number; seen?: () => string } = {},
): Promise<Exclude<Answer, null | undefined | false>> {
  const startedAt = performance.now();
  for (;;) {
    const judgedAt = performance.now();
    const answer = await read();
    if (answer !== null && answer !== undefined && answer !== false) {
      return answer as Exclude<Answer, null | undefined | false>;
    }
    const now = performance.now();
    const waitedMs = now - startedAt;
    if (waitedMs > withinMs) throw new Error(`waited ${withinMs} ms for ${awaited}\n${seen()}`);
    // Longer waits and expensive reads are polled less often, to leave processor time to what is awaited.
    const pauseMs = Math.min(400, Math.max(10 + waitedMs / 20, 2 * (now - judgedAt)));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
