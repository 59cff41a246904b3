// Reads contexts of runs next to a running service, without claiming, caching or writing.
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { groupOf } from '../checks/check-rows.ts';
import { type AccountContext, accountContext, contextOf } from '../checks/context-rows.ts';
import { keyMark, openMark } from '../base/key-check.ts';
import { readFact, type Side } from './side.ts';
import type { ClientCertificatesTable } from '../base/tables/client-certificate-tables.ts';
import type { AccountsTable } from '../base/tables/installation-tables.ts';
import type { CheckGroupsTable, ChecksTable, VariablesTable } from '../base/tables/schema.ts';
import { createSeal, type Seal } from '../base/seal.ts';

/** Checks read at a time. */
const pageSize = 200;

/**
 * All checks of these types, account by account, including secrets.
 * @param key the 32-byte key that encrypts the secrets; throws WrongKeyError if it does not match
 */
export async function* readContexts(
  side: Side,
  key: Uint8Array,
  types: readonly CheckType[],
): AsyncGenerator<CheckContext> {
  const seal = createSeal(key);
  const mark = await readFact(side, keyMark);
  if (mark !== null) openMark(seal, mark, side.shown);
  const accounts = await readRows<AccountsTable>(side, 'SELECT * FROM accounts ORDER BY created_at, id', []);
  for (const account of accounts) {
    const variables = await readRows<VariablesTable>(side, 'SELECT * FROM variables WHERE account_id = ?', [
      account.id,
    ]);
    const certificates = await readRows<ClientCertificatesTable>(
      side,
      'SELECT * FROM client_certificates WHERE account_id = ?',
      [account.id],
    );
    const context = accountContext({ account, variables, windows: [], certificates }, 0, seal);
    const groups = await readRows<CheckGroupsTable>(side, 'SELECT * FROM check_groups WHERE account_id = ?', [
      account.id,
    ]);
    for (const row of groups) context.groups.set(row.id, groupOf(row, seal));
    for await (const row of checksOf(side, account.id, types)) {
      const group = row.group_id === null ? null : await groupWith(side, context, row.account_id, row.group_id, seal);
      yield contextOf(context, row, group, seal);
    }
  }
}

/** null = it was deleted since its check was read, which now has no group. A newer group is read separately. */
async function groupWith(
  side: Side,
  { groups }: Pick<AccountContext, 'groups'>,
  accountId: Uint8Array,
  id: number,
  seal: Seal,
): Promise<CheckGroup | null> {
  const known = groups.get(id);
  if (known !== undefined) return known;
  const sql = 'SELECT * FROM check_groups WHERE account_id = ? AND id = ?';
  const [row] = await readRows<CheckGroupsTable>(side, sql, [accountId, id]);
  if (row === undefined) return null;
  const group = groupOf(row, seal);
  groups.set(id, group);
  return group;
}

async function* checksOf(side: Side, accountId: Uint8Array, types: readonly CheckType[]): AsyncGenerator<ChecksTable> {
  const marks = types.map(() => '?').join(', ');
  const sql = `SELECT * FROM checks WHERE account_id = ? AND check_type IN (${marks}) AND id > ? ORDER BY id LIMIT ?`;
  let after: Uint8Array = new Uint8Array(0);
  for (;;) {
    const rows = await readRows<ChecksTable>(side, sql, [accountId, ...types, after, pageSize]);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last.id;
  }
}

async function readRows<Table>(side: Side, sql: string, values: Parameters<Side['query']>[1]): Promise<Table[]> {
  return (await side.query(sql, values)) as unknown as Table[];
}
