// Environment variables in deployments.
import { addVariable, changeVariable, opened, removeVariables } from '../../accounts/variables.ts';
import { idBytes } from '../../base/codec.ts';
import { findRows } from '../../base/rows.ts';
import type { StoredKind } from '../kind.ts';

export const variableKind: StoredKind<'variable'> = {
  table: 'variables',
  limit: 'variables',
  column: 'key',
  keyOf: (key) => key,
  bytes: null,
  counter: null,
  async read(db, { seal }, accountId, keys) {
    const rows = await findRows(db, 'variables', { account_id: idBytes(accountId), key: keys });
    return new Map(rows.map((row) => [row.key, opened(row, seal)]));
  },
  async save(tx, { database, accountId }, writes) {
    for (const { logicalId, stored, write } of writes) {
      if (stored !== null) await changeVariable(tx, database, accountId, write.key, () => write);
      else if (!(await addVariable(tx, database, accountId, write)))
        return { logicalId, path: 'key', message: 'exists already' };
    }
    return null;
  },
  async remove(tx, { accountId }, removals) {
    const keys = removals.map(({ physicalId }) => physicalId);
    await removeVariables(tx, accountId, keys);
  },
};
