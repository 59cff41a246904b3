// Comparable facts of two results.
import { milliseconds } from '../../ui/text/format.ts';
import { timeLabel } from '../../ui/checks/kind.ts';
import { evidenceOf, phasesOf, type Result, shownTime } from '../../ui/checks/evidence.ts';
import { type Headers, prettyBody } from '../../ui/text/http-text.ts';

export interface Fact {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Facts of both, in the same order. */
export function compareFacts(before: Result, after: Result): readonly Fact[] {
  const [old, fresh] = [new Map(evidenceOf(before).comparable), new Map(evidenceOf(after).comparable)];
  return [...new Set([...fresh.keys(), ...old.keys()])].map((name) => ({
    name,
    before: old.get(name) ?? null,
    after: fresh.get(name) ?? null,
  }));
}

/** The response time and phases that changed by more than half and 100 ms; smaller changes are noise. */
export function compareTimes(before: Result, after: Result): readonly Fact[] {
  const isLarge = (old: number, fresh: number): boolean =>
    Math.abs(fresh - old) > 100 && Math.abs(fresh - old) > Math.min(fresh, old) / 2;
  const times = (result: Result): readonly (readonly [string, number])[] => {
    const total = shownTime(result);
    return [
      ...(total === null ? [] : [[timeLabel(result.checkType), total] as const]),
      ...phasesOf(result).map(({ name, ms }) => [name, ms] as const),
    ];
  };
  const old = new Map(times(before));
  return times(after).flatMap(([name, ms]) => {
    const earlier = old.get(name) ?? 0;
    return isLarge(earlier, ms) ? [{ name, before: milliseconds(earlier), after: milliseconds(ms) }] : [];
  });
}

/** Headers that differ between any two responses. */
const volatile = new Set(['date', 'age', 'expires', 'content-length', 'etag', 'last-modified']);

export function compareHeaders(before: Headers, after: Headers): readonly Fact[] {
  const shown = (value: string | readonly string[] | undefined): string | null =>
    value === undefined ? null : [value].flat().join(', ');
  return [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((name) => !volatile.has(name.toLowerCase()))
    .map((name) => ({ name, before: shown(before[name]), after: shown(after[name]) }))
    .filter((fact) => fact.before !== fact.after);
}

/** The text that is compared line by line; null = not stored. */
export function bodyOf(result: Result): string | null {
  const found = evidenceOf(result)
    .sections.flatMap(({ texts = [] }) => texts)
    .find(({ isCompared }) => isCompared);
  if (found === undefined || found.isBinary) return null;
  return found.isBody ? prettyBody(found.text) : found.text;
}
