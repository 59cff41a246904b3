// Reads contexts of runs next to a running service, without claiming, caching or writing.
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { groupOf } from '../checks/check-rows.ts';
import { type AccountContext, accountContext, contextOf } from '../checks/context-rows.ts';
import { findRow, findRows } from '../base/rows.ts';
import { sealOf, type Side } from './side.ts';
import type { ChecksTable, Db } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';

/** Checks read at a time. */
const pageSize = 200;

/**
 * All checks of these types, account by account, including secrets.
 * @param key the 32-byte key that encrypts the secrets; throws WrongKeyError if it does not match
 */
export async function* readContexts(
  side: Pick<Side, 'reader' | 'shown'>,
  key: Uint8Array,
  types: readonly CheckType[],
): AsyncGenerator<CheckContext> {
  const seal = await sealOf(side, key);
  const db = side.reader;
  for (const account of await findRows(db, 'accounts', {}, '*', ['created_at', 'id'])) {
    const own = { account_id: account.id };
    const variables = await findRows(db, 'variables', own);
    const certificates = await findRows(db, 'client_certificates', own);
    const snippets = await findRows(db, 'snippets', own, ['id', 'name', 'script']);
    const context = accountContext({ account, variables, windows: [], certificates, snippets }, 0, seal);
    for (const row of await findRows(db, 'check_groups', own)) context.groups.set(row.id, groupOf(row, seal));
    for await (const row of checksOf(db, account.id, types)) {
      const group = row.group_id === null ? null : await groupWith(db, context, row.account_id, row.group_id, seal);
      yield contextOf(context, row, group, seal);
    }
  }
}

/** null = it was deleted since its check was read, which now has no group. A newer group is read separately. */
async function groupWith(
  db: Db,
  { groups }: Pick<AccountContext, 'groups'>,
  accountId: Uint8Array,
  id: number,
  seal: Seal,
): Promise<CheckGroup | null> {
  const known = groups.get(id);
  if (known !== undefined) return known;
  const row = await findRow(db, 'check_groups', { account_id: accountId, id });
  if (row === undefined) return null;
  const group = groupOf(row, seal);
  groups.set(id, group);
  return group;
}

async function* checksOf(db: Db, accountId: Uint8Array, types: readonly CheckType[]): AsyncGenerator<ChecksTable> {
  const query = db
    .selectFrom('checks')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('check_type', 'in', types);
  let after: Uint8Array = new Uint8Array(0);
  for (;;) {
    const rows = await query.where('id', '>', after).orderBy('id').limit(pageSize).execute();
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last.id;
  }
}
