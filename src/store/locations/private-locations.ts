// Private locations of accounts and their keys (docs/decisions/0154).
import { isUsed, type ResourceUsers } from '#domain/accounts/account.ts';
import { mostKeys, type PrivateLocation, type PrivateLocationKey } from '#domain/locations/private-location.ts';
import { isUuid } from '#lib/id.ts';
import { requireWithinLimit, waitForOthers } from '../base/account-limits.ts';
import { idBytes, idText } from '../base/codec.ts';
import { type Database, ownedBy, touchAccount } from '../base/database.ts';
import { recordMapping } from '../base/records.ts';
import { countRows, deleteRows, findRow, findRows, insertRows, updateRows } from '../base/rows.ts';
import type { PrivateLocationKeysTable } from '../base/tables/location-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import { namedLocation, usersOf } from './named-resources.ts';

/** Fields of a private location that a write sets. */
export type LocationWrite = Pick<PrivateLocation, 'name' | 'slugName' | 'icon'>;

/** A new key; only its hash is stored. */
export interface NewKey extends Omit<PrivateLocationKey, 'createdAt'> {
  /** SHA-256, 32 bytes. */
  readonly hash: Uint8Array;
}

const { rowOf, recordOf } = recordMapping<PrivateLocation, 'private_locations'>({
  accountId: 'id',
  id: 'id',
  name: 'plain',
  slugName: 'plain',
  icon: 'plain',
  createdAt: 'plain',
  updatedAt: 'plain',
});

export function createPrivateLocations(database: Database) {
  const { reader, transaction, clock } = database;
  return {
    /** Ordered by slug; bounded by the account's limit. */
    async all(accountId: string): Promise<PrivateLocation[]> {
      return (await findRows(reader, 'private_locations', ownedBy(accountId), '*', ['slug_name'])).map(recordOf);
    },
    find: (accountId: string, id: string) => findLocation(reader, accountId, id),
    /** Keys of all private locations of an account, oldest first. */
    async keys(accountId: string): Promise<PrivateLocationKey[]> {
      const rows = await findRows(reader, 'private_location_keys', ownedBy(accountId), '*', ['created_at', 'id']);
      return rows.map(keyOf);
    },
    /** Null if the slug is in use in this installation. Throws `LimitReachedError`. */
    add: (accountId: string, id: string, write: LocationWrite, key: NewKey) =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, accountId, 'privateLocations');
        const added = await addLocation(tx, clock.now(), { ...write, accountId, id });
        if (added !== null) await addKey(tx, accountId, key, clock.now());
        return added;
      }),
    /** Null if it does not exist. */
    change: (accountId: string, id: string, write: Pick<LocationWrite, 'name' | 'icon'>) =>
      transaction((tx) => changeLocation(tx, clock.now(), { accountId, id }, write)),
    /** Removes a location without users, and its keys, and returns the users of one in use. Null if it does not exist. */
    remove: (accountId: string, id: string): Promise<ResourceUsers | null> =>
      transaction(async (tx) => {
        const location = await findLocation(tx, accountId, id);
        if (location === null) return null;
        const users = await usersOf(tx, database, accountId, namedLocation(location.slugName));
        if (!isUsed(users)) await removeLocations(tx, accountId, [id]);
        return users;
      }),
    /** Adds a key; false if the location does not exist or has the most keys that it may have. */
    addKey: (accountId: string, key: NewKey): Promise<PrivateLocationKey | 'unknown' | 'full'> =>
      transaction(async (tx) => {
        await waitForOthers(tx, accountId);
        if ((await findLocation(tx, accountId, key.locationId)) === null) return 'unknown';
        const own = { ...ownedBy(accountId), location_id: idBytes(key.locationId) };
        if ((await countRows(tx, 'private_location_keys', own)) >= mostKeys) return 'full';
        return addKey(tx, accountId, key, clock.now());
      }),
    /** False if it does not exist. */
    removeKey: (accountId: string, locationId: string, id: string): Promise<boolean> =>
      transaction(async (tx) => {
        const key = { ...ownedBy(accountId), location_id: idBytes(locationId), id: idBytes(id) };
        return (await deleteRows(tx, 'private_location_keys', key)) > 0;
      }),
    /** The checks and groups that name a slug. */
    uses: (accountId: string, slug: string): Promise<ResourceUsers> =>
      usersOf(reader, database, accountId, namedLocation(slug)),
  };
}

