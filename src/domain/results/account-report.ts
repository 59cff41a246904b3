// The report on checks of an account in a period or some days (docs/decisions/0130). Times are epoch ms.
import { type DayRange, periodAt, periodBefore, type TimeSpan } from '../checks/calendar.ts';
import type { CheckType } from '../checks/check.ts';
import { instantAt, wallTimeOf } from '../checks/wall-time.ts';
import { dayMs, dayOf, hourMs, noTimes, type RollUp, type SlotTimes, sumOfTimes } from './roll-up.ts';
import { availabilityOf, metricOf, successRatioOf, unknownRatioOf } from './analytics.ts';

export const reportPeriods = ['week', 'month', 'quarter', 'year'] as const;
export type ReportPeriod = (typeof reportPeriods)[number];
export const scheduledPeriods = ['week', 'month'] as const satisfies readonly ReportPeriod[];

/** The checks that a report is on, and its heading. */
export interface ReportScope {
  /** Only the checks of this group; null = of every group and of none. */
  readonly groupId: number | null;
  /** Only checks with all of these tags, their own or those of their group. */
  readonly tags: readonly string[];
  /** Such as the name of a customer; null = the name of the account. */
  readonly title: string | null;
}

/** When a channel receives reports, and on which checks. Absent parts of the scope = all checks of the account. */
export interface ReportSchedule extends Partial<ReportScope> {
  readonly every: (typeof scheduledPeriods)[number];
  /** IANA name: where weeks and months begin. */
  readonly timeZone: string;
}

/** A schedule in a request. Without a zone, that of the account is used. */
export type ReportScheduleInput = Pick<ReportSchedule, 'every'> & Partial<ReportSchedule>;

/** What a report says of a check, or of all together. */
export interface ReportFigures {
  /** Percent of the known time; null = nothing is known. */
  readonly availability: number | null;
  /** The same of the period before. */
  readonly availabilityBefore: number | null;
  readonly downMs: number;
  readonly unknownMs: number;
  /** Percent of the scheduled time; null = nothing was scheduled. */
  readonly unknownRatio: number | null;
  /** Opened in the period. */
  readonly incidents: number;
}

