// When faults come, and when they rest: what must be seen in a rest, whatever was done before it.
import { pause } from '../support/service.ts';
import { maxResumeMs, type Span } from './resumed.ts';
import { intervalMs } from './script.ts';

/**
 * What a target answers is known by its second slot, ms: one may pass without a verdict, because this machine was held up
 * while it looked. The rest is for the probe and its commit.
 */
export const seenMs = 2 * intervalMs + 2000;
/** Faults come for so long at a time, ms. */
const stormMs = 60_000;
/** Before the first storm, ms: everything is seen as it is. */
export const openingMs = seenMs + 1000;
/** A rest after a storm, ms: work has gone on again, and everything is seen. */
export const restMs = maxResumeMs + openingMs;

/** What storms are made of. */
export interface StormDeps {
  /** Does the next fault. */
  readonly next: () => Promise<void>;
  /** Waits for the end of all faults: nothing of them happens after it. */
  readonly end: () => Promise<void>;
  readonly say: (what: string) => void;
}

/**
 * Faults for `ms`, in storms with rests between: one before the first, in which everything is seen as it is, and one after the
 * last.
 *
 * @returns the storms, from before their first fault until after their last
 */
export async function bringStorms(ms: number, { next, end, say }: StormDeps): Promise<Span[]> {
  const storms: Span[] = [];
  const until = Date.now() + ms;
  await pause(openingMs);
  do {
    const from = Date.now();
    while (Date.now() < Math.min(from + stormMs, until)) await next();
    await end();
    storms.push({ from, to: Date.now() });
    say(`no fault for ${restMs / 1000} s`);
    await pause(restMs);
  } while (Date.now() < until);
  return storms;
}

/**
 * By when something is done that begins at `from` and takes `takesMs`: storms that it meets, or that have ended less than 15 s
 * ago, may undo all of it. Epoch ms.
 *
 * @param storms the oldest first
 */
export function doneBy(from: number, takesMs: number, storms: readonly Span[]): number {
  let by = from + takesMs;
  for (const storm of storms) {
    if (storm.from > by) break;
    if (storm.to + maxResumeMs > from) by = storm.to + maxResumeMs + takesMs;
  }
  return by;
}
