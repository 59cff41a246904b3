// Private locations in deployments. Their keys are made apart from them.
import { idBytes } from '../../base/codec.ts';
import { addLocation, changeLocation, findLocation, removeLocations } from '../../locations/private-locations.ts';
import { readEach, type StoredKind } from '../kind.ts';

export const privateLocationKind: StoredKind<'private-location'> = {
  table: 'private_locations',
  limit: 'privateLocations',
  column: 'id',
  keyOf: idBytes,
  bytes: null,
  counter: null,
  read: (db, _database, accountId, ids) => readEach(ids, (id) => findLocation(db, accountId, id)),
  async save(tx, { accountId, now }, writes) {
    for (const { logicalId, physicalId: id, stored, write } of writes) {
      if (stored !== null) await changeLocation(tx, now, { accountId, id }, write);
      else if ((await addLocation(tx, now, { ...write, accountId, id })) === null)
        return { logicalId, path: 'slugName', message: 'is in use in this installation. Choose another slug' };
    }
    return null;
  },
  async remove(tx, { accountId }, removals) {
    await removeLocations(
      tx,
      accountId,
      removals.map(({ physicalId }) => physicalId),
    );
  },
};
