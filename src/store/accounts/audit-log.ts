// The audit log of accounts. Entries are added with the changes that they describe (base/audit), and only retention deletes them.
import type { Selectable } from 'kysely';
import type { ActorKind, AuditedResource, AuditEntry, ResourceChange } from '#domain/accounts/audit-entry.ts';
import { currentActing } from '../base/audit/acting.ts';
import { entryRow } from '../base/audit/audited-transactions.ts';
import { firstIdAt, type IdBytes, idBytes, idText, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { findRows, insertRows, selectRows } from '../base/rows.ts';
import { breathe, headInSlices, type IdRange, type SlicedList } from '../base/slices.ts';
import type { AuditLogTable } from '../base/tables/audit-tables.ts';
import type { Db } from '../base/tables/schema.ts';

/** Filters, combined with AND. Times are epoch ms: `from <= at <= to`. */
export interface AuditFilter {
  readonly actorId?: string | undefined;
  readonly actorKind?: ActorKind | undefined;
  readonly operation?: string | undefined;
  readonly resource?: AuditedResource | undefined;
  readonly resourceId?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A person whose sign-in was refused. */
export interface RefusedPerson {
  readonly id: string;
  readonly email: string;
}

/** Entries of an account. More are removed, first those of the actor with the most. */
export const maxEntries = 50_000;
const rowsPerSlice = 400;
const accountsPerSlice = 200;
/** Refused sign-ins of a person that are recorded per hour and process. */
const maxRefusals = 10;
const maxPersons = 10_000;
const hourMs = 3_600_000;

/** The audit log. */
export function createAuditLog({ reader, transaction, dialect, clock }: Database) {
  const refusals = new Map<string, number>();
  let lastAccount: IdBytes | null = null;
  return {
    /** Newest first, older than the entry `before`; null = from the newest. */
    async walk(accountId: string, filter: AuditFilter, before: string | null, limit: number): Promise<AuditEntry[]> {
      const start = before === null ? null : idBytes(before);
      const end = filter.to === undefined ? null : firstIdAt(filter.to + 1);
      const first = start !== null && (end === null || Buffer.compare(start, end) < 0) ? start : end;
      const rows = await headInSlices(sliced(reader, dialect.rowsAtOnce, accountId, filter), first, limit);
      return rows.map(entryOf);
    },
    /** Records a refused sign-in of a person in each account of the person: the first ten of an hour. */
    async addRefusal({ id, email }: RefusedPerson): Promise<void> {
      const acting = currentActing();
      const now = clock.now();
      const hour = `${id}/${Math.floor(now / hourMs)}`;
      const count = (refusals.get(hour) ?? 0) + 1;
      if (acting === undefined || count > maxRefusals) return;
      if (refusals.size >= maxPersons) refusals.clear();
      refusals.set(hour, count);
      const change = { resource: 'user', id, name: email, action: 'refused', fields: [] } as const;
      await transaction(async (tx) => {
        const accounts = await findRows(tx, 'memberships', { user_id: idBytes(id) }, ['account_id']);
        const rows = accounts.map((row) => entryRow(idText(row.account_id), acting, [{ change }], 1, now));
        await insertRows(tx, 'audit_log', rows);
      });
    },
    /**
     * Deletes some entries before an instant (epoch ms), and those of accounts that have too many; each call continues
     * where the previous one ended. Returns the number of deleted entries.
     * @param most entries of an account
     */
    async removeSome(before: number, most = maxEntries): Promise<number> {
      const accounts = await accountsAfter(reader, lastAccount);
      let removed = 0;
      for (const account of accounts) {
        if (await hasOlder(reader, account, firstIdAt(before))) {
          removed = await transaction((tx) => removeOldest(tx, account, firstIdAt(before)));
        } else if (await hasMore(reader, account, most)) {
          removed = await transaction((tx) => removeExcess(tx, account, clock.now()));
        }
        if (removed > 0) return removed;
        lastAccount = account;
        await breathe();
      }
      if (accounts.length < accountsPerSlice) lastAccount = null;
      return removed;
    },
  };
}

function sliced(
  reader: Db,
  sliceSize: number | null,
  accountId: string,
  filter: AuditFilter,
): SlicedList<Selectable<AuditLogTable>> {
  const own = (range: IdRange) => {
    let query = selectRows(reader, 'audit_log', { account_id: idBytes(accountId) });
    if (range.from !== null) query = query.where('id', '>=', range.from);
    return range.before === null ? query : query.where('id', '<', range.before);
  };
  const matching = (range: IdRange) => {
    let query = own(range);
    if (filter.from !== undefined) query = query.where('id', '>=', firstIdAt(filter.from));
    const wanted = {
      actor_id: filter.actorId,
      actor_kind: filter.actorKind,
      operation: filter.operation,
      resource: filter.resource,
      resource_id: filter.resourceId,
    };
    for (const [column, value] of Object.entries(wanted)) {
      if (value !== undefined) query = query.where(column as 'operation', '=', value);
    }
    return query;
  };
  const floor = filter.from === undefined ? null : firstIdAt(filter.from);
  return {
    sliceSize,
    recentFrom: null,
    async edge(before, size) {
      const row = await own({ from: floor, before })
        .select('id')
        .orderBy('id', 'desc')
        .offset(size - 1)
        .limit(1)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    count: async (range) => (await matching(range).select('id').execute()).length,
    rows: (range, limit, offset) =>
      matching(range).selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute(),
  };
}

async function accountsAfter(reader: Db, after: IdBytes | null): Promise<IdBytes[]> {
  const all = reader.selectFrom('accounts').select('id').orderBy('id').limit(accountsPerSlice);
  const rows = await (after === null ? all : all.where('id', '>', after)).execute();
  return rows.map(({ id }) => id);
}

async function hasOlder(db: Db, account: IdBytes, bound: IdBytes): Promise<boolean> {
  const oldest = selectRows(db, 'audit_log', { account_id: account }).select('id').orderBy('id').limit(1);
  const row = await oldest.executeTakeFirst();
  return row !== undefined && Buffer.compare(row.id, bound) < 0;
}

async function hasMore(db: Db, account: IdBytes, most: number): Promise<boolean> {
  const newest = selectRows(db, 'audit_log', { account_id: account }).select('id').orderBy('id', 'desc');
  return (await newest.offset(most).limit(1).executeTakeFirst()) !== undefined;
}

async function removeOldest(tx: Db, account: IdBytes, bound: IdBytes): Promise<number> {
  const old = selectRows(tx, 'audit_log', { account_id: account }).where('id', '<', bound);
  return removeRows(tx, account, await old.select('id').orderBy('id').limit(rowsPerSlice).execute());
}

/** Removes the oldest entries of the actor with the most, and adds an entry that says how many of which operation. */
async function removeExcess(tx: Db, account: IdBytes, now: number): Promise<number> {
  const all = selectRows(tx, 'audit_log', { account_id: account });
  const [actor] = await all
    .select(['actor_kind', 'actor_id', (row) => row.fn.countAll<number>().as('entries')])
    .groupBy(['actor_kind', 'actor_id'])
    .orderBy('entries', 'desc')
    .limit(1)
    .execute();
  if (actor === undefined) return 0;
  const { actor_kind, actor_id } = actor;
  const own = selectRows(tx, 'audit_log', { account_id: account, actor_kind, actor_id });
  const rows = await own.select(['id', 'operation', 'actor_name']).orderBy('id').limit(rowsPerSlice).execute();
  const counts = Map.groupBy(rows, ({ operation }) => operation);
  const change: ResourceChange = {
    resource: 'audit-log',
    id: actor.actor_id ?? actor.actor_kind,
    name: rows[0]?.actor_name ?? actor.actor_kind,
    action: 'deleted',
    fields: [...counts].map(([path, removed]) => ({ path, from: removed.length })),
  };
  const by = { actor: { kind: 'command', id: null, name: 'retention' }, operation: 'retention' } as const;
  const acting = { ...by, accountId: null, address: null, requestId: null };
  await insertRows(tx, 'audit_log', entryRow(idText(account), acting, [{ change }], rows.length, now));
  return removeRows(tx, account, rows);
}

async function removeRows(tx: Db, account: IdBytes, rows: readonly { readonly id: IdBytes }[]): Promise<number> {
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await tx.deleteFrom('audit_log').where('account_id', '=', account).where('id', 'in', ids).execute();
  return rows.length;
}

function entryOf(row: Selectable<AuditLogTable>): AuditEntry {
  return {
    id: idText(row.id),
    at: row.at,
    // Only this program writes the columns.
    actor: { kind: row.actor_kind as ActorKind, id: row.actor_id, name: row.actor_name },
    address: row.address,
    requestId: row.request_id,
    operation: row.operation,
    via: row.via as AuditEntry['via'],
    resource: row.resource as AuditedResource | null,
    resourceId: row.resource_id,
    resourceName: row.resource_name,
    changes: parsed<ResourceChange[]>(row.changes),
    count: row.count,
  };
}
