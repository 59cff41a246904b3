// The results of the check, newest first.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { clientOf } from '../../api/client.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { Empty, LoadError, Skeleton } from '../../ui/layout/feedback.tsx';
import { milliseconds, sentence } from '../../ui/text/format.ts';
import { Section } from '../../ui/layout/page.tsx';
import { isCalled, timeLabel } from '../../ui/checks/kind.ts';
import { type Result, shownTime } from '../../ui/checks/evidence.ts';
import { OutcomeBadge, outcomeWord } from '../../ui/checks/state.tsx';
import { type Column, Table } from '../../ui/layout/table.tsx';
import { Ago, At } from '../../ui/text/time.tsx';
import { type CheckSearch, outcomes } from './search.ts';
import { text } from './strings.ts';
import css from './check.module.css';

type Check = AnswerOf<'getCheck'>;

export function Results({ check }: { readonly check: Check }) {
  const search = useSearch({ from: '/shell/checks/$checkId' });
  const navigate = useNavigate({ from: '/checks/$checkId' });
  const results = useResults(check.id, search);
  const items = results.data?.pages.flatMap(({ entries }) => entries);
  const isFiltered = search.outcome !== undefined || search.location !== undefined || search.from !== undefined;
  const clear = (): void =>
    void navigate({
      search: ({ range, view }) => ({ ...(range && { range }), ...(view && { view }) }),
      resetScroll: false,
    });
  return (
    <Section title={text.results} aside={<ResultFilters check={check} />}>
      {results.error && items === undefined ? (
        <LoadError error={results.error} onRetry={() => void results.refetch()} />
      ) : items === undefined ? (
        <Skeleton lines={6} height={28} />
      ) : items.length === 0 ? (
        <Empty title={isFiltered ? text.noMatch : text.noResults}>
          {isFiltered ? <Button onPress={clear}>{text.clearFilters}</Button> : <p>{text.noResultsHelp}</p>}
        </Empty>
      ) : (
        <>
          <Table isCompact label={text.results} rows={items} keyOf={({ id }) => id} columns={columnsOf(check, items)} />
          {results.hasNextPage && (
            <div className={css['more']}>
              <Button isDisabled={results.isFetchingNextPage} onPress={() => void results.fetchNextPage()}>
                {results.isFetchingNextPage ? text.loading : text.loadMore}
              </Button>
            </div>
          )}
        </>
      )}
    </Section>
  );
}

/** Results by cursor, which stays stable when new ones arrive. */
function useResults(checkId: string, { outcome, location, from, to }: CheckSearch) {
  const accountId = use(AccountContext);
  const query = {
    limit: 20,
    ...(outcome !== undefined && { outcome }),
    ...(location !== undefined && { location }),
    ...(from !== undefined && to !== undefined && { from, to }),
  };
  return useInfiniteQuery({
    queryKey: [accountId, 'listCheckResultsV2', { params: { checkId }, query }, 'more'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      clientOf(accountId).call('listCheckResultsV2', {
        params: { checkId },
        query: { ...query, ...(pageParam !== '' && { nextId: pageParam }) },
        signal,
      }),
    getNextPageParam: ({ nextId }) => nextId ?? undefined,
  });
}

function ResultFilters({ check }: { readonly check: Check }) {
  const search = useSearch({ from: '/shell/checks/$checkId' });
  const navigate = useNavigate({ from: '/checks/$checkId' });
  const change = (next: CheckSearch): void =>
    void navigate({
      search: ({ outcome: _outcome, location: _location, ...now }) => ({ ...now, ...next }),
      resetScroll: false,
    });
  const { outcome, location } = search;
  return (
    <div className={css['filters']}>
      {search.from !== undefined && <span className="quiet">{text.inZoom}</span>}
      <Choice
        label={text.filterOutcome}
        isLabelHidden
        value={outcome ?? ('' as const)}
        options={[['', text.anyOutcome], ...outcomes.map((each) => [each, outcomeWord(each)] as const)]}
        onChange={(value) => change({ ...(value !== '' && { outcome: value }), ...(location && { location }) })}
      />
      {(check.locations.length > 1 || location !== undefined) && (
        <Choice
          label={text.filterLocation}
          isLabelHidden
          value={location ?? ''}
          options={[['', text.anyLocation], ...check.locations.map((each) => [each, each] as const)]}
          onChange={(value) => change({ ...(outcome && { outcome }), ...(value !== '' && { location: value }) })}
        />
      )}
    </div>
  );
}

function columnsOf(check: Check, items: readonly Result[]): Column<Result>[] {
  const hasRetries = items.some(({ attempts }) => attempts > 1);
  const hasPlaces = new Set([...check.locations, ...items.map(({ runLocation }) => runLocation)]).size > 1;
  return [
    {
      id: 'outcome',
      title: text.outcome,
      isName: true,
      cell: ({ id, outcome }) => (
        <Link
          to="/checks/$checkId/results/$resultId"
          params={{ checkId: check.id, resultId: id }}
          data-row
          className={css['resultLink']}
        >
          <OutcomeBadge outcome={outcome} />
        </Link>
      ),
    },
    {
      id: 'time',
      title: text.time,
      cell: ({ startedAt }) => (
        <span className={css['when']}>
          <At at={startedAt} precise />{' '}
          <span className="quiet">
            <Ago at={startedAt} />
          </span>
        </span>
      ),
    },
    ...(isCalled(check.checkType)
      ? []
      : [
          {
            id: 'duration',
            title: timeLabel(check.checkType),
            isNumber: true,
            cell: (result: Result) => {
              const ms = shownTime(result);
              return ms === null ? text.noValue : milliseconds(ms);
            },
          },
        ]),
    ...(hasPlaces ? [{ id: 'location', title: text.location, cell: ({ runLocation }: Result) => runLocation }] : []),
    ...(hasRetries ? [{ id: 'attempt', title: text.attempt, cell: ({ attempts }: Result) => attempts }] : []),
    {
      id: 'message',
      title: text.message,
      cell: ({ message, slots }) => {
        const shown = message ?? (slots > 1 ? text.missedSlots(slots) : null);
        return shown === null ? null : <span className={css['message']}>{sentence(shown)}</span>;
      },
    },
  ];
}
