// Snippets in deployments.
import { addSnippet, changeSnippet, findSnippet, removeSnippets } from '../../scripts/snippets.ts';
import { readEach, type StoredKind } from '../kind.ts';

export const snippetKind: StoredKind<'snippet'> = {
  table: 'snippets',
  limit: 'snippets',
  column: 'id',
  keyOf: Number,
  bytes: null,
  counter: 'snippet',
  read: (db, _database, accountId, ids) => readEach(ids, (id) => findSnippet(db, accountId, Number(id))),
  async save(tx, { accountId, now }, writes) {
    for (const { physicalId, stored, write } of writes) {
      const id = Number(physicalId);
      if (stored === null) await addSnippet(tx, now, { ...write, accountId, id });
      else await changeSnippet(tx, now, { accountId, id }, write);
    }
    return null;
  },
  async remove(tx, { accountId }, removals) {
    await removeSnippets(
      tx,
      accountId,
      removals.map(({ physicalId }) => Number(physicalId)),
    );
  },
};
