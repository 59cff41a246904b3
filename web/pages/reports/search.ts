// Search parameters of the reports page: the range, the checks and the heading of the report.
import { textParameter } from '../../ui/text/search-parameters.ts';

export const periods = ['week', 'month', 'quarter', 'year'] as const;
export type Period = (typeof periods)[number];

export interface ReportsSearch {
  /** Default: week. */
  readonly every?: Exclude<Period, 'week'>;
  /** A time in the period, ISO 8601. Default: the last complete one. */
  readonly at?: string;
  /** These days instead of a period, such as `2026-01-31`; both or neither. */
  readonly fromOn?: string;
  readonly toOn?: string;
  /** IANA name. Default: that of the account. */
  readonly timezone?: string;
  readonly groupId?: string;
  /** All of these. */
  readonly tag?: readonly string[];
  /** Heading instead of the name of the account. */
  readonly title?: string;
}

const date = /^\d{4}-\d\d-\d\d$/;

export function reportsSearch(search: Record<string, unknown>): ReportsSearch {
  const { every, at, fromOn, toOn } = search;
  const tags = [search['tag'] ?? []].flat().flatMap((tag) => Object.values(textParameter({ tag }, 'tag')));
  const isDays = [fromOn, toOn].every((day) => typeof day === 'string' && date.test(day));
  return {
    ...(periods.slice(1).some((period) => period === every) && { every }),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at: new Date(at).toISOString() }),
    ...(isDays && { fromOn, toOn }),
    ...textParameter(search, 'timezone'),
    ...(/^[1-9]\d{0,8}$/.test(String(search['groupId'])) && { groupId: String(search['groupId']) }),
    ...(tags.length > 0 && { tag: tags.slice(0, 20) }),
    ...textParameter(search, 'title'),
  } as ReportsSearch;
}

/** The checks of a report, as its query names them. */
export function scopeOf({ groupId, tag }: ReportsSearch) {
  return { ...(groupId !== undefined && { groupId: Number(groupId) }), ...(tag !== undefined && { tag: [...tag] }) };
}

/** The query of the API. The heading changes no figures, so the page adds it. */
export function queryOf(search: ReportsSearch) {
  const { at, fromOn, toOn, timezone } = search;
  const every: Period = search.every ?? 'week';
  return {
    ...scopeOf(search),
    ...(timezone !== undefined && { timezone }),
    ...(fromOn !== undefined && toOn !== undefined ? { fromOn, toOn } : { every, ...(at !== undefined && { at }) }),
  };
}
