// The report on a time range: figures, the checks that stand out, and who receives it by email.
import { Link, useSearch } from '@tanstack/react-router';
import { Download, Printer } from 'lucide-react';
import { use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import { useRead } from '../../api/query.ts';
import { Button } from '../../ui/controls/button.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Facts, PageHead, Section } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/layout/toast.tsx';
import { count, duration, percent } from '../../ui/text/format.ts';
import { Controls } from './controls.tsx';
import { isOver } from './ranges.ts';
import { Recipients } from './recipients.tsx';
import { queryOf } from './search.ts';
import { SendButton } from './send.tsx';
import {
  AllChecks,
  Certificates,
  gapShare,
  Incidents,
  inZone,
  LeastAvailable,
  LeastKnown,
  Slowest,
} from './tables.tsx';
import { text } from './strings.ts';
import css from './reports.module.css';

type Report = AnswerOf<'getAccountReport'>;
type Query = ReturnType<typeof queryOf>;

const hourMs = 3_600_000;

export function ReportsPage() {
  const search = useSearch({ from: '/shell/reports' });
  const { write } = useMay();
  const query = queryOf(search);
  const { data, error, refetch } = useRead('getAccountReport', { query });
  return (
    <>
      <PageHead
        title={search.title ?? text.title}
        heading={search.title ?? <Heading name={data?.accountName ?? null} />}
        above={data && <Subject report={data} />}
      >
        {write && <SendButton search={search} />}
        <DownloadButton query={query} name={`tocsin-report-${data?.from.slice(0, 10) ?? ''}.csv`} />
        <Button onPress={() => window.print()}>
          <Printer size={15} aria-hidden /> {text.print}
        </Button>
      </PageHead>
      <Controls search={search} report={error ? undefined : data} />
      {error ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={6} height={40} />
      ) : (
        <Found report={data} />
      )}
      <div className="screen-only">
        <Section title={text.byEmail}>
          <Recipients search={search} />
        </Section>
      </div>
    </>
  );
}

/** On paper, the name of the account. */
function Heading({ name }: { readonly name: string | null }) {
  if (name === null) return <>{text.title}</>;
  return (
    <>
      <span className="screen-only">{text.title}</span>
      <span className="print-only">{name}</span>
    </>
  );
}

/** `Group Shops, tag eu · Mar 2 – 8, 2026 (Europe/Berlin)` */
function Subject({ report }: { readonly report: Report }) {
  const { every, from, to, timeZone, groupId, groupName, tags } = report;
  const isComplete = isOver(report);
  const isByDay = every === null || every === 'week' || !isComplete;
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    ...(every !== 'year' && { month: 'long' }),
    ...(isByDay && { month: 'short', day: 'numeric' }),
  });
  // The middle of the first and of the last day: periods begin at full hours of UTC.
  const first = Date.parse(from) + 12 * hourMs;
  const last = Date.parse(to) - (isComplete ? 12 * hourMs : 0);
  const scope = text.scope(groupId === null ? null : (groupName ?? text.deletedGroup(groupId)), tags);
  return (
    <span>
      {scope !== '' && `${scope} · `}
      {format.formatRange(first, Math.max(last, first))} ({timeZone}){isComplete ? '' : `, ${text.soFar}`}
    </span>
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
  const { total, every, checks, rows, createdAt, timeZone } = report;
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
              {before !== null && <span className="quiet">{text.compared(percent(before / 100), every)}</span>}
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
          [text.unknown, total.unknownTime === 0 ? text.none : gapShare(total.unknownRatio)],
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
        { title: text.all, rows: rows ?? [], table: <AllChecks rows={rows ?? []} /> },
      ].map(
        ({ title, rows, table }) =>
          rows.length > 0 && (
            <Section key={title} title={title}>
              {table}
            </Section>
          ),
      )}
      {rows === null && <p className="quiet">{text.more(checks)}</p>}
      <p className={css['note']}>{text.note(inZone(createdAt, timeZone), timeZone)}</p>
    </>
  );
}
