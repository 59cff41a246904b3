// Snippets of accounts: scripts that several checks and groups run around their requests.
import { isUsed, type ResourceUsers } from '#domain/accounts/account.ts';
import type { Snippet } from '#domain/scripts/snippet.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import { type Database, nextNumber, ownedBy, type Page, type Slice, touchAccount } from '../base/database.ts';
import { recordMapping } from '../base/records.ts';
import { deleteRows, findRow, findRows, insertRows, readPage, selectRows, updateRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';
import { namedSnippet, usersOf } from '../locations/named-resources.ts';

/** Fields of a snippet that a write sets. */
export type SnippetWrite = Pick<Snippet, 'name' | 'script'>;

const { rowOf, recordOf } = recordMapping<Snippet, 'snippets'>({
  accountId: 'id',
  id: 'plain',
  name: 'plain',
  script: 'plain',
  createdAt: 'plain',
  updatedAt: 'plain',
});
/** The record of a row. */
export const snippetOf = recordOf;

export function createSnippets(database: Database) {
  const { reader, transaction, clock } = database;
  return {
    /** Ordered by ID. */
    list: (accountId: string, slice: Slice): Promise<Page<Snippet>> =>
      readPage(selectRows(reader, 'snippets', ownedBy(accountId)).selectAll().orderBy('id'), slice, recordOf),
    /** Ordered by ID; bounded by the account's limit. */
    async all(accountId: string): Promise<Snippet[]> {
      return (await findRows(reader, 'snippets', ownedBy(accountId), '*', ['id'])).map(recordOf);
    },
    find: (accountId: string, id: number) => findSnippet(reader, accountId, id),
    /** Throws `LimitReachedError`. */
    add: (accountId: string, write: SnippetWrite): Promise<Snippet> =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, accountId, 'snippets');
        const id = await nextNumber(tx, accountId, 'snippet');
        return addSnippet(tx, clock.now(), { ...write, accountId, id });
      }),
    /** Null if it does not exist. */
    change: (accountId: string, id: number, write: Partial<SnippetWrite>): Promise<Snippet | null> =>
      transaction((tx) => changeSnippet(tx, clock.now(), { accountId, id }, write)),
    /** The checks and groups that use a snippet. */
    uses: (accountId: string, id: number): Promise<ResourceUsers> =>
      usersOf(reader, database, accountId, namedSnippet(id)),
    /** Removes a snippet without users and returns those of one in use. Null if it does not exist. */
    remove: (accountId: string, id: number): Promise<ResourceUsers | null> =>
      transaction(async (tx) => {
        if ((await findSnippet(tx, accountId, id)) === null) return null;
        const users = await usersOf(tx, database, accountId, namedSnippet(id));
        if (!isUsed(users)) await removeSnippets(tx, accountId, [id]);
        return users;
      }),
  };
}

export async function findSnippet(db: Db, accountId: string, id: number): Promise<Snippet | null> {
  const row = await findRow(db, 'snippets', { ...ownedBy(accountId), id });
  return row === undefined ? null : recordOf(row);
}

/** Adds a snippet that has its ID. @param now epoch ms */
export async function addSnippet(
  tx: Db,
  now: number,
  { accountId, id, name, script }: SnippetWrite & Pick<Snippet, 'accountId' | 'id'>,
): Promise<Snippet> {
  const snippet = { accountId, id, name, script, createdAt: now, updatedAt: null };
  await insertRows(tx, 'snippets', rowOf(snippet));
  await touchAccount(tx, accountId);
  return snippet;
}

/** Changes the given fields; null if it does not exist. @param now epoch ms */
export async function changeSnippet(
  tx: Db,
  now: number,
  { accountId, id }: Pick<Snippet, 'accountId' | 'id'>,
  write: Partial<SnippetWrite>,
): Promise<Snippet | null> {
  const present = await findSnippet(tx, accountId, id);
  if (present === null) return null;
  const { name, script } = { ...present, ...write };
  await updateRows(tx, 'snippets', { ...ownedBy(accountId), id }, { name, script, updated_at: now });
  await touchAccount(tx, accountId);
  return { ...present, name, script, updatedAt: now };
}

/** Removes snippets, whether or not they are in use. */
export async function removeSnippets(tx: Db, accountId: string, ids: readonly number[]): Promise<void> {
  const removed = await deleteRows(tx, 'snippets', { ...ownedBy(accountId), id: ids });
  if (removed > 0) await touchAccount(tx, accountId);
}
