// Incidents of status pages and their updates.
import {
  isToSettle,
  type IncidentUpdate,
  lengthOf,
  longestIncident,
  mostUpdates,
  resolvedAtOf,
  settledAt,
  type StatusIncident,
} from '#domain/status-pages/status-incident.ts';
import { isUuid } from '#lib/id.ts';
import { flag, idBytes, idText, json, parsed } from '../base/codec.ts';
import { type Database, ownedBy, touchAccount } from '../base/database.ts';
import { deleteRows, findRow, findRows, insertRows, replaceRows, selectRows, updateRows } from '../base/rows.ts';
import { requireWithinLimit, waitForOthers } from '../base/account-limits.ts';
import type { Db } from '../base/tables/schema.ts';
import type { StatusIncidentsTable, StatusIncidentUpdatesTable } from '../base/tables/status-page-tables.ts';

/** Fields of an incident that a change sets; the rest follows from its updates. */
export type IncidentWrite = Pick<
  StatusIncident,
  | 'name'
  | 'severity'
  | 'serviceIds'
  | 'isDraft'
  | 'publishAt'
  | 'startedAt'
  | 'proposedFor'
  | 'automaticUpdates'
  | 'postmortem'
>;

/** A new incident with its first updates. */
export interface NewIncident extends IncidentWrite, Pick<StatusIncident, 'accountId' | 'id'> {
  readonly updates: readonly IncidentUpdate[];
}

/** Which incidents of a list. */
export interface IncidentFilter {
  readonly isDraft?: boolean;
  readonly isOpen?: boolean;
}

/** What a proposal writes: a new incident, or a changed one with an update that it did not have. */
export type ProposedWrite =
  | { readonly added: NewIncident }
  | { readonly incident: StatusIncident; readonly update: IncidentUpdate | null };

export function createStatusIncidents(database: Database) {
  const { reader, transaction, clock } = database;
  return {
    /** Newest first, those after `after`, an ID; null = from the first. */
    async list(
      accountId: string,
      { isDraft, isOpen }: IncidentFilter,
      after: string | null,
      max: number,
    ): Promise<StatusIncident[]> {
      let query = selectRows(reader, 'status_incidents', ownedBy(accountId)).selectAll();
      if (isDraft !== undefined) query = query.where('is_draft', '=', flag(isDraft));
      if (isOpen !== undefined) query = query.where('resolved_at', isOpen ? 'is' : 'is not', null);
      if (after !== null) query = query.where('id', '<', idBytes(after));
      return withUpdates(reader, accountId, await query.orderBy('id', 'desc').limit(max).execute());
    },
    /** Number of drafts of open incidents, counted up to `max`. */
    countDrafts: (accountId: string, max: number): Promise<number> => countDrafts(reader, accountId, max),
    /** Published ones that began after `since` (epoch ms) or are open, newest first, at most `max`. */
    async published(accountId: string, since: number, max: number): Promise<StatusIncident[]> {
      const rows = await selectRows(reader, 'status_incidents', { ...ownedBy(accountId), is_draft: 0 })
        .selectAll()
        .where((where) => where.or([where('started_at', '>=', since), where('resolved_at', 'is', null)]))
        .orderBy('started_at', 'desc')
        .limit(max)
        .execute();
      return withUpdates(reader, accountId, rows);
    },
    /** Open ones, drafts included. */
    async open(accountId: string): Promise<StatusIncident[]> {
      const rows = await findRows(reader, 'status_incidents', { ...ownedBy(accountId), resolved_at: null });
      return withUpdates(reader, accountId, rows);
    },
    /** Open ones, drafts included, and those resolved at or after `since`, epoch ms. */
    recent: (accountId: string, since: number) => readRecent(reader, accountId, since),
    /**
     * Decides on recent incidents, and writes in the same transaction, so that two processes write once.
     * @returns whether something was written
     * @throws LimitReachedError
     */
    propose: (accountId: string, since: number, decide: (recent: readonly StatusIncident[]) => ProposedWrite | null) =>
      transaction((tx) => propose(database, tx, accountId, since, decide)),
    find: (accountId: string, id: string) => findIncident(reader, accountId, id),
    add: (incident: NewIncident): Promise<StatusIncident> =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, incident.accountId, 'statusIncidents');
        return addIncident(tx, clock.now(), incident);
      }),
    /** Reads, edits and writes in one transaction; `edit` may throw. null = unknown incident. */
    change: (accountId: string, id: string, edit: (present: StatusIncident) => IncidentWrite) =>
      transaction((tx) => changeIncident(tx, clock.now(), { accountId, id }, edit)),
    /** Publishes a draft whose time has come, and resolves or reopens an incident whose scheduled updates say so. */
    settle: (accountId: string, id: string): Promise<void> =>
      transaction(async (tx) => {
        const present = await findIncident(tx, accountId, id);
        const now = clock.now();
        if (present !== null && isToSettle(present, now)) await save(tx, now, settledAt(present, now));
      }),
    /** Adds an update, or replaces the one with its ID. null = unknown incident, 'full' = it has the most updates. */
    saveUpdate: (accountId: string, id: string, update: IncidentUpdate): Promise<StatusIncident | 'full' | null> =>
      transaction((tx) => saveUpdate(tx, clock.now(), { accountId, id }, update)),
    /** null = unknown incident or update; 'last' = it has no other. */
    removeUpdate: (accountId: string, id: string, updateId: string): Promise<StatusIncident | 'last' | null> =>
      transaction((tx) => removeUpdate(tx, clock.now(), { accountId, id }, updateId)),
    /** false = unknown incident. */
    remove: (accountId: string, id: string): Promise<boolean> =>
      transaction(async (tx) => {
        if (!isUuid(id)) return false;
        const removed = await deleteRows(tx, 'status_incidents', { ...ownedBy(accountId), id: idBytes(id) });
        await deleteRows(tx, 'status_incident_updates', { ...ownedBy(accountId), incident_id: idBytes(id) });
        if (removed > 0) await touchAccount(tx, accountId);
        return removed > 0;
      }),
  };
}

