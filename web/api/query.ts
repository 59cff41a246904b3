// Queries and mutations for every operation of the contract.
import {
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { use } from 'react';
import type { Request } from '#contract/caller.ts';
import type { AnswerOf, OperationId, PagedId } from '#contract/operations.ts';
import { AccountContext } from './account.ts';
import { clientOf, ServiceError } from './client.ts';

/** Parameters, query, body and headers of an operation. */
export type Input<Id extends OperationId> = Omit<Request<Id>, 'signal'>;
type InputArgument<Id extends OperationId> = object extends Input<Id> ? [input?: Input<Id>] : [input: Input<Id>];

/** The cache of this page. Live events invalidate it, so that data stays current without polling. */
export function createQueryClient(): QueryClient {
  // A session that has ended is noticed by the query of the person.
  const noticeEnd = (error: unknown, from: unknown): void => {
    const isEnded = error instanceof ServiceError && error.statusCode === 401;
    if (isEnded && from !== 'getMe')
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'getMe' });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: (error, { queryKey }) => noticeEnd(error, queryKey[1]) }),
    mutationCache: new MutationCache({ onError: (error) => noticeEnd(error, null) }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 5 * 60_000,
        retry: (count, error) => count < 2 && !(error instanceof ServiceError && error.statusCode < 500),
      },
    },
  });
  return client;
}

type Key = readonly [accountId: string, id: string, input: unknown, ...rest: string[]];

/**
 * Data of a list while another page, filter or time range is loading: the previous data. Never data of another account or
 * check, which would appear under the wrong name.
 */
export function previousOf(key: Key) {
  return <Answer>(answer: Answer | undefined, query?: { readonly queryKey: unknown }): Answer | undefined => {
    const [accountId, id, input, ...rest] = (query?.queryKey ?? []) as unknown as Key;
    const isSame = subjectOf([accountId, id, input, ...rest]) === subjectOf(key);
    return isSame ? answer : undefined;
  };
}

function subjectOf([accountId, id, input, ...rest]: Key): string {
  const { params = null, query } = (input ?? {}) as {
    readonly params?: unknown;
    readonly query?: { readonly checkId?: string };
  };
  return JSON.stringify([accountId, id, params, query?.checkId ?? null, ...rest]);
}

/** Options of a TanStack query: the key begins with account and operation, so that events can find it. */
export function read<Id extends OperationId>(accountId: string, id: Id, ...[input]: InputArgument<Id>) {
  const queryKey = [accountId, id, input ?? null] as const;
  return queryOptions({
    queryKey,
    queryFn: ({ signal }) => clientOf(accountId).call(id, ...([{ ...input, signal }] as never)),
    placeholderData: previousOf(queryKey),
  });
}

/** The data of a query. */
export function useRead<Id extends OperationId>(id: Id, ...input: InputArgument<Id>): UseQueryResult<AnswerOf<Id>> {
  return useQuery(read(use(AccountContext), id, ...input));
}

/** A page of a list with the number of items on all pages. */
export function usePage<Id extends PagedId>(
  id: Id,
  ...[input]: InputArgument<Id>
): UseQueryResult<{ items: AnswerOf<Id>; total: number }> {
  const accountId = use(AccountContext);
  const queryKey = [accountId, id, input ?? null, 'page'] as const;
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => clientOf(accountId).page(id, ...([{ ...input, signal }] as never)),
    placeholderData: previousOf(queryKey),
  });
}

/** A mutation that afterwards refreshes the queries of these operations. */
export function useWrite<Id extends OperationId>(id: Id, refreshes: readonly OperationId[] = []) {
  const accountId = use(AccountContext);
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<Id>) => clientOf(accountId).call(id, ...([input] as never)),
    onSuccess: () => Promise.all(refreshes.map((each) => cache.invalidateQueries({ queryKey: [accountId, each] }))),
  });
}

/** A list that grows by "Load more". */
export function useMore<Id extends PagedId>(id: Id, ...[input]: InputArgument<Id>) {
  const accountId = use(AccountContext);
  const queryKey = [accountId, id, input ?? null, 'more'] as const;
  const result = useInfiniteQuery({
    queryKey,
    initialPageParam: { limit: 50, page: 1 },
    placeholderData: previousOf(queryKey),
    queryFn: ({ signal, pageParam }) => {
      const query = { ...(input as { query?: object } | undefined)?.query, ...pageParam };
      return clientOf(accountId).page(id, ...([{ ...input, query, signal }] as never)) as Promise<{
        items: AnswerOf<Id> & readonly unknown[];
        total: number;
        next: { limit: number; page: number } | null;
      }>;
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const pages = result.data?.pages;
  return {
    ...result,
    items: pages?.flatMap(({ items }) => items) as ItemsOf<AnswerOf<Id>> | undefined,
    total: pages?.at(-1)?.total ?? 0,
  };
}

type ItemsOf<Answer> = Answer extends readonly (infer Item)[] ? readonly Item[] : never;
