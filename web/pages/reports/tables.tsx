// The lists of a report: checks and incidents that stand out.
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '#contract/operations.ts';
import { DaysLeft } from '../../ui/checks/certificate.tsx';
import { type Column, Table } from '../../ui/layout/table.tsx';
import { count, duration, milliseconds, percent } from '../../ui/text/format.ts';
import { text } from './strings.ts';

type Report = AnswerOf<'getAccountReport'>;
type Row = Report['slowest'][number];

const { columns } = text;
const dayMs = 86_400_000;

function named<Named extends { readonly checkId: string }>(nameOf: (row: Named) => string): Column<Named> {
  return {
    id: 'check',
    title: columns.check,
    isName: true,
    cell: (row) => (
      <Link to="/checks/$checkId" params={{ checkId: row.checkId }} search={{}}>
        {nameOf(row)}
      </Link>
    ),
  };
}

const ofRow = named(({ name }: Row) => name);
const ratio = (value: number | null): string => (value === null ? text.unknownAvailability : percent(value / 100));

/** Rounded up, so that a gap never shows as 0%. @param value percent */
export function gapShare(value: number | null): string {
  return percent(Math.ceil(Number(((value ?? 0) * 100).toFixed(6))) / 10_000);
}

function Rows({
  label,
  rows,
  own,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly own: readonly Column<Row>[];
}) {
  return <Table label={label} rows={rows} keyOf={({ checkId }) => checkId} columns={[ofRow, ...own]} />;
}

/** A time of the report in its zone, such as `Mar 3, 2026, 05:12`. @param at ISO 8601 */
export function inZone(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }).format(
    Date.parse(at),
  );
}

function ZonedTime({ at, timeZone }: { readonly at: string; readonly timeZone: string }) {
  return (
    <time dateTime={at} title={`${inZone(at, 'UTC')} UTC`}>
      {inZone(at, timeZone)}
    </time>
  );
}

export function AllChecks({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <Rows
      label={text.all}
      rows={rows}
      own={[
        { id: 'availability', title: columns.availability, isNumber: true, cell: (row) => ratio(row.availability) },
        {
          id: 'unknown',
          title: columns.unknown,
          isNumber: true,
          cell: ({ unknownTime }) => (unknownTime === 0 ? text.none : duration(unknownTime)),
        },
        { id: 'incidents', title: columns.incidents, isNumber: true, cell: ({ incidents }) => count(incidents) },
        {
          id: 'p95',
          title: columns.p95,
          isNumber: true,
          cell: ({ p95 }) => (p95 === null ? '' : milliseconds(p95)),
        },
      ]}
    />
  );
}

export function LeastAvailable({ rows }: { readonly rows: readonly Row[] }) {
  const before: Column<Row> = {
    id: 'before',
    title: columns.before,
    isNumber: true,
    cell: (row) => ratio(row.availabilityBefore),
  };
  return (
    <Rows
      label={text.leastAvailable}
      rows={rows}
      own={[
        { id: 'availability', title: columns.availability, isNumber: true, cell: (row) => ratio(row.availability) },
        ...(rows.some(({ availabilityBefore }) => availabilityBefore !== null) ? [before] : []),
        { id: 'failing', title: columns.failing, isNumber: true, cell: ({ downTime }) => duration(downTime) },
        { id: 'incidents', title: columns.incidents, isNumber: true, cell: ({ incidents }) => count(incidents) },
      ]}
    />
  );
}

export function Slowest({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <Rows
      label={text.slowest}
      rows={rows}
      own={[
        { id: 'p95', title: columns.p95, isNumber: true, cell: ({ p95 }) => (p95 === null ? '' : milliseconds(p95)) },
        {
          id: 'p50',
          title: columns.median,
          isNumber: true,
          cell: ({ p50 }) => (p50 === null ? '' : milliseconds(p50)),
        },
      ]}
    />
  );
}

export function LeastKnown({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <Rows
      label={text.leastKnown}
      rows={rows}
      own={[
        { id: 'unknown', title: columns.unknown, isNumber: true, cell: ({ unknownTime }) => duration(unknownTime) },
        { id: 'share', title: columns.share, isNumber: true, cell: ({ unknownRatio }) => gapShare(unknownRatio) },
      ]}
    />
  );
}

export function Incidents({ report: { incidents, createdAt, timeZone } }: { readonly report: Report }) {
  return (
    <Table
      label={text.longest}
      rows={incidents}
      keyOf={({ id }) => id}
      columns={[
        named(({ checkName }: Report['incidents'][number]) => checkName),
        {
          id: 'since',
          title: columns.since,
          cell: ({ startedAt }) => <ZonedTime at={startedAt} timeZone={timeZone} />,
        },
        {
          id: 'lasted',
          title: columns.lasted,
          isNumber: true,
          cell: ({ startedAt, endedAt }) => {
            const lasted = duration(Date.parse(endedAt ?? createdAt) - Date.parse(startedAt));
            return endedAt === null ? `${lasted}, ${text.open}` : lasted;
          },
        },
      ]}
    />
  );
}

export function Certificates({ report: { certificates, createdAt, timeZone } }: { readonly report: Report }) {
  return (
    <Table
      label={text.certificates}
      rows={certificates}
      keyOf={({ checkId }) => checkId}
      columns={[
        named(({ name }: Report['certificates'][number]) => name),
        { id: 'host', title: columns.host, cell: ({ domain }) => domain },
        {
          id: 'expires',
          title: columns.expires,
          cell: ({ validTo }) => <ZonedTime at={validTo} timeZone={timeZone} />,
        },
        {
          id: 'left',
          title: columns.left,
          isNumber: true,
          cell: ({ validTo }) => <DaysLeft days={Math.floor((Date.parse(validTo) - Date.parse(createdAt)) / dayMs)} />,
        },
      ]}
    />
  );
}
