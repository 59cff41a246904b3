// Services of status pages in deployments.
import { idBytes } from '../../base/codec.ts';
import { findRows } from '../../base/rows.ts';
import {
  addService,
  changeService,
  removeServices,
  serviceBytes,
  serviceOf,
} from '../../status-pages/status-services.ts';
import type { StoredKind } from '../kind.ts';

export const statusServiceKind: StoredKind<'status-service'> = {
  table: 'status_services',
  limit: 'statusServices',
  column: 'id',
  keyOf: idBytes,
  bytes: serviceBytes,
  counter: null,
  async read(db, _database, accountId, ids) {
    const key = { account_id: idBytes(accountId), id: ids.map(idBytes) };
    const services = (await findRows(db, 'status_services', key)).map(serviceOf);
    return new Map(services.map((service) => [service.id, service]));
  },
  async save(tx, { accountId, now }, writes) {
    for (const { physicalId: id, stored, write } of writes) {
      if (stored === null) await addService(tx, now, { ...write, accountId, id });
      else await changeService(tx, now, { accountId, id }, () => write);
    }
    return null;
  },
  async remove(tx, { accountId }, removals) {
    const ids = removals.map(({ physicalId }) => physicalId);
    await removeServices(tx, accountId, ids);
  },
};
