// The list: as many rows as are on screen, whatever the number of checks.
import { useQueries } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  use,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Checkbox } from 'react-aria-components';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from '../../api/account.ts';
import { useMay } from '../../api/me.ts';
import { read } from '../../api/query.ts';
import { phone, useMedia } from '../../ui/layout/media.ts';
import { useRangeSelection } from './range-selection.ts';
import { CheckRow } from './row.tsx';
import { type OverviewRow, type OverviewSearch, pageSize, queryOf } from './search.ts';
import { placeSections, Section, shownSections } from './section.tsx';
import type { Selection } from './selection-bar.tsx';
import { text } from './strings.ts';
import css from './overview.module.css';

/** Column headings; each cell is also labelled on its own. */
function Columns({ selectAll, isSelecting }: { readonly selectAll: ReactNode; readonly isSelecting: boolean }) {
  const { state, what, bar, spark, day, week, month, last } = text.columns;
  return (
    <div className={css['columns']} data-selecting={isSelecting ? '' : undefined}>
      {selectAll}
      <span aria-hidden className={css['state']}>
        {state}
      </span>
      <span aria-hidden className={css['what']}>
        {what}
      </span>
      <span aria-hidden className={css['bar']}>
        {bar}
      </span>
      <span aria-hidden className={css['spark']}>
        {spark}
      </span>
      <span aria-hidden className={css['availability']}>
        <span>{day}</span>
        <span>{week}</span>
        <span>{month}</span>
      </span>
      <span aria-hidden className={css['last']}>
        {last}
      </span>
    </div>
  );
}

export function CheckList({
  search,
  data: { total, sections },
  selected,
  onSelect,
}: {
  readonly search: OverviewSearch;
  readonly data: Pick<AnswerOf<'getOverview'>, 'total' | 'sections'>;
  readonly selected: Selection;
  readonly onSelect: Dispatch<SetStateAction<Selection>>;
}) {
  const isPhone = useMedia(phone);
  const rowHeight = isPhone ? 104 : search.dense ? 38 : 58;
  const headingHeight = isPhone ? 64 : 40;
  const placed = useMemo(() => placeSections(sections, total), [sections, total]);
  const headings = useMemo(() => new Set(placed.flatMap(({ section, item }) => (section ? item : []))), [placed]);
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(list.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: total + headings.size,
    estimateSize: (index) => (headings.has(index) ? headingHeight : rowHeight),
    overscan: 8,
    scrollMargin: top,
  });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight, headings]);
  const items = virtualizer.getVirtualItems();
  const shown = shownSections(placed, items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  const rowAt = usePages(search, shown[0]?.from ?? 0, (shown.at(-1)?.to ?? 1) - 1);
  const { selectRange, select, isReading, listeners } = useRangeSelection(search, onSelect);
  const { run, write } = useMay();
  const isSelectable = run || write;
  return (
    <>
      <Columns
        isSelecting={selected.size > 0}
        selectAll={
          isSelectable && (
            <Checkbox
              aria-label={text.selectAll(total)}
              isSelected={selected.size >= total}
              isIndeterminate={selected.size > 0 && selected.size < total}
              isDisabled={isReading}
              onChange={(isSelected) => (isSelected ? selectRange(0, total) : onSelect(new Map()))}
              className={css['check'] ?? ''}
            >
              <span aria-hidden className={css['box']} />
              <span aria-hidden className={css['all']}>
                {text.selectAll(total)}
              </span>
            </Checkbox>
          )
        }
      />
      <div
        ref={list}
        className={css['list']}
        data-by={search.by}
        data-selecting={selected.size > 0 ? '' : undefined}
        data-dense={search.dense ? '' : undefined}
        style={{ height: virtualizer.getTotalSize() }}
        {...listeners}
      >
        {shown.map((each) => (
          <Section
            key={JSON.stringify([each.section?.groupId, each.section?.name])}
            shown={each}
            by={search.by}
            rowHeight={rowHeight}
            headingHeight={headingHeight}
            rowAt={rowAt}
            onSelectAll={isSelectable && !isReading ? selectRange : null}
            renderRow={(row, index) => (
              <CheckRow
                row={row}
                index={index}
                isDense={search.dense === true}
                isSelected={selected.has(row.checkId)}
                onSelect={select}
              />
            )}
          />
        ))}
      </div>
    </>
  );
}

/** Reads the pages that are on screen. */
function usePages(search: OverviewSearch, first: number, last: number): (index: number) => OverviewRow | undefined {
  const accountId = use(AccountContext);
  const from = Math.floor(first / pageSize);
  const pages = Array.from({ length: Math.floor(last / pageSize) - from + 1 }, (_, offset) => from + offset);
  const answers = useQueries({
    queries: pages.map((page) => read(accountId, 'getOverview', { query: queryOf(search, page + 1) })),
  });
  return (index) => answers[Math.floor(index / pageSize) - from]?.data?.rows[index % pageSize];
}
