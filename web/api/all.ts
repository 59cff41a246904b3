// Lists that are needed as a whole, such as the names of all channels.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { use } from 'react';
import type { AnswerOf, PagedId } from '#contract/operations.ts';
import { AccountContext } from './account.ts';
import { clientOf } from './client.ts';
import { type Input, previousOf } from './query.ts';

/** Pages that are read at most: 5,000 items. */
const maxPages = 50;

/** When a list is read. */
interface Polling<Answer> {
  readonly isEnabled: boolean;
  /** Time until the list is read again, ms; false = it is not. */
  readonly everyMs: (answer: Answer | undefined) => number | false;
}

/** All items of a list, up to 5,000. @param polling absent = it is read once, and after changes */
export function useAll<Id extends PagedId>(
  id: Id,
  input?: Input<Id>,
  polling?: Polling<AnswerOf<Id>>,
): UseQueryResult<AnswerOf<Id>> {
  const accountId = use(AccountContext);
  const queryKey = [accountId, id, input ?? null, 'all'] as const;
  return useQuery({
    queryKey,
    placeholderData: previousOf(queryKey),
    ...(polling !== undefined && {
      retry: false,
      enabled: polling.isEnabled,
      refetchInterval: ({ state }: { readonly state: { readonly data?: AnswerOf<Id> | undefined } }) =>
        polling.everyMs(state.data),
    }),
    queryFn: async ({ signal }) => {
      const all: unknown[] = [];
      for (let page = 1; page <= maxPages; page++) {
        const query = { ...(input as { query?: object } | undefined)?.query, limit: 100, page };
        const { items, total } = (await clientOf(accountId).page(id, ...([{ ...input, query, signal }] as never))) as {
          items: readonly unknown[];
          total: number;
        };
        all.push(...items);
        if (items.length === 0 || all.length >= total) break;
      }
      return all as unknown as AnswerOf<Id>;
    },
  });
}
