// Maintenance windows in deployments.
import { idBytes } from '../../base/codec.ts';
import { findRows } from '../../base/rows.ts';
import { addWindow, changeWindow, removeWindows, windowOf } from '../../checks/maintenance-windows.ts';
import type { StoredKind } from '../kind.ts';

export const maintenanceWindowKind: StoredKind<'maintenance-window'> = {
  table: 'maintenance_windows',
  limit: 'maintenanceWindows',
  column: 'id',
  keyOf: Number,
  bytes: null,
  counter: 'maintenance-window',
  async read(db, _database, accountId, ids) {
    const key = { account_id: idBytes(accountId), id: ids.map(Number) };
    return new Map((await findRows(db, 'maintenance_windows', key)).map((row) => [String(row.id), windowOf(row)]));
  },
  async save(tx, { accountId, now }, writes) {
    for (const { physicalId, stored, write } of writes) {
      const id = Number(physicalId);
      if (stored === null) await addWindow(tx, now, { ...write, accountId, id });
      else
        await changeWindow(tx, now, { accountId, id }, ({ skippedOccurrences }) => ({ ...write, skippedOccurrences }));
    }
    return null;
  },
  async remove(tx, { accountId }, removals) {
    const ids = removals.map(({ physicalId }) => Number(physicalId));
    await removeWindows(tx, accountId, ids);
  },
};
