// Services of status pages.
import { sql } from 'kysely';
import { servicesOf, type StatusPage } from '#domain/status-pages/status-page.ts';
import type { StatusService, StatusServiceWrite } from '#domain/status-pages/status-service.ts';
import { isUuid } from '#lib/id.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import { idBytes, idText, json, parsed } from '../base/codec.ts';
import { type Database, ownedBy, touchAccount } from '../base/database.ts';
import { deleteRows, findRow, findRows, insertRows, updateRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';
import type { StatusServicesTable } from '../base/tables/status-page-tables.ts';
import { pageOf } from './status-pages.ts';

/** A service and what `addService` needs besides it. */
export type NewService = StatusServiceWrite & Pick<StatusService, 'accountId' | 'id'>;

/** Stored bytes of a service. */
export const serviceBytes = sql<number>`octet_length(definition)`;

export function createStatusServices(database: Database) {
  const { reader, transaction, clock } = database;
  return {
    /** Ordered by ID; bounded by the account's limit. */
    async all(accountId: string): Promise<StatusService[]> {
      return (await findRows(reader, 'status_services', ownedBy(accountId), '*', ['id'])).map(serviceOf);
    },
    find: (accountId: string, id: string) => findService(reader, accountId, id),
    /** Those of the IDs that the account does not have. */
    async unknownOf(accountId: string, ids: readonly string[]): Promise<string[]> {
      const known = await findRows(reader, 'status_services', { ...ownedBy(accountId), id: ids.map(idBytes) }, ['id']);
      const texts = new Set(known.map(({ id }) => idText(id)));
      return ids.filter((id) => !texts.has(id));
    },
    /** @throws LimitReachedError */
    add: (write: NewService): Promise<StatusService> =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, write.accountId, 'statusServices');
        return addService(tx, clock.now(), write);
      }),
    /** Reads, edits and writes in one transaction; `edit` may throw. null = unknown service. */
    change: (accountId: string, id: string, edit: (present: StatusService) => StatusServiceWrite) =>
      transaction((tx) => changeService(tx, clock.now(), { accountId, id }, edit)),
    /** Removes a service that no page shows and returns the pages that do. null = unknown service. */
    remove: (accountId: string, id: string): Promise<readonly Pick<StatusPage, 'id' | 'name'>[] | null> =>
      transaction(async (tx) => {
        if ((await findService(tx, accountId, id)) === null) return null;
        const pages = (await findRows(tx, 'status_pages', ownedBy(accountId))).map(pageOf);
        const users = pages.filter((page) => servicesOf(page).includes(id));
        if (users.length === 0) await removeServices(tx, accountId, [id]);
        return users;
      }),
  };
}

export async function findService(db: Db, accountId: string, id: string): Promise<StatusService | null> {
  if (!isUuid(id)) return null;
  const row = await findRow(db, 'status_services', { ...ownedBy(accountId), id: idBytes(id) });
  return row === undefined ? null : serviceOf(row);
}

/** Adds a service that has its ID. @param now epoch ms */
export async function addService(tx: Db, now: number, write: NewService): Promise<StatusService> {
  const service = { ...write, createdAt: now, updatedAt: null };
  await insertRows(tx, 'status_services', rowOf(service));
  await touchAccount(tx, service.accountId);
  return service;
}

/** Reads, edits and writes; null = unknown service. If other checks tell its state, its past days are counted anew. @param now epoch ms */
export async function changeService(
  tx: Db,
  now: number,
  { accountId, id }: Pick<StatusService, 'accountId' | 'id'>,
  edit: (present: StatusService) => StatusServiceWrite,
): Promise<StatusService | null> {
  const present = await findService(tx, accountId, id);
  if (present === null) return null;
  const service = { ...edit(present), accountId, id, createdAt: present.createdAt, updatedAt: now };
  const { account_id, id: key, created_at, ...values } = rowOf(service);
  await updateRows(tx, 'status_services', { account_id, id: key, created_at }, values);
  if (sourcesOf(present) !== sourcesOf(service)) {
    await deleteRows(tx, 'status_service_days', { account_id, service_id: key });
  }
  await touchAccount(tx, accountId);
  return service;
}

function sourcesOf({ checkIds, groupIds, tags, threshold }: StatusService): string {
  return json([checkIds, groupIds, tags, threshold]);
}

/** Removes services, whether or not pages show them. */
export async function removeServices(tx: Db, accountId: string, ids: readonly string[]): Promise<void> {
  const known = ids.filter(isUuid).map(idBytes);
  const removed = await deleteRows(tx, 'status_services', { ...ownedBy(accountId), id: known });
  await deleteRows(tx, 'status_service_days', { ...ownedBy(accountId), service_id: known });
  if (removed > 0) await touchAccount(tx, accountId);
}

function rowOf({ accountId, id, createdAt, updatedAt, name, ...definition }: StatusService): StatusServicesTable {
  return {
    account_id: idBytes(accountId),
    id: idBytes(id),
    name,
    definition: json(definition),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** The record of a row. */
export function serviceOf(row: StatusServicesTable): StatusService {
  return {
    ...parsed<Omit<StatusService, 'name'>>(row.definition),
    accountId: idText(row.account_id),
    id: idText(row.id),
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
