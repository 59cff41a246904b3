// Waiting for a condition instead of for a time: looked at again and again, until it holds or its deadline is over.

/**
 * What `look` answers as soon as that is neither null, undefined nor false.
 *
 * @throws with what was awaited, and what `seen` tells, when `withinMs` are over
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
    // What takes long, or is costly to look at, is looked at less often: looking costs what is waited for its processor.
    const pauseMs = Math.min(400, Math.max(10 + waitedMs / 20, 2 * (now - judgedAt)));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