export async function findLocation(db: Db, accountId: string, id: string): Promise<PrivateLocation | null> {
  if (!isUuid(id)) return null;
  const row = await findRow(db, 'private_locations', { ...ownedBy(accountId), id: idBytes(id) });
  return row === undefined ? null : recordOf(row);
}

/** Adds a location that has its ID; null if its slug is in use. @param now epoch ms */
export async function addLocation(
  tx: Db,
  now: number,
  { accountId, id, name, slugName, icon }: LocationWrite & Pick<PrivateLocation, 'accountId' | 'id'>,
): Promise<PrivateLocation | null> {
  const key = { ...ownedBy(accountId), slug_name: slugName };
  if ((await findRow(tx, 'private_locations', key)) !== undefined) return null;
  if (!(await claim(tx, accountId, slugName))) return null;
  const location = { accountId, id, name, slugName, icon, createdAt: now, updatedAt: null };
  await insertRows(tx, 'private_locations', rowOf(location));
  await touchAccount(tx, accountId);
  return location;
}

/** Changes name and icon; null if it does not exist. @param now epoch ms */
export async function changeLocation(
  tx: Db,
  now: number,
  { accountId, id }: Pick<PrivateLocation, 'accountId' | 'id'>,
  { name, icon }: Pick<LocationWrite, 'name' | 'icon'>,
): Promise<PrivateLocation | null> {
  const present = await findLocation(tx, accountId, id);
  if (present === null) return null;
  // An account that was moved here brings no claims.
  await claim(tx, accountId, present.slugName);
  await updateRows(
    tx,
    'private_locations',
    { ...ownedBy(accountId), id: idBytes(id) },
    { name, icon, updated_at: now },
  );
  await touchAccount(tx, accountId);
  return { ...present, name, icon, updatedAt: now };
}

/** Removes locations and their keys; false = all are unknown. */
export async function removeLocations(tx: Db, accountId: string, ids: readonly string[]): Promise<boolean> {
  const key = { ...ownedBy(accountId), id: ids.filter(isUuid).map(idBytes) };
  const present = await findRows(tx, 'private_locations', key);
  if (present.length === 0) return false;
  await deleteRows(tx, 'private_locations', key);
  await deleteRows(tx, 'private_location_keys', { ...ownedBy(accountId), location_id: key.id });
  for (const { slug_name: code } of present) {
    // Processes that served it must not serve others unnoticed: their code stays the account's.
    const owned = { code, owner_id: idBytes(accountId) };
    await deleteRows(tx, 'locations', { ...owned, seen_at: 0 });
    await updateRows(tx, 'locations', owned, { is_claimed: 0 });
  }
  await touchAccount(tx, accountId);
  return true;
}

/** Claims a code for the private location of an account; false if it belongs to others or to all. */
async function claim(tx: Db, accountId: string, code: string): Promise<boolean> {
  const owner = idBytes(accountId);
  const unseen = { code, name: code, owner_id: owner, is_claimed: 1, seen_at: 0 } as const;
  if ((await insertRows(tx, 'locations', unseen, 'keep')) > 0) return true;
  return (await updateRows(tx, 'locations', { code, owner_id: owner }, { is_claimed: 1 })) > 0;
}

async function addKey(
  tx: Db,
  accountId: string,
  { id, locationId, hash, prefix }: NewKey,
  now: number,
): Promise<PrivateLocationKey> {
  const row = { id: idBytes(id), location_id: idBytes(locationId), hash, prefix, created_at: now };
  await insertRows(tx, 'private_location_keys', { ...ownedBy(accountId), ...row });
  return { id, locationId, prefix, createdAt: now };
}

function keyOf({ id, location_id, prefix, created_at }: PrivateLocationKeysTable): PrivateLocationKey {
  return { id: idText(id), locationId: idText(location_id), prefix, createdAt: created_at };
}
