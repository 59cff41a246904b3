// The ledger of the account: whether every run, alert and delivery of a day or month is accounted for.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, RotateCw } from 'lucide-react';
import type { AnswerOf } from '#contract/operations.ts';
import { useRead } from '../../api/query.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { PageHead, Section } from '../../ui/layout/page.tsx';
import { Table } from '../../ui/layout/table.tsx';
import css from '../../ui/ledger/ledger.module.css';
import { text as shared } from '../../ui/ledger/strings.ts';
import { type LineLinks, Sums, Verdict } from '../../ui/ledger/sums.tsx';
import { count } from '../../ui/text/format.ts';
import { type Range, ranges, rangeStart } from '../../ui/text/range.ts';
import { At } from '../../ui/text/time.tsx';
import { text } from './strings.ts';

type Ledger = AnswerOf<'getLedger'>;

/** The requested ledger. A type, because queries are records. */
type Query = { readonly period: 'day' | 'month'; readonly at?: string };

const halfDayMs = 12 * 3_600_000;
const notPassedId = 'not-passed';

export function LedgerPage() {
  const { period = 'day', at } = useSearch({ from: '/shell/ledger' });
  const query: Query = { period, ...(at !== undefined && { at }) };
  const { data, error, refetch } = useRead('getLedger', { query });
  return (
    <>
      <PageHead title={text.title} above={data && <Period ledger={data} />}>
        <Controls query={query} ledger={error ? undefined : data} onRefresh={() => void refetch()} />
      </PageHead>
      {error ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton lines={8} height={32} />
      ) : (
        <>
          <Verdict ledger={data} />
          <Sums ledger={data} link={linksOf(data)} />
          <NotPassed ledger={data} />
          <p className={`${css['note']} quiet`}>{text.intro}</p>
        </>
      )}
    </>
  );
}

/** `Nov 29, 2026 (Europe/Berlin), so far` */
function Period({ ledger: { period, from, to, createdAt, timeZone } }: { readonly ledger: Ledger }) {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: 'long',
    ...(period === 'day' && { day: 'numeric' }),
  });
  // The middle of the first day: periods begin at full hours of UTC.
  return (
    <span>
      {format.format(Date.parse(from) + halfDayMs)} ({timeZone})
      {Date.parse(to) <= Date.parse(createdAt) ? '' : `, ${text.soFar}`} · {shared.asOf} <At at={createdAt} precise />
    </span>
  );
}

function Controls({
  query: { period },
  ledger,
  onRefresh,
}: {
  readonly query: Query;
  /** undefined = loading or failed. */
  readonly ledger: Ledger | undefined;
  readonly onRefresh: () => void;
}) {
  const navigate = useNavigate({ from: '/ledger' });
  const go = (at: number | null, next = period): void =>
    void navigate({
      search: {
        ...(next === 'month' && { period: next }),
        ...(at !== null && at < Date.now() && { at: new Date(at).toISOString() }),
      },
    });
  const isOver = ledger !== undefined && Date.parse(ledger.to) <= Date.parse(ledger.createdAt);
  return (
    <>
      <Choice
        label={shared.period}
        isLabelHidden
        value={period}
        options={Object.entries(shared.periods) as [typeof period, string][]}
        onChange={(next) => go(null, next)}
      />
      <IconButton
        label={text.before[period]}
        isDisabled={ledger === undefined}
        onPress={() => ledger && go(Date.parse(ledger.from) - halfDayMs)}
      >
        <ChevronLeft size={18} />
      </IconButton>
      <IconButton
        label={text.after[period]}
        isDisabled={!isOver}
        onPress={() => ledger && go(Date.parse(ledger.to) + halfDayMs)}
      >
        <ChevronRight size={18} />
      </IconButton>
      <Button onPress={() => go(null)}>{text.today[period]}</Button>
      <IconButton label={shared.refresh} onPress={onRefresh}>
        <RotateCw size={16} />
      </IconButton>
    </>
  );
}

/** Where the runs, alerts and deliveries of a line are listed. */
function linksOf({ from, to, createdAt }: Ledger): LineLinks {
  const now = Date.parse(createdAt);
  const range = (Object.keys(ranges) as Range[]).find((each) => rangeStart(each, now) <= from);
  return (noun, id, label) => {
    if (noun === 'runs') {
      return id in text.columns ? <a href={`#${notPassedId}`}>{label}</a> : label;
    }
    if (noun === 'alerts') {
      const isListed = range !== undefined && (id === 'notified' || id === 'suppressed' || id === 'unsubscribed');
      return isListed ? (
        <Link to="/alerts" search={{ range }}>
          {label}
        </Link>
      ) : (
        label
      );
    }
    return id === 'expired' ? (
      label
    ) : (
      <Link to="/deliveries" search={{ status: id as 'failed', from, to }}>
        {label}
      </Link>
    );
  };
}

function NotPassed({ ledger }: { readonly ledger: Ledger }) {
  const { checks, otherChecks, unstored, from, to, createdAt } = ledger;
  const end = to < createdAt ? to : createdAt;
  const outcomes = ['failed', 'degraded', 'unknown', 'missed'] as const;
  return (
    <div id={notPassedId}>
      <Section title={text.notPassed}>
        {checks.length === 0 ? (
          <p>{text.allPassed}</p>
        ) : (
          <Table
            label={text.notPassed}
            rows={checks}
            keyOf={({ checkId }) => checkId}
            columns={[
              {
                id: 'check',
                title: text.columns.check,
                isName: true,
                cell: ({ checkId, name }) => (
                  <Link to="/checks/$checkId" params={{ checkId }} search={{ from, to: end }}>
                    {name}
                  </Link>
                ),
              },
              ...outcomes.map((outcome) => ({
                id: outcome,
                title: text.columns[outcome],
                isNumber: true,
                cell: (check: Ledger['checks'][number]) =>
                  check[outcome] === 0 ? (
                    '–'
                  ) : (
                    <Link
                      to="/checks/$checkId"
                      params={{ checkId: check.checkId }}
                      search={{ from, to: end, outcome }}
                      aria-label={`${check.name}: ${count(check[outcome])} ${text.columns[outcome].toLowerCase()}`}
                    >
                      {count(check[outcome])}
                    </Link>
                  ),
              })),
            ]}
          />
        )}
        {otherChecks > 0 && <p className="quiet">{text.others(otherChecks)}</p>}
        {unstored > 0 && <p>{text.unstored(unstored)}</p>}
        {unstored < 0 && <p role="alert">{text.surplus(-unstored)}</p>}
      </Section>
    </div>
  );
}
