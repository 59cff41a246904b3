// Changes of status pages that subscribers and channels are notified of, each noted once.
import {
  type ChangeProgress,
  combinedProgress,
  gatheredMs,
  knownUntil,
  type NoticedChange,
  type OpenMaintenance,
  type PageChange,
} from '#domain/status-pages/page-changes.ts';
import { newId } from '#lib/id.ts';
import { type IdBytes, idBytes, idText, json, parsed } from '../base/codec.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { findRows, insertRows, selectRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';
import type { StatusPageChangesTable } from '../base/tables/status-page-tables.ts';

/**
 * Rows that are deleted per statement, and their retention, ms: longer than pages show an incident, because a change
 * without a row is sent.
 */
const removedAtOnce = 400;
const keptMs = 400 * 86_400_000;

export function createPageChanges(database: Database) {
  const { reader, transaction } = database;
  return {
    /** What was noticed of maintenance that is not over. @param now epoch ms */
    async openMaintenance(accountId: string, now: number): Promise<OpenMaintenance[]> {
      const rows = await selectRows(reader, 'status_page_changes', ownedBy(accountId))
        .select(['page_id', 'content'])
        .where('known_until', '>', now)
        .orderBy('id')
        .execute();
      return rows.flatMap(({ page_id: pageId, content }) => {
        const change = parsed<PageChange>(content);
        if (change.kind !== 'maintenance') return [];
        return [{ pageId: idText(pageId), event: change.event, occurrence: change.occurrence }];
      });
    },
    /** Those of the subjects that were not noticed yet. */
    async newOf(accountId: string, pageId: string, subjects: readonly string[]): Promise<Set<string>> {
      const key = { ...ownedBy(accountId), page_id: idBytes(pageId), subject: subjects };
      const known = await findRows(reader, 'status_page_changes', key, ['subject']);
      const old = new Set(known.map(({ subject }) => subject));
      return new Set(subjects.filter((subject) => !old.has(subject)));
    },
    /** Notes each change once. Changes without recipients end immediately. @param now epoch ms */
    note: (
      page: { readonly accountId: string; readonly pageId: string },
      changes: readonly NoticedChange[],
      isTold: boolean,
      now: number,
    ): Promise<void> => transaction((tx) => note(tx, page, changes, isTold, now)),
    /** How far the notifications of updates are, by update ID. */
    progress: (accountId: string, updateIds: readonly string[]) => readProgress(reader, accountId, updateIds),
    /** Removes old changes. Returns their number. @param now epoch ms */
    removeOld: (now: number): Promise<number> => transaction((tx) => removeOld(tx, now)),
  };
}

async function note(
  tx: Db,
  { accountId, pageId }: { readonly accountId: string; readonly pageId: string },
  changes: readonly NoticedChange[],
  isTold: boolean,
  now: number,
): Promise<void> {
  const key = { ...ownedBy(accountId), page_id: idBytes(pageId) };
  const gathering = await selectRows(tx, 'status_page_changes', { ...key, ended_at: null, begun_at: null })
    .select('due_at')
    .where('due_at', '>', now)
    .where('due_at', '<=', now + gatheredMs)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  const dueAt = gathering?.due_at ?? now + gatheredMs;
  const rows = changes.map(({ subject, change }) => ({
    ...key,
    id: idBytes(newId()),
    subject,
    content: json(change),
    known_until: change.kind === 'maintenance' ? knownUntil(change.occurrence) : null,
    due_at: dueAt,
    begun_at: null,
    progress: null,
    notified: 0,
    subscribers: 0,
    ended_at: isTold ? null : now,
    created_at: now,
  }));
  await insertRows(tx, 'status_page_changes', rows, 'keep');
}

async function readProgress(
  db: Db,
  accountId: string,
  updateIds: readonly string[],
): Promise<Map<string, ChangeProgress>> {
  const subjects = new Map(updateIds.map((id) => [`update ${id}`, id]));
  const key = { ...ownedBy(accountId), subject: [...subjects.keys()] };
  const rows = await findRows(db, 'status_page_changes', key, '*', ['id']);
  const found = new Map<string, ChangeProgress[]>();
  for (const row of rows) {
    const id = subjects.get(row.subject) ?? '';
    const { notified, subscribers } = row;
    const one = { status: statusOf(row), dueAt: row.due_at, notified, subscribers };
    found.set(id, [...(found.get(id) ?? []), one]);
  }
  return new Map(
    [...found].flatMap(([id, pages]) => {
      const combined = combinedProgress(pages);
      return combined === null ? [] : [[id, combined] as const];
    }),
  );
}

function statusOf({ begun_at: begunAt, ended_at: endedAt }: StatusPageChangesTable): ChangeProgress['status'] {
  if (begunAt === null) return endedAt === null ? 'DUE' : 'WITHDRAWN';
  return endedAt === null ? 'SENDING' : 'SENT';
}

async function removeOld(tx: Db, now: number): Promise<number> {
  const old = await tx
    .selectFrom('status_page_changes')
    .select(['account_id', 'page_id', 'id'])
    .where('created_at', '<', now - keptMs)
    .where((row) => row.or([row('known_until', 'is', null), row('known_until', '<', now)]))
    .orderBy('created_at')
    .limit(removedAtOnce)
    .execute();
  const byPage = Map.groupBy(old, ({ account_id: account, page_id: page }) => `${idText(account)}/${idText(page)}`);
  for (const rows of byPage.values()) {
    const [first] = rows;
    if (first === undefined) continue;
    await tx
      .deleteFrom('status_page_changes')
      .where('account_id', '=', first.account_id)
      .where('page_id', '=', first.page_id)
      .where(
        'id',
        'in',
        rows.map(({ id }): IdBytes => id),
      )
      .execute();
  }
  return old.length;
}
