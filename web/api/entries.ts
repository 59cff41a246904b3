// Lists of status pages, which continue after an ID.
import { useInfiniteQuery, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { use } from 'react';
import type { AnswerOf } from '#contract/operations.ts';
import { AccountContext } from './account.ts';
import { clientOf } from './client.ts';
import { previousOf } from './query.ts';

type EntryListId = 'listStatusPages' | 'listStatusServices' | 'listStatusIncidents';
type EntryOf<Id extends EntryListId> =
  AnswerOf<Id> extends { readonly entries: readonly (infer Entry)[] } ? Entry : never;
/** Filters of the list of incidents; other lists have none. */
interface Filters {
  readonly isDraft?: boolean;
  readonly isOpen?: boolean;
}
interface Part<Entry> {
  readonly entries: readonly Entry[];
  readonly nextId: string | null;
}

/** Parts that are read at most: 2,000 entries. */
const mostParts = 20;

function partOf<Id extends EntryListId>(
  accountId: string,
  id: Id,
  filters: Filters,
  nextId: string | null,
  signal: AbortSignal,
): Promise<Part<EntryOf<Id>>> {
  const query = { ...filters, limit: 100, ...(nextId !== null && { nextId }) };
  return clientOf(accountId).call(id, ...([{ query, signal }] as never)) as Promise<Part<EntryOf<Id>>>;
}

/** All entries, up to 2,000. */
export function useEveryEntry<Id extends EntryListId>(
  id: Id,
  filters: Filters = {},
): UseQueryResult<readonly EntryOf<Id>[]> {
  const accountId = use(AccountContext);
  const queryKey = [accountId, id, { query: filters }, 'every'] as const;
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const all: EntryOf<Id>[] = [];
      let nextId: string | null = null;
      for (let parts = 0; parts < mostParts; parts++) {
        const part: Part<EntryOf<Id>> = await partOf(accountId, id, filters, nextId, signal);
        all.push(...part.entries);
        nextId = part.nextId;
        if (nextId === null) break;
      }
      return all;
    },
  });
}

/** A list that grows by "Load more". */
export function useMoreEntries<Id extends EntryListId>(id: Id, filters: Filters = {}) {
  const accountId = use(AccountContext);
  return useParts([accountId, id, { query: filters }, 'more'], (nextId, signal) =>
    partOf(accountId, id, filters, nextId, signal),
  );
}

/** Subscribers of a status page that grow by "Load more". @param search part of the address; '' = all */
export function useMoreSubscribers(pageId: string, search: string) {
  const accountId = use(AccountContext);
  const input = { params: { id: pageId }, query: search === '' ? {} : { search } };
  return useParts([accountId, 'listStatusSubscriptions', input, 'more'], (nextId, signal) => {
    const query = { ...input.query, limit: 100, ...(nextId !== null && { nextId }) };
    return clientOf(accountId).call('listStatusSubscriptions', { ...input, query, signal });
  });
}

function useParts<Entry>(
  queryKey: Parameters<typeof previousOf>[0],
  read: (nextId: string | null, signal: AbortSignal) => Promise<Part<Entry>>,
) {
  const result = useInfiniteQuery({
    queryKey,
    initialPageParam: null as string | null,
    placeholderData: previousOf(queryKey),
    queryFn: ({ signal, pageParam }) => read(pageParam, signal),
    getNextPageParam: ({ nextId }) => nextId,
  });
  return { ...result, items: result.data?.pages.flatMap(({ entries }) => entries) };
}