async function countDrafts(db: Db, accountId: string, max: number): Promise<number> {
  const drafts = selectRows(db, 'status_incidents', { ...ownedBy(accountId), is_draft: 1, resolved_at: null });
  const { count } = await db
    .selectFrom(drafts.select('id').limit(max).as('drafts'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

async function propose(
  database: Database,
  tx: Db,
  accountId: string,
  since: number,
  decide: (recent: readonly StatusIncident[]) => ProposedWrite | null,
): Promise<boolean> {
  await waitForOthers(tx, accountId);
  const write = decide(await readRecent(tx, accountId, since));
  if (write === null) return false;
  const now = database.clock.now();
  if ('added' in write) {
    await requireWithinLimit(database, tx, accountId, 'statusIncidents');
    await addIncident(tx, now, write.added);
    return true;
  }
  const { incident, update } = write;
  if (update !== null) await insertRows(tx, 'status_incident_updates', updateRowOf(incident, update));
  await save(tx, now, incident);
  return true;
}

async function readRecent(db: Db, accountId: string, since: number): Promise<StatusIncident[]> {
  const rows = await selectRows(db, 'status_incidents', ownedBy(accountId))
    .selectAll()
    .where((where) => where.or([where('resolved_at', 'is', null), where('resolved_at', '>=', since)]))
    .execute();
  return withUpdates(db, accountId, rows);
}

export async function findIncident(db: Db, accountId: string, id: string): Promise<StatusIncident | null> {
  if (!isUuid(id)) return null;
  const row = await findRow(db, 'status_incidents', { ...ownedBy(accountId), id: idBytes(id) });
  return row === undefined ? null : ((await withUpdates(db, accountId, [row]))[0] ?? null);
}

/** Adds an incident that has its ID. @param now epoch ms */
export async function addIncident(tx: Db, now: number, added: NewIncident): Promise<StatusIncident> {
  const incident = settled({ ...added, resolvedAt: null, publishedAt: null, createdAt: now, updatedAt: null }, now);
  await insertRows(tx, 'status_incidents', rowOf(incident));
  await insertRows(
    tx,
    'status_incident_updates',
    incident.updates.map((update) => updateRowOf(incident, update)),
  );
  await touchAccount(tx, incident.accountId);
  return incident;
}

/** Reads, edits and writes; null = unknown incident. @param now epoch ms */
export async function changeIncident(
  tx: Db,
  now: number,
  { accountId, id }: Pick<StatusIncident, 'accountId' | 'id'>,
  edit: (present: StatusIncident) => IncidentWrite,
): Promise<StatusIncident | null> {
  const present = await findIncident(tx, accountId, id);
  return present === null ? null : save(tx, now, { ...present, ...edit(present) });
}

/** Adds an update, or replaces the one with its ID. @param now epoch ms */
export async function saveUpdate(
  tx: Db,
  now: number,
  { accountId, id }: Pick<StatusIncident, 'accountId' | 'id'>,
  update: IncidentUpdate,
): Promise<StatusIncident | 'full' | null> {
  const present = await findIncident(tx, accountId, id);
  if (present === null) return null;
  const others = present.updates.filter((each) => each.id !== update.id);
  const isLong = lengthOf({ ...present, updates: [...others, update] }) > longestIncident;
  if (others.length >= mostUpdates || isLong) return 'full';
  await replaceRows(tx, 'status_incident_updates', ['account_id', 'incident_id', 'id'], [updateRowOf(present, update)]);
  return save(tx, now, { ...present, updates: [...others, update] });
}

async function removeUpdate(
  tx: Db,
  now: number,
  { accountId, id }: Pick<StatusIncident, 'accountId' | 'id'>,
  updateId: string,
): Promise<StatusIncident | 'last' | null> {
  const present = await findIncident(tx, accountId, id);
  if (present === null || !present.updates.some((each) => each.id === updateId)) return null;
  if (present.updates.length === 1) return 'last';
  const key = { ...ownedBy(accountId), incident_id: idBytes(id), id: idBytes(updateId) };
  await deleteRows(tx, 'status_incident_updates', key);
  return save(tx, now, { ...present, updates: present.updates.filter((each) => each.id !== updateId) });
}

async function save(tx: Db, now: number, changed: StatusIncident): Promise<StatusIncident> {
  const incident = settled({ ...changed, updatedAt: now }, now);
  const { account_id, id, created_at, ...values } = rowOf(incident);
  await updateRows(tx, 'status_incidents', { account_id, id, created_at }, values);
  await touchAccount(tx, incident.accountId);
  return incident;
}

/** The incident with what follows from its updates and from being published. */
function settled(incident: StatusIncident, now: number): StatusIncident {
  const { isDraft, publishedAt } = incident;
  const updates = [...incident.updates].sort((one, other) => one.publicAt - other.publicAt);
  // A scheduled update counts once it is public; the publisher then settles the incident.
  const resolvedAt = resolvedAtOf({ updates }, now);
  return { ...incident, updates, resolvedAt, publishedAt: isDraft ? null : (publishedAt ?? now) };
}

async function withUpdates(
  db: Db,
  accountId: string,
  rows: readonly StatusIncidentsTable[],
): Promise<StatusIncident[]> {
  const key = { ...ownedBy(accountId), incident_id: rows.map(({ id }) => id) };
  const updates = await findRows(db, 'status_incident_updates', key, '*', ['public_at', 'id']);
  const byIncident = Map.groupBy(updates, ({ incident_id }) => idText(incident_id));
  return rows.map((row) => incidentOf(row, byIncident.get(idText(row.id)) ?? []));
}

function rowOf({
  accountId,
  id,
  name,
  isDraft,
  publishAt,
  startedAt,
  resolvedAt,
  publishedAt,
  ...rest
}: StatusIncident) {
  const { createdAt, updatedAt, severity, serviceIds, proposedFor, automaticUpdates, postmortem } = rest;
  return {
    account_id: idBytes(accountId),
    id: idBytes(id),
    name,
    is_draft: flag(isDraft),
    publish_at: isDraft ? publishAt : null,
    started_at: startedAt,
    resolved_at: resolvedAt,
    published_at: publishedAt,
    definition: json({ severity, serviceIds, proposedFor, automaticUpdates, postmortem }),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

function updateRowOf({ accountId, id: incidentId }: Pick<StatusIncident, 'accountId' | 'id'>, update: IncidentUpdate) {
  const { id, status, description, notifySubscribers, publicAt, createdAt } = update;
  return {
    account_id: idBytes(accountId),
    incident_id: idBytes(incidentId),
    id: idBytes(id),
    status,
    description,
    notify_subscribers: flag(notifySubscribers),
    public_at: publicAt,
    created_at: createdAt,
  };
}

function incidentOf(row: StatusIncidentsTable, updates: readonly StatusIncidentUpdatesTable[]): StatusIncident {
  return {
    ...parsed<Pick<StatusIncident, 'severity' | 'serviceIds' | 'proposedFor' | 'automaticUpdates' | 'postmortem'>>(
      row.definition,
    ),
    accountId: idText(row.account_id),
    id: idText(row.id),
    name: row.name,
    isDraft: row.is_draft === 1,
    publishAt: row.publish_at,
    startedAt: row.started_at,
    resolvedAt: row.resolved_at,
    publishedAt: row.published_at,
    updates: updates.map((each) => ({
      id: idText(each.id),
      status: each.status,
      description: each.description,
      notifySubscribers: each.notify_subscribers === 1,
      publicAt: each.public_at,
      createdAt: each.created_at,
    })),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
