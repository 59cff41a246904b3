// What of the overview is in its address.
import { textParameter } from '../../ui/text/search-parameters.ts';
import type { AnswerOf } from '#contract/operations.ts';

export type OverviewRow = AnswerOf<'getOverview'>['rows'][number];

export const sorts = ['state', 'name', '-since', '-lastRun', '-responseTime', 'availability', '-flapping'] as const;
export const stateFilters = ['failing', 'degraded', 'passing', 'unknown', 'paused'] as const;

export const groupings = ['group', 'tag'] as const;

/** Filters, order, sections and density; absent = the default. */
export interface OverviewSearch {
  readonly search?: string;
  readonly state?: (typeof stateFilters)[number];
  readonly checkType?: string;
  readonly tag?: string;
  readonly groupId?: string;
  readonly muted?: true;
  readonly silent?: true;
  readonly flapping?: true;
  readonly sort?: (typeof sorts)[number];
  readonly by?: (typeof groupings)[number];
  readonly dense?: true;
}

/** Takes what is known from search parameters, and drops the rest. */
export function overviewSearch(search: Record<string, unknown>): OverviewSearch {
  const text = (name: string) => textParameter(search, name);
  const flag = (name: string) => (search[name] === true || search[name] === 'true' ? { [name]: true } : {});
  return {
    ...text('search'),
    ...text('checkType'),
    ...text('tag'),
    ...text('groupId'),
    ...flag('muted'),
    ...flag('silent'),
    ...flag('flapping'),
    ...flag('dense'),
    ...(stateFilters.some((state) => state === search['state']) && { state: search['state'] }),
    ...(sorts.some((sort) => sort === search['sort']) && { sort: search['sort'] }),
    ...(groupings.some((by) => by === search['by']) && { by: search['by'] }),
  } as OverviewSearch;
}

/** Rows that one request reads. */
export const pageSize = 100;

/** The query of the API for a page of rows. @param page from 1 */
export function queryOf({ dense: _dense, by, ...filters }: OverviewSearch, page = 1) {
  return { ...filters, ...(by !== undefined && { groupBy: by }), limit: pageSize, page };
}

/** Whether a filter can leave out checks of the summary, which counts all states. */
export function isNarrowed({
  dense: _dense,
  by: _by,
  sort: _sort,
  state: _state,
  ...filters
}: OverviewSearch): boolean {
  return Object.keys(filters).length > 0;
}