/** A check in a report. */
export interface ReportedRow extends ReportFigures {
  readonly checkId: string;
  readonly name: string;
  readonly checkType: CheckType;
  readonly tags: readonly string[];
  readonly runs: Pick<RollUp, 'passed' | 'degraded' | 'failed' | 'unknown' | 'missed'>;
  /** Percent of the results with a verdict that did not fail; null = none. */
  readonly successRatio: number | null;
  /** Response times, ms; null = none. */
  readonly avg: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** An incident in a report. */
export interface ReportedIncident {
  readonly id: string;
  readonly checkId: string;
  readonly checkName: string;
  readonly startedAt: number;
  /** null = it was open when the report was made. */
  readonly endedAt: number | null;
}

/** A certificate that expires. */
export interface ReportedCertificate {
  readonly checkId: string;
  readonly name: string;
  /** The host that presented it. */
  readonly domain: string;
  readonly validTo: number;
}

/** The report. Each list but `rows` has its most important entries only. */
export interface AccountReport extends ReportScope {
  readonly accountName: string | null;
  /** null = all checks, or a group that was deleted. */
  readonly groupName: string | null;
  /** null = `days`. */
  readonly every: ReportPeriod | null;
  /** null = a period. */
  readonly days: DayRange | null;
  readonly timeZone: string;
  /** Ends early if the period is not over. */
  readonly span: TimeSpan;
  readonly madeAt: number;
  /** Activated checks. */
  readonly checks: number;
  readonly total: ReportFigures;
  /** Every check by name; null = more than `allListedTo`. */
  readonly rows: readonly ReportedRow[] | null;
  /** Below 100%, lowest availability first. */
  readonly leastAvailable: readonly ReportedRow[];
  /** By 95th percentile of the response time. */
  readonly slowest: readonly ReportedRow[];
  /** Checks with unknown time, most first. */
  readonly leastKnown: readonly ReportedRow[];
  /** Longest first. */
  readonly incidents: readonly ReportedIncident[];
  /** Expired, or expiring within `certificateDays`, soonest first. */
  readonly certificates: readonly ReportedCertificate[];
}

/** Entries of each list. */
export const listedInReport = 10;
/** Checks up to which a report lists every one. */
export const allListedTo = 100;
/** Days before the expiry of a certificate from which reports list it. */
export const certificateDays = 30;
/** Local hour at which the report on a period is sent: by then all its hours are summed up. */
const sendingHour = 8;

/** The last complete period at `now`. */
export function lastPeriod(
  { every, timeZone }: { readonly every: ReportPeriod; readonly timeZone: string },
  now: number,
): TimeSpan {
  return periodBefore(periodAt(every, now, timeZone).from, every, timeZone);
}

/** When the next report after `now` is due: at 8:00 on the first day of a period. */
export function nextReportAt({ every, timeZone }: ReportSchedule, now: number): number {
  const { from, to } = periodAt(every, now, timeZone);
  const today = morningOf(from, timeZone);
  return today > now ? today : morningOf(to, timeZone);
}

/** 8:00 on the day that starts then. */
function morningOf(from: number, timeZone: string): number {
  // Its middle is on that day, also if the start was rounded down.
  const noon = wallTimeOf(from + dayMs / 2, timeZone);
  return instantAt(dayOf(noon) + sendingHour * hourMs, timeZone, 'first');
}

/** The sums of a check in a period and the one before. */
export interface ReportedSums {
  readonly check: Pick<ReportedRow, 'checkId' | 'name' | 'checkType' | 'tags'>;
  readonly sum: RollUp;
  readonly before: RollUp;
  readonly incidents: number;
}

/** A check's row. */
export function reportedRow({ check, sum, before, incidents }: ReportedSums): ReportedRow {
  const { passed, degraded, failed, unknown, missed } = sum;
  const time = (metric: 'avg' | 'p50' | 'p95' | 'p99'): number | null =>
    metricOf(`responseTime_${metric}`, sum, ['success', 'failure']);
  return {
    ...check,
    ...figuresOf(sum, before, incidents),
    runs: { passed, degraded, failed, unknown, missed },
    successRatio: successRatioOf(sum),
    avg: time('avg'),
    p50: time('p50'),
    p95: time('p95'),
    p99: time('p99'),
  };
}

function figuresOf(sum: SlotTimes, before: SlotTimes, incidents: number): ReportFigures {
  return {
    availability: availabilityOf(sum),
    availabilityBefore: availabilityOf(before),
    downMs: sum.downMs,
    unknownMs: sum.unknownMs,
    unknownRatio: unknownRatioOf(sum),
    incidents,
  };
}

/** Adds up checks, keeping only the rows that a report lists, whatever their number. */
export function createReportTotals() {
  let [sum, before] = [noTimes, noTimes];
  let checks = 0;
  let all: readonly ReportedRow[] | null = [];
  const lists: Record<'leastAvailable' | 'slowest' | 'leastKnown', ReportedRow[]> = {
    leastAvailable: [],
    slowest: [],
    leastKnown: [],
  };
  const keep = (list: keyof typeof lists, rows: readonly ReportedRow[]): void => {
    const listed = [...lists[list], ...rows.filter(belongs[list])];
    lists[list] = listed.sort(orders[list]).slice(0, listedInReport);
  };
  return {
    add(some: readonly ReportedSums[]): void {
      checks += some.length;
      sum = sumOfTimes([sum, ...some.map((each) => each.sum)]);
      before = sumOfTimes([before, ...some.map((each) => each.before)]);
      const rows = some.map(reportedRow);
      for (const list of ['leastAvailable', 'slowest', 'leastKnown'] as const) keep(list, rows);
      all = all === null || checks > allListedTo ? null : [...all, ...rows];
    },
    /** @param incidents of these checks, or of the account */
    total: (incidents: number) => ({
      checks,
      total: figuresOf(sum, before, incidents),
      rows: all?.toSorted(byName) ?? null,
      ...lists,
    }),
  };
}

const belongs = {
  leastAvailable: ({ downMs }: ReportedRow): boolean => downMs > 0,
  slowest: ({ p95 }: ReportedRow): boolean => p95 !== null,
  leastKnown: ({ unknownMs }: ReportedRow): boolean => unknownMs > 0,
};

const byName = (one: ReportedRow, other: ReportedRow): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : one.checkId < other.checkId ? -1 : 1;
const orders = {
  leastAvailable: (one: ReportedRow, other: ReportedRow): number =>
    (one.availability ?? 100) - (other.availability ?? 100) || other.downMs - one.downMs || byName(one, other),
  slowest: (one: ReportedRow, other: ReportedRow): number => (other.p95 ?? 0) - (one.p95 ?? 0) || byName(one, other),
  leastKnown: (one: ReportedRow, other: ReportedRow): number => other.unknownMs - one.unknownMs || byName(one, other),
};

/** The query of the page of the web UI that shows this report. */
export function reportQuery({
  every,
  days,
  timeZone,
  span,
  groupId,
  tags,
  title,
}: Pick<AccountReport, 'every' | 'days' | 'timeZone' | 'span' | keyof ReportScope>): URLSearchParams {
  const range: [string, string][] =
    days === null
      ? [
          ['every', every ?? 'week'],
          ['at', `${new Date(span.from).toISOString().slice(0, 16)}Z`],
        ]
      : [
          ['fromOn', days.fromOn],
          ['toOn', days.toOn],
        ];
  const query = new URLSearchParams([...range, ['timezone', timeZone]]);
  if (groupId !== null) query.append('groupId', String(groupId));
  for (const tag of tags) query.append('tag', tag);
  if (title !== null) query.append('title', title);
  return query;
}
