// Filters of check lists as query conditions.
import { type SelectQueryBuilder, sql } from 'kysely';
import type { CheckStatus } from '#domain/checks/check-state.ts';
import { flag, idBytes, json } from '../base/codec.ts';
import type { Dialect } from '../base/dialect.ts';
import type { Tables } from '../base/tables/schema.ts';

/** Filters, combined with AND; an absent or empty field does not filter. */
export interface CheckFilter {
  /** All of these tags; those of its group count too. */
  readonly tags?: readonly string[] | undefined;
  readonly checkType?: string | undefined;
  /** Part of the name, case-insensitive. */
  readonly search?: string | undefined;
  readonly activated?: boolean | undefined;
  readonly groupId?: number | undefined;
  readonly status?: CheckStatus | undefined;
  /** Part of the URL of an API check, case-insensitive. */
  readonly apiCheckUrlFilterPattern?: string | undefined;
  /** Newest first, or by `groupOrder` (those without one last, oldest first); absent = newest. */
  readonly order?: 'newest' | 'group' | undefined;
}

/** Adds the conditions of a filter to a query on checks (reference §4.2). */
export function filterChecks<Output>(
  query: SelectQueryBuilder<Tables, 'checks', Output>,
  dialect: Dialect,
  accountId: string,
  filter: CheckFilter,
): SelectQueryBuilder<Tables, 'checks', Output> {
  const account = idBytes(accountId);
  let narrowed = query.where('checks.account_id', '=', account);
  const { checkType, activated, groupId, search, status, apiCheckUrlFilterPattern } = filter;
  if (checkType !== undefined) narrowed = narrowed.where('checks.check_type', '=', checkType);
  if (activated !== undefined) narrowed = narrowed.where('checks.activated', '=', flag(activated));
  if (groupId !== undefined) narrowed = narrowed.where('checks.group_id', '=', groupId);
  for (const tag of new Set(filter.tags)) {
    narrowed = narrowed.where((where) =>
      where.or([
        where('checks.id', 'in', (from) =>
          from.selectFrom('check_tags').select('check_id').where('account_id', '=', account).where('tag', '=', tag),
        ),
        // Tags of a group count for its checks. They are a JSON list of texts, so the quoted tag is searched for.
        where('checks.group_id', 'in', (from) =>
          from
            .selectFrom('check_groups')
            .select('check_groups.id')
            .where('check_groups.account_id', '=', account)
            .where(sql<boolean>`replace(check_groups.tags, ${json(tag)}, '') <> check_groups.tags`),
        ),
      ]),
    );
  }
  if (status !== undefined) {
    narrowed = narrowed.where('checks.id', 'in', (from) =>
      from.selectFrom('check_states').select('check_id').where('account_id', '=', account).where('status', '=', status),
    );
  }
  if (search !== undefined && search !== '') {
    narrowed = narrowed.where(dialect.contains(sql.ref('checks.name'), search));
  }
  if (apiCheckUrlFilterPattern !== undefined && apiCheckUrlFilterPattern !== '') {
    const url = dialect.jsonText('checks.definition', ['settings', 'request', 'url']);
    narrowed = narrowed.where(dialect.contains(url, apiCheckUrlFilterPattern));
  }
  return narrowed;
}

/** Adds the order of a filter to a query on checks. */
export function orderChecks<Output>(
  query: SelectQueryBuilder<Tables, 'checks', Output>,
  dialect: Dialect,
  { order = 'newest' }: CheckFilter,
): SelectQueryBuilder<Tables, 'checks', Output> {
  if (order === 'newest') return query.orderBy('checks.created_at', 'desc').orderBy('checks.id', 'desc');
  const place = dialect.jsonText('checks.definition', ['groupOrder']);
  return query
    .orderBy(sql`coalesce(cast(${place} as bigint), 2147483647)`)
    .orderBy('checks.created_at')
    .orderBy('checks.id');
}
