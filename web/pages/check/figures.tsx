// Availability and percentiles of the last day, week and month.
import type { AnswerOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { isCalled } from '../../ui/checks/kind.ts';
import { ErrorMessage, Skeleton } from '../../ui/layout/feedback.tsx';
import { count, milliseconds, percent } from '../../ui/text/format.ts';
import { Section } from '../../ui/layout/page.tsx';
import { type Column, Table } from '../../ui/layout/table.tsx';
import { At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';

type Check = AnswerOf<'getCheck'>;
type Entry = AnswerOf<'getCheckAnalytics'>['series'][number]['data'][number];

/** Filled in by the build (`web/vite.config.ts`). */
declare const ANALYTICS_PATHS: Readonly<Record<string, string>>;

/** Path segment of a check type in the analytics API. */
export function analyticsPath(type: Check['checkType']): string {
  return ANALYTICS_PATHS[type] ?? type;
}

const periods = ['last24Hours', 'last7Days', 'last30Days'] as const;

interface Row {
  readonly period: (typeof periods)[number];
  readonly entry: Entry | undefined;
  /** When the check was created, if that is within the period. */
  readonly since: string | null;
}

export function Figures({ check }: { readonly check: Check }) {
  const params = { type: analyticsPath(check.checkType), checkId: check.id };
  const isPing = isCalled(check.checkType);
  const metrics = isPing
    ? ['availability']
    : ['availability', 'responseTime_p50', 'responseTime_p95', 'responseTime_p99'];
  const day = useRead('getCheckAnalytics', { params, query: { quickRange: periods[0], metrics } });
  const week = useRead('getCheckAnalytics', { params, query: { quickRange: periods[1], metrics } });
  const month = useRead('getCheckAnalytics', { params, query: { quickRange: periods[2], metrics } });
  const error = day.error ?? week.error ?? month.error;
  const rows = [day, week, month].map(({ data }, index): Row => {
    const [series] = data?.series ?? [];
    const since = data === undefined || data.monitoredSince === data.from ? null : data.monitoredSince;
    return { period: periods[index] ?? 'last24Hours', entry: series?.data[0], since };
  });
  return (
    <Section title={isPing ? text.uptime : text.figures}>
      {error && day.data === undefined ? (
        <ErrorMessage error={error} />
      ) : day.data === undefined ? (
        <Skeleton lines={3} />
      ) : (
        <Table label={text.figures} rows={rows} keyOf={({ period }) => period} columns={columnsOf(isPing)} />
      )}
    </Section>
  );
}

function value(entry: Entry | undefined, name: string): number | null {
  const found = entry?.[name];
  return typeof found === 'number' ? found : null;
}

function columnsOf(isPing: boolean): Column<Row>[] {
  const time = (name: string): Column<Row> => ({
    id: name,
    title: name,
    isNumber: true,
    cell: ({ entry }) => {
      const ms = value(entry, `responseTime_${name}`);
      return ms === null ? text.noValue : milliseconds(ms);
    },
  });
  return [
    { id: 'period', title: text.period, isName: true, cell: ({ period }) => text.periods[period] },
    {
      id: 'availability',
      title: text.availability,
      isNumber: true,
      cell: ({ entry }) => {
        const share = value(entry, 'availability');
        return share === null ? text.nothingKnown : percent(share / 100);
      },
    },
    {
      id: 'known',
      title: text.known,
      isNumber: true,
      cell: ({ entry, since }) =>
        entry?.unknownRatio == null ? (
          text.noValue
        ) : (
          <>
            {percent((100 - entry.unknownRatio) / 100)}
            {since !== null && (
              <span className="quiet">
                {' '}
                {text.monitoredSince} <At at={since} />
              </span>
            )}
          </>
        ),
    },
    {
      id: 'failures',
      title: text.failures,
      isNumber: true,
      cell: ({ entry }) => {
        if (entry === undefined) return text.noValue;
        const { passed, degraded, failed } = entry.runs;
        return `${count(failed)} of ${count(passed + degraded + failed)}`;
      },
    },
    ...(isPing ? [] : [time('p50'), time('p95'), time('p99')]),
  ];
}
