// Verifies that work continues: how long possible work was not done, and how soon it resumed after each fault.
import type { Verdict } from './verdict.ts';
import { pause } from '../support/service.ts';
import { intervalMs } from './script.ts';

/** A span, epoch ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A time in which a process could not work, and the reason. */
export interface Outage extends Span {
  readonly member: string;
}

/** A kind of work: the processes that can do it, and when it was done. */
export interface Work {
  readonly name: string;
  /** At least one member of each group must be available: those that do the work and those that create it. */
  readonly groups: readonly (readonly string[])[];
  /** Epoch ms, ascending. */
  readonly instants: readonly number[];
}

/** Maximum time without possible work, ms (issue: after each fault). */
export const maxResumeMs = 15_000;

/** Parts of `whole` in which at least one member of each group is available. */
export function workable(groups: Work['groups'], outages: readonly Outage[], whole: Span): Span[] {
  const edges = outages.flatMap(({ from, to }) => [from, to]);
  const instants = [...new Set([whole.from, ...edges, whole.to])]
    .filter((at) => at >= whole.from && at <= whole.to)
    .sort((a, b) => a - b);
  const spans: { from: number; to: number }[] = [];
  for (const [index, from] of instants.slice(0, -1).entries()) {
    const to = instants[index + 1] ?? whole.to;
    const isOut = (member: string): boolean =>
      outages.some((outage) => outage.member === member && outage.from <= from && outage.to >= to);
    if (groups.some((members) => members.every(isOut))) continue;
    const last = spans.at(-1);
    if (last !== undefined && last.to === from) last.to = to;
    else spans.push({ from, to });
  }
  return spans;
}

/** Longest pause of work in a span, including its start and end. */
export function longestPause({ instants }: Work, spans: readonly Span[]): Span {
  let longest: Span = { from: 0, to: 0 };
  for (const { from, to } of spans) {
    let since = from;
    for (const at of [...instants.filter((instant) => instant > from && instant < to), to]) {
      if (at - since > longest.to - longest.from) longest = { from: since, to: at };
      since = at;
    }
  }
  return longest;
}

/** Work never pauses for longer than 15 s while it is possible. Several kinds of work count as one guarantee. */
export function judgeWork(guarantee: string, works: readonly Work[], outages: readonly Outage[], whole: Span): Verdict {
  const pauses = works.map((work) => ({ ...work, ...longestPause(work, workable(work.groups, outages, whole)) }));
  const longestMs = Math.max(...pauses.map(({ from, to }) => to - from));
  return {
    guarantee: `${guarantee} within 15 s (longest pause ${(longestMs / 1000).toFixed(1)} s)`,
    checked: works.reduce((sum, { instants }) => sum + instants.length, 0),
    violations: pauses.flatMap(({ name, from, to }) => {
      const why = `${name}: none from ${new Date(from).toISOString()} for ${Math.round(to - from)} ms`;
      return to - from > maxResumeMs ? [why] : [];
    }),
  };
}

/** From the end of a fault to the first work after it, ms; null = none. */
export function resumedAfter(end: number, { instants }: Work): number | null {
  const next = instants.find((at) => at > end);
  return next === undefined ? null : next - end;
}

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
interface StormDeps {
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
