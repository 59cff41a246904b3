// Whether work went on: how long nothing was done of what could have been, and how soon after each fault it was again.
import type { Verdict } from './verdict.ts';

/** A span, epoch ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A time in which a process could not work, and why. */
export interface Outage extends Span {
  readonly member: string;
}

/** A sort of work: who can do it, and when it was done. */
export interface Work {
  readonly name: string;
  /** Of each of these groups any one is enough: who does it, and who makes what is to be done. */
  readonly groups: readonly (readonly string[])[];
  /** Epoch ms, ascending. */
  readonly instants: readonly number[];
}

/** Longest time without work that could be done, ms (issue: after each fault). */
export const maxResumeMs = 15_000;

/** The spans of `whole` in which of each group at least one could work. */
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

/** The longest pause of work within one span, from its beginning and to its end. */
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

/** Work never rests for longer than 15 s while somebody could do it; several sorts of it are one promise. */
export function judgeWork(promise: string, works: readonly Work[], outages: readonly Outage[], whole: Span): Verdict {
  const pauses = works.map((work) => ({ ...work, ...longestPause(work, workable(work.groups, outages, whole)) }));
  const longestMs = Math.max(...pauses.map(({ from, to }) => to - from));
  return {
    promise: `${promise} within 15 s (longest pause ${(longestMs / 1000).toFixed(1)} s)`,
    tried: works.reduce((sum, { instants }) => sum + instants.length, 0),
    breaches: pauses.flatMap(({ name, from, to }) => {
      const why = `${name}: nothing from ${new Date(from).toISOString()} for ${Math.round(to - from)} ms`;
      return to - from > maxResumeMs ? [why] : [];
    }),
  };
}

/** From the end of a fault to the first work after it, ms; null = there was none. */
export function resumedAfter(end: number, { instants }: Work): number | null {
  const next = instants.find((at) => at > end);
  return next === undefined ? null : next - end;
}
