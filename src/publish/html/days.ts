// What a page says of the UTC days of a service: bars, uptime, and the days with problems.
import type { PublicDay, PublicService } from '#domain/status-pages/page-snapshot.ts';
import { uptimePercent } from '#domain/status-pages/uptime.ts';
import type { PageView } from '../page-view.ts';

export const dayMs = 86_400_000;

/** Sums of days. */
export interface Uptime {
  /** Two decimals, rounded down; null = nothing is known. */
  readonly percent: string | null;
  /** Whole percent of the time that is known, rounded down. */
  readonly monitored: number;
}

export function uptimeOf(days: readonly PublicDay[], builtAt: number): Uptime {
  let [knownMs, downMs, allMs] = [0, 0, 0];
  for (const day of days) {
    knownMs += day.knownMs;
    downMs += day.downMs;
    allMs += lengthOf(day, builtAt);
  }
  return { percent: uptimePercent({ knownMs, downMs }), monitored: sharePercent(knownMs, allMs) };
}

/** Percent of a day that is known, rounded down. */
export function monitoredOf(day: PublicDay, builtAt: number): number {
  return sharePercent(day.knownMs, lengthOf(day, builtAt));
}

function sharePercent(partMs: number, allMs: number): number {
  return allMs <= 0 ? 0 : Math.min(100, Math.floor((partMs / allMs) * 100));
}

/** How much of a day is over, ms; the last day is not yet. */
function lengthOf({ at, knownMs, unknownMs }: PublicDay, builtAt: number): number {
  return Math.max(Math.min(dayMs, builtAt - at), knownMs + unknownMs, 0);
}

/** A downtime from this share of the known time makes a day red, below that amber. */
const muchDown = 0.05;
/** From this percentage a day counts as monitored. */
const wellMonitored = 95;

/** The look of a day: its class, and how many quarters of its height are filled; the rest is hatched. */
export interface DayLook {
  readonly look: 'o' | 's' | 'x' | 'n';
  readonly quarters: number;
}

export function lookOf(day: PublicDay, builtAt: number): DayLook {
  const monitored = monitoredOf(day, builtAt);
  if (day.knownMs <= 0) return { look: 'n', quarters: 4 };
  const quarters = monitored >= wellMonitored ? 4 : Math.min(3, Math.max(1, Math.round(monitored / 25)));
  if (day.downMs <= 0) return { look: 'o', quarters };
  return { look: day.downMs / day.knownMs >= muchDown ? 'x' : 's', quarters };
}

/** Whether a day had downtime or incidents of the service. */
export function problemDays(view: PageView, service: PublicService): PublicDay[] {
  const own = view.snapshot.incidents.filter(({ serviceIds }) => serviceIds.includes(service.id));
  const { builtAt } = view.snapshot;
  return service.days.filter(
    ({ at, downMs }) =>
      downMs > 0 || own.some(({ startedAt, resolvedAt }) => startedAt < at + dayMs && (resolvedAt ?? builtAt) >= at),
  );
}

/** What a day says in words. */
export function describeDay({ writer, snapshot }: PageView, day: PublicDay): string {
  if (day.knownMs <= 0) return writer.plain('day.none');
  const monitored = monitoredOf(day, snapshot.builtAt);
  const down =
    day.downMs > 0 ? writer.plain('day.down', { duration: writer.duration(day.downMs) }) : writer.plain('day.fine');
  if (monitored >= wellMonitored) return down;
  return `${down}, ${writer.plain('day.monitored', { percent: writer.percent(monitored) })}`;
}
