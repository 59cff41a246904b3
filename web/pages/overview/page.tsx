// The overview: what is broken, since when; every check in a list that the server filters, sorts and pages.
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Repeat, Wrench } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { useRead } from '../../api/query.ts';
import { useMay } from '../../api/me.ts';
import { Button, ButtonLink } from '../../ui/controls/button.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { Storm } from '../../ui/alerts/storm.tsx';
import { PageHead } from '../../ui/layout/page.tsx';
import { useNow } from '../../ui/text/now.ts';
import { Ago, At } from '../../ui/text/time.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Filters } from './filters.tsx';
import { CheckList } from './list.tsx';
import { isNarrowed, type OverviewSearch, queryOf } from './search.ts';
import { type Selection, SelectionBar } from './selection-bar.tsx';
import { text } from './strings.ts';
import { Summary } from './summary.tsx';
import css from './overview.module.css';

export function OverviewPage() {
  const search = useSearch({ from: '/shell/' });
  const navigate = useNavigate({ from: '/' });
  const [selected, setSelected] = useState<Selection>(new Map());
  const change = (next: Partial<{ [Key in keyof OverviewSearch]: OverviewSearch[Key] | undefined }>): void => {
    void navigate({ search: (now) => defined({ ...now, ...next }), replace: true });
  };
  const filters = useDeferredValue(search);
  const overview = useRead('getOverview', { query: queryOf(filters) });
  if (overview.error && overview.data === undefined) {
    return <LoadError error={overview.error} onRetry={() => void overview.refetch()} />;
  }
  const { data } = overview;
  return (
    <>
      <PageHead title={text.title}>{data && <Facts data={data} />}</PageHead>
      {data !== undefined && !isNarrowed(filters) && <FirstSteps checks={data.summary.total} />}
      {data === undefined ? (
        <Skeleton lines={8} height={48} />
      ) : data.summary.total === 0 && !isNarrowed(filters) ? (
        <NoChecks />
      ) : (
        <>
          <Summary summary={data.summary} search={search} onChange={change} />
          <Filters search={search} onChange={change} />
          {search.flapping && <FlappingHelp />}
          {data.total === 0 ? (
            <Empty title={text.noMatch}>
              <Button onPress={() => void navigate({ search: defined({ dense: search.dense, by: search.by }) })}>
                {text.clear}
              </Button>
            </Empty>
          ) : (
            <CheckList search={filters} data={data} selected={selected} onSelect={setSelected} />
          )}
          {selected.size > 0 && <SelectionBar selected={selected} onClear={() => setSelected(new Map())} />}
        </>
      )}
    </>
  );
}

/** Removes undefined parameters. */
function defined(search: { [Key in keyof OverviewSearch]: OverviewSearch[Key] | undefined }): OverviewSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

type Overview = NonNullable<ReturnType<typeof useRead<'getOverview'>>['data']>;

/** Failing deliveries, flapping checks and the next maintenance, if any. */
function Facts({ data: { summary, deliveries, nextMaintenance, gapsPending } }: { readonly data: Overview }) {
  const now = useNow();
  const trouble = text.deliveries(deliveries.pending, deliveries.retrying, deliveries.exhausted24h);
  return (
    <>
      {trouble !== '' && (
        <Link
          to="/deliveries"
          {...(deliveries.exhausted24h > 0 && { search: { status: 'lost' } })}
          className={css['fact']}
        >
          {trouble}
        </Link>
      )}
      {summary.flapping > 0 && (
        <Link to="/" search={{ flapping: true, sort: '-flapping' }} className={css['fact']}>
          <Repeat size={14} aria-hidden /> {text.flappingCount(summary.flapping)}
        </Link>
      )}
      <Storm className={css['fact']} />
      {gapsPending && <span className={css['fact']}>{text.gapsPending}</span>}
      {nextMaintenance !== null && (
        <span className={css['fact']}>
          <Wrench size={14} aria-hidden /> {text.maintenance(nextMaintenance.name)}{' '}
          {Date.parse(nextMaintenance.startsAt) > now ? (
            <Ago at={nextMaintenance.startsAt} />
          ) : (
            <>
              {text.until} <At at={nextMaintenance.endsAt} />
            </>
          )}
        </span>
      )}
    </>
  );
}

/** What flapping means, and where the rules of alerts are set. */
function FlappingHelp() {
  return (
    <p className="quiet">
      {text.flappingHelp} <Link to="/settings/alerts">{text.alertSettings}</Link>
    </p>
  );
}

function NoChecks() {
  const { write } = useMay();
  return (
    <Empty title={text.emptyTitle}>
      <p>{write ? text.emptyHelp : text.emptyReadOnly}</p>
      {write && (
        <>
          <NewCheck />
          <Link to="/import" search={{}}>
            {text.emptyImport}
          </Link>
        </>
      )}
    </Empty>
  );
}

function NewCheck() {
  return (
    <ButtonLink to="/checks/new">
      <Plus size={15} aria-hidden /> {text.newCheck}
    </ButtonLink>
  );
}
