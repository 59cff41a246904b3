// Check groups in deployments.
import { findGroup, groupBytes, removeGroup, writeGroup } from '../../checks/check-groups.ts';
import { danglingFault, readEach, type StoredKind } from '../kind.ts';

export const checkGroupKind: StoredKind<'check-group'> = {
  table: 'check_groups',
  limit: 'checkGroups',
  column: 'id',
  keyOf: Number,
  bytes: groupBytes,
  counter: 'check-group',
  read: (db, { seal }, accountId, ids) => readEach(ids, (id) => findGroup(db, accountId, Number(id), seal)),
  async save(tx, { database }, writes) {
    for (const { logicalId, stored, write } of writes) {
      const fault = danglingFault(logicalId, await writeGroup(tx, database, write, stored?.group ?? null));
      if (fault !== null) return fault;
    }
    return null;
  },
  async remove(tx, { database, accountId, now }, removals) {
    for (const { physicalId } of removals) await removeGroup(tx, accountId, Number(physicalId), { ...database, now });
  },
};
