// Selects ranges of the list: all checks, a section, or those between two clicks with Shift.
import { useQueryClient } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, use, useCallback, useMemo, useRef, useState } from 'react';
import { AccountContext } from '../../api/account.ts';
import { read } from '../../api/query.ts';
import { toast } from '../../ui/layout/toast.tsx';
import { type OverviewRow, type OverviewSearch, pageSize, queryOf } from './search.ts';
import type { Selection } from './selection-bar.tsx';

/** Selects rows by their index in the list, also rows that were never on screen. */
export interface RangeSelection {
  /** @param to the index after the last row */
  readonly selectRange: (from: number, to: number) => void;
  /** A click on the checkbox of a row. With Shift, it applies to all rows since the click before. */
  readonly select: (row: OverviewRow, index: number, isSelected: boolean) => void;
  /** Whether rows are being read. */
  readonly isReading: boolean;
  /** For the element around the list: checkboxes do not say whether Shift is held. */
  readonly listeners: {
    readonly onPointerDownCapture: (event: { readonly shiftKey: boolean }) => void;
    readonly onKeyDownCapture: (event: { readonly shiftKey: boolean }) => void;
  };
}

export function useRangeSelection(
  search: OverviewSearch,
  onSelect: Dispatch<SetStateAction<Selection>>,
): RangeSelection {
  const accountId = use(AccountContext);
  const cache = useQueryClient();
  const [isReading, setReading] = useState(false);
  const last = useRef<number | null>(null);
  const isShift = useRef(false);

  const change = useCallback(
    async (from: number, to: number, isSelected: boolean): Promise<void> => {
      setReading(true);
      try {
        const rows = await rowsOf((page) => cache.fetchQuery(read(accountId, 'getOverview', page)), search, from, to);
        onSelect((before) => changed(before, rows, isSelected));
      } catch (error) {
        toast.fault(error);
      } finally {
        setReading(false);
      }
    },
    [accountId, cache, onSelect, search],
  );
  const select = useCallback(
    (row: OverviewRow, index: number, isSelected: boolean): void => {
      const since = last.current;
      last.current = index;
      if (!isShift.current || since === null) return onSelect((before) => changed(before, [row], isSelected));
      void change(Math.min(since, index), Math.max(since, index) + 1, isSelected);
    },
    [change, onSelect],
  );
  const listeners = useMemo(() => {
    const note = ({ shiftKey }: { readonly shiftKey: boolean }): void => {
      isShift.current = shiftKey;
    };
    return { onPointerDownCapture: note, onKeyDownCapture: note };
  }, []);
  const selectRange = useCallback((from: number, to: number): void => void change(from, to, true), [change]);
  return { selectRange, select, isReading, listeners };
}

/** Rows of a range, read page by page. */
async function rowsOf(
  pageOf: (input: { query: ReturnType<typeof queryOf> }) => Promise<{ readonly rows: readonly OverviewRow[] }>,
  search: OverviewSearch,
  from: number,
  to: number,
): Promise<OverviewRow[]> {
  const first = Math.floor(from / pageSize);
  const rows: OverviewRow[] = [];
  for (let page = first; page * pageSize < to; page++) {
    rows.push(...(await pageOf({ query: queryOf(search, page + 1) })).rows);
  }
  return rows.slice(from - first * pageSize, to - first * pageSize);
}

function changed(before: Selection, rows: readonly OverviewRow[], isSelected: boolean): Selection {
  const next = new Map(before);
  for (const { checkId, name, checkType, activated } of rows) {
    if (isSelected) next.set(checkId, { checkId, name, checkType, activated });
    else next.delete(checkId);
  }
  return next;
}
