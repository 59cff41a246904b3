// Ranges of reports: what is chosen, what comes before and after it.
import type { AnswerOf } from '#contract/operations.ts';
import { type Period, periods, type ReportsSearch } from './search.ts';

type Report = AnswerOf<'getAccountReport'>;
type Range = Pick<ReportsSearch, 'every' | 'at' | 'fromOn' | 'toOn'>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** `this-month`: the one in progress; `other-month`: an earlier one; `days`: chosen days. */
export type RangeName = `${'last' | 'this' | 'other'}-${Period}` | 'days';

export const rangeNames: readonly RangeName[] = [
  ...periods.flatMap((period) => [`last-${period}`, `this-${period}`] as const),
  'days',
];

/** The range of a report, by the parameters of its page. */
export function rangeOf({ every: chosen, at, fromOn }: ReportsSearch, report: Report | undefined): RangeName {
  const every: Period = chosen ?? 'week';
  if (fromOn !== undefined) return 'days';
  if (at === undefined) return `last-${every}`;
  return report !== undefined && !isOver(report) ? `this-${every}` : `other-${every}`;
}

/** Whether the range was over when the report was made. */
export function isOver({ to, createdAt }: Report): boolean {
  return Date.parse(to) < Date.parse(createdAt);
}

/** The first and the last day of a report in its time zone. */
export function daysOf(report: Report): { readonly fromOn: string; readonly toOn: string } {
  const { from, to, timeZone } = report;
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' });
  // The middle of the first and of the last day: periods begin at full hours of UTC.
  const first = Date.parse(from) + 12 * hourMs;
  const last = Date.parse(to) - (isOver(report) ? 12 * hourMs : 0);
  return { fromOn: format.format(first), toOn: format.format(Math.max(first, last)) };
}

/** The parameters of a range. @param now epoch ms */
export function searchOf(name: RangeName, report: Report | undefined, now: number): Range {
  if (name === 'days') {
    const today = new Date(now).toISOString().slice(0, 10);
    return report === undefined ? { fromOn: today, toOn: today } : daysOf(report);
  }
  const [which, period] = name.split('-') as [string, Period];
  return {
    ...(period !== 'week' && { every: period }),
    ...(which === 'this' && { at: new Date(now).toISOString() }),
  };
}

/** The parameters of the range before or after; null = there is none. Without a report, a week is assumed. */
export function beside(search: ReportsSearch, report: Report | undefined, step: 1 | -1): Range | null {
  const { every, at, fromOn, toOn } = search;
  if (report !== undefined && step === 1 && !isOver(report)) return null;
  if (fromOn !== undefined && toOn !== undefined) {
    const days = (Date.parse(toOn) - Date.parse(fromOn)) / dayMs + 1;
    const moved = (day: string): string => new Date(Date.parse(day) + step * days * dayMs).toISOString().slice(0, 10);
    return { fromOn: moved(fromOn), toOn: moved(toOn) };
  }
  const next =
    report === undefined
      ? Date.parse(at ?? '') + step * 7 * dayMs
      : step === 1
        ? Date.parse(report.to) + 12 * hourMs
        : Date.parse(report.from) - 12 * hourMs;
  if (Number.isNaN(next)) return null;
  return { ...(every !== undefined && { every }), at: new Date(next).toISOString() };
}
