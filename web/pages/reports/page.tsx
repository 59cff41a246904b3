// The report on a week or month: figures, the checks that stand out, and who receives it by email.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Download, Printer } from 'lucide-react';
import { use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { count, duration, percent } from '../../ui/text/format.ts';
import { Recipients } from './recipients.tsx';
import type { ReportsSearch } from './search.ts';
import { Certificates, Incidents, LeastAvailable, LeastKnown, Slowest } from './tables.tsx';
import { text } from './strings.ts';

type Report = AnswerOf<'getAccountReport'>;

/** The requested report. A type, because queries are records. */
type Query = { readonly every: 'week' | 'month'; readonly timezone?: string; readonly at?: string };

const hourMs = 3_600_000;

export function ReportsPage() {
  const search = useSearch({ from: '/shell/reports' });
  const { every = 'week', at, timezone } = search;
  const query: Query = { every, ...(timezone !== undefined && { timezone }), ...(at !== undefined && { at }) };
  const { data, error, refetch } = useRead('getAccountReport', { query });
  return (
    <>
      <PageHead title={text.title} above={data && <Period report={data} />}>
        <Controls search={search} query={query} report={data} />
      </PageHead>
      {error && data === undefined ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={6} height={40} />
      ) : (
        <Found report={data} />
      )}
      <div className="screen-only">
        <Section title={text.byEmail}>
          <Recipients {...(timezone !== undefined && { timeZone: timezone })} />
        </Section>
      </div>
    </>
  );
}

/** `Mar 2 – 8, 2026 (Europe/Berlin)` */
function Period({ report: { every, from, to, createdAt, timeZone } }: { readonly report: Report }) {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    month: every === 'month' ? 'long' : 'short',
    year: 'numeric',
    ...(every === 'week' && { day: 'numeric' }),
  });
  const isOver = Date.parse(to) < Date.parse(createdAt);
  // The middle of the first and of the last day: periods begin at full hours of UTC.
  const last = Date.parse(to) - (isOver ? 12 * hourMs : 0);
  return (
    <span>
      {format.formatRange(Date.parse(from) + 12 * hourMs, Math.max(last, Date.parse(from) + 12 * hourMs))} ({timeZone})
      {isOver ? '' : `, ${text.soFar}`}
    </span>
  );
}

function Controls({
  search,
  query,
  report,
}: {
  readonly search: ReportsSearch;
  readonly query: Query;
  readonly report: Report | undefined;
}) {
  const navigate = useNavigate({ from: '/reports' });
  const { every } = query;
  const go = (at: number): void => void navigate({ search: { ...search, at: new Date(at).toISOString() } });
  const hasNext = report !== undefined && Date.parse(report.to) < Date.parse(report.createdAt);
  // After an error, such as for a period whose data was removed, a week later.
  const next = report === undefined ? Date.parse(search.at ?? '') + 168 * hourMs : Date.parse(report.to) + 12 * hourMs;
  return (
    <>
      <Choice
        label={text.period}
        isLabelHidden
        value={every}
        options={Object.entries(text.periods) as [typeof every, string][]}
        onChange={(next) => {
          const { at: _at, every: _every, ...kept } = search;
          void navigate({ search: next === 'month' ? { ...kept, every: next } : kept });
        }}
      />
      <IconButton
        label={text.before[every]}
        isDisabled={report === undefined}
        onPress={() => report && go(Date.parse(report.from) - 12 * hourMs)}
      >
        <ChevronLeft size={18} />
      </IconButton>
      <IconButton
        label={text.after[every]}
        isDisabled={report === undefined ? Number.isNaN(next) : !hasNext}
        onPress={() => go(next)}
      >
        <ChevronRight size={18} />
      </IconButton>
      <DownloadButton query={query} name={`tocsin-report-${every}-${report?.from.slice(0, 10) ?? ''}.csv`} />
      <Button onPress={() => window.print()}>
        <Printer size={15} aria-hidden /> {text.print}
      </Button>
    </>
  );
}

function DownloadButton({ query, name }: { readonly query: Query; readonly name: string }) {
  const accountId = use(AccountContext);
  const download = async (): Promise<void> => {
    const csv = await clientOf(accountId).call('getAccountReportRows', { query });
    saveFile(new Blob([csv], { type: 'text/csv' }), name);
  };
  return (
    <Button onPress={() => void toast.of(download(), text.downloaded)}>
      <Download size={15} aria-hidden /> {text.download}
    </Button>
  );
}

function Found({ report }: { readonly report: Report }) {
  const { total, every, checks } = report;
  if (total.availability === null && total.unknownTime === 0 && report.incidents.length === 0) {
    return (
      <Empty title={text.emptyTitle}>
        <p>{text.empty}</p>
      </Empty>
    );
  }
  const { availability, availabilityBefore: before } = total;
  return (
    <>
      <Facts
        facts={[
          [
            text.availability,
            <span key="availability">
              {availability === null ? text.unknownAvailability : percent(availability / 100)}{' '}
              {before !== null && (
                <span className="quiet">{text.compared(percent(before / 100), every ?? 'days')}</span>
              )}
            </span>,
          ],
          [
            text.incidents,
            total.incidents === 0 ? (
              text.none
            ) : (
              <Link key="incidents" to="/alerts">
                {count(total.incidents)}
              </Link>
            ),
          ],
          [text.failing, total.downTime === 0 ? text.none : duration(total.downTime)],
          [text.unknown, total.unknownTime === 0 ? text.none : percent((total.unknownRatio ?? 0) / 100)],
          [text.checks, count(checks)],
        ]}
      />
      <Section title={text.leastAvailable}>
        {report.leastAvailable.length === 0 ? (
          <p className="quiet">{text.allAvailable}</p>
        ) : (
          <LeastAvailable rows={report.leastAvailable} />
        )}
      </Section>
      {[
        { title: text.longest, rows: report.incidents, table: <Incidents report={report} /> },
        { title: text.slowest, rows: report.slowest, table: <Slowest rows={report.slowest} /> },
        { title: text.certificates, rows: report.certificates, table: <Certificates report={report} /> },
        { title: text.leastKnown, rows: report.leastKnown, table: <LeastKnown rows={report.leastKnown} /> },
      ].map(
        ({ title, rows, table }) =>
          rows.length > 0 && (
            <Section key={title} title={title}>
              {table}
            </Section>
          ),
      )}
    </>
  );
}
