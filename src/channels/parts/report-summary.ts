// What a message says about a report on an account.
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { zoneLabel } from '#domain/accounts/time-zone.ts';
import type { AccountReport, ReportedRow } from '#domain/results/account-report.ts';
import { durationText, oneLine } from './alert-summary.ts';

/** A report to render, with links to pages of the UI. */
export interface ReportMessage {
  readonly report: AccountReport;
  /** System variables of its delivery. */
  readonly variables: TemplateVariables;
  /** Link to a check; null = to the report itself. */
  readonly linkOf: (checkId: string | null) => string;
}

/** Content of a report. Names are untrusted, in one line. */
export interface ReportSummary {
  /** Such as `Weekly report: 99.95% uptime, 3 incidents`. */
  readonly title: string;
  /** Such as `Shop, group Cart, 16–22 November 2026 (Europe/Berlin)`. */
  readonly period: string;
  readonly link: string;
  readonly figures: readonly (readonly [name: string, value: string])[];
  /** Without empty ones. */
  readonly sections: readonly ReportGroup[];
}

export interface ReportGroup {
  readonly heading: string;
  readonly rows: readonly { readonly name: string; readonly value: string; readonly link: string }[];
}

const longestName = 100;
const dayMs = 86_400_000;

const periodWords = {
  week: 'Weekly report',
  month: 'Monthly report',
  quarter: 'Quarterly report',
  year: 'Yearly report',
  days: 'Report',
} as const;

export function summarizeReport({ report, variables, linkOf }: ReportMessage): ReportSummary {
  const { every, total, checks, title } = report;
  const replayed = variables['IS_REPLAY'] === true ? ' (replayed)' : '';
  const available = total.availability === null ? 'nothing measured' : `${percent(total.availability)} uptime`;
  const before =
    total.availabilityBefore === null
      ? ''
      : ` (previous ${every ?? countedDays(report)}: ${percent(total.availabilityBefore)})`;
  const about = `${periodWords[every ?? 'days']}${title === null ? '' : ` for ${oneLine(title, longestName)}`}`;
  return {
    title: `${about}: ${available}, ${counted(total.incidents, 'incident')}${replayed}`,
    period: subjectsOf(report).join(', '),
    link: linkOf(null),
    figures: [
      ['Uptime', total.availability === null ? 'Unknown' : `${percent(total.availability)}${before}`],
      ['Incidents', String(total.incidents)],
      ['Total downtime', total.downMs === 0 ? 'None' : lasting(total.downMs)],
      [
        'Gaps in monitoring',
        total.unknownMs === 0 ? 'None' : `${percent(total.unknownRatio ?? 0, Math.ceil)} of the time`,
      ],
      ['Active checks', String(checks)],
    ],
    sections: sectionsOf(report, linkOf).filter(({ rows }) => rows.length > 0),
  };
}

function countedDays({ span }: AccountReport): string {
  const days = Math.round((span.to - span.from) / dayMs);
  return days <= 1 ? 'day' : `${days} days`;
}

/** What it is on, and when. */
function subjectsOf(report: AccountReport): string[] {
  const { accountName, groupId, groupName, tags, title } = report;
  const tagged = tags.map((tag) => oneLine(tag, longestName)).join(', ');
  return [
    oneLine(title ?? accountName ?? '', longestName),
    groupId === null ? null : `group ${oneLine(groupName ?? '', longestName) ?? `${groupId} (deleted)`}`,
    tags.length === 0 ? null : `${tags.length === 1 ? 'tag' : 'tags'} ${tagged}`,
    periodText(report),
  ].filter((text) => text !== null);
}

function sectionsOf(report: AccountReport, linkOf: ReportMessage['linkOf']): ReportGroup[] {
  const rowOf = (id: string, name: string, value: string) => ({
    name: oneLine(name, longestName) ?? 'Unnamed check',
    value,
    link: linkOf(id),
  });
  const checks = (
    heading: string,
    rows: readonly ReportedRow[],
    valueOf: (row: ReportedRow) => string,
  ): ReportGroup => ({
    heading,
    rows: rows.map((row) => rowOf(row.checkId, row.name, valueOf(row))),
  });
  const { leastAvailable, slowest, leastKnown, incidents, certificates, madeAt, timeZone } = report;
  const at = (time: number): string => instantText(time, timeZone);
  return [
    checks('Lowest uptime', leastAvailable, ({ availability, downMs }) =>
      availability === null
        ? `${lasting(downMs)} of downtime`
        : `${percent(availability)}, ${lasting(downMs)} of downtime`,
    ),
    {
      heading: 'Longest incidents',
      rows: incidents.map(({ checkId, checkName, startedAt, endedAt }) =>
        rowOf(
          checkId,
          checkName,
          endedAt === null
            ? `since ${at(startedAt)}, still open`
            : `${lasting(endedAt - startedAt)}, from ${at(startedAt)}`,
        ),
      ),
    },
    checks('Slowest, by 95th percentile', slowest, ({ p50, p95 }) => `${ms(p95)}, median ${ms(p50)}`),
    {
      heading: 'Expiring certificates',
      rows: certificates.map(({ checkId, name, validTo }) =>
        rowOf(checkId, name, expiryText(validTo - madeAt, at(validTo))),
      ),
    },
    checks(
      'Gaps in monitoring',
      leastKnown,
      ({ unknownMs, unknownRatio }) => `${lasting(unknownMs)}, ${percent(unknownRatio ?? 0, Math.ceil)} of the time`,
    ),
    checks('All checks', report.rows ?? [], ({ availability, incidents }) =>
      availability === null ? 'nothing measured' : `${percent(availability)} uptime, ${counted(incidents, 'incident')}`,
    ),
  ];
}

/** In whole hundredths, rounded so that 100% means all of it, and 0% means nothing. */
function percent(value: number, round: (value: number) => number = Math.floor): string {
  return `${round(Number((value * 100).toFixed(6))) / 100}%`;
}

function counted(count: number, word: string): string {
  return `${count === 0 ? 'no' : count} ${word}${count === 1 ? '' : 's'}`;
}

function lasting(time: number): string {
  return durationText(Math.max(1, Math.round(time / 1000)));
}

function ms(time: number | null): string {
  return time === null ? 'unknown' : `${time < 10 ? Math.round(time * 10) / 10 : Math.round(time)} ms`;
}

function expiryText(leftMs: number, at: string): string {
  if (leftMs < 0) return `expired on ${at}`;
  const days = Math.floor(leftMs / dayMs);
  return `${days === 0 ? 'in less than a day' : `in ${days} day${days === 1 ? '' : 's'}`}, on ${at}`;
}

function instantText(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  return `${format.format(at)} ${zoneLabel(at, timeZone)}`;
}

/** `16–22 November 2026 (Europe/Berlin)`. */
function periodText({ every, span: { from, to }, madeAt, timeZone }: AccountReport): string {
  const isOver = to < madeAt;
  const isByDay = every === null || every === 'week' || !isOver;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    ...(every !== 'year' && { month: 'long' }),
    ...(isByDay && { month: 'long', day: 'numeric' }),
  });
  // The middle of the first and of the last day, because periods begin at full hours of UTC.
  const [first, last] = [from + dayMs / 2, isOver ? to - dayMs / 2 : to];
  return `${format.formatRange(first, Math.max(first, last))} (${timeZone})${isOver ? '' : ', so far'}`;
}
