// Alert channels in deployments. Subscriptions belong to checks and groups.
import { addChannel, changeChannel, channelBytes, findChannel, removeChannel } from '../../channels/alert-channels.ts';
import { danglingFault, readEach, type StoredKind } from '../kind.ts';

export const alertChannelKind: StoredKind<'alert-channel'> = {
  table: 'alert_channels',
  limit: 'alertChannels',
  column: 'id',
  keyOf: Number,
  bytes: channelBytes,
  counter: 'alert-channel',
  read: (db, { seal }, accountId, ids) => readEach(ids, (id) => findChannel(db, accountId, Number(id), seal)),
  async save(tx, { database, accountId }, writes) {
    const added = new Set(writes.flatMap(({ stored, write }) => (stored === null ? write.id : [])));
    for (const { logicalId, stored, write } of writes) {
      const saved =
        stored === null
          ? await addChannel(tx, database, { channel: write, subscriptions: null }, added)
          : await changeChannel(
              tx,
              database,
              accountId,
              write.id,
              ({ channel }) => ({
                channel: {
                  ...write,
                  exhaustedInARow: channel.exhaustedInARow,
                  failingSince: channel.failingSince,
                },
                subscriptions: null,
              }),
              added,
            );
      const fault = saved === null ? null : danglingFault(logicalId, saved);
      if (fault !== null) return fault;
    }
    return null;
  },
  async remove(tx, { accountId, now }, removals) {
    for (const { physicalId } of removals) await removeChannel(tx, accountId, Number(physicalId), now);
  },
};
