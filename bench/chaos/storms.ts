// Storms of faults and the rests between them. In a rest everything must be detected, whatever happened before.
import { pause } from '../support/service.ts';
import { maxResumeMs, type Span } from './resumed.ts';
import { intervalMs } from './script.ts';

/**
 * Time until a target's state is detected by its second slot, ms: one slot may have no verdict because of a delay. The
 * rest is for the probe and its commit.
 */
export const seenMs = 2 * intervalMs + 2000;
/** Duration of a storm, ms. */
export const stormMs = 60_000;
/** Time before the first storm, ms, in which the initial state is detected. */
export const openingMs = seenMs + 1000;
/** Rest after a storm, ms: work resumes and everything is detected. */
export const restMs = maxResumeMs + openingMs;

/** Operations of storms. */
export interface StormDeps {
  /** Starts the next fault. */
  readonly next: () => Promise<void>;
  /** Waits until all faults have ended. */
  readonly end: () => Promise<void>;
  readonly say: (what: string) => void;
}

/**
 * Injects faults for `ms`, in storms separated by rests, with one rest before the first storm and one after the last.
 *
 * @returns the storms, from before their first fault to after their last
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
    say(`no faults for ${restMs / 1000} s`);
    await pause(restMs);
  } while (Date.now() < until);
  return storms;
}

/**
 * The latest end, epoch ms, of work that begins at `from` and takes `takesMs`: storms that overlap it, or ended less than
 * 15 s before, may undo all of it.
 *
 * @param storms oldest first
 */
export function doneBy(from: number, takesMs: number, storms: readonly Span[]): number {
  let by = from + takesMs;
  for (const storm of storms) {
    if (storm.from > by) break;
    if (storm.to + maxResumeMs > from) by = storm.to + maxResumeMs + takesMs;
  }
  return by;
}
