// Check sessions: starts the runs of stored checks in one transaction, and remembers which ones.
import { type CheckSession, checkSessionMs, checkSessionsKept } from '#domain/sessions/check-session.ts';
import { newId } from '#lib/id.ts';
import { idBytes, idText, json, parsed } from '../base/codec.ts';
import { type Database, lockAccount, ownedBy } from '../base/database.ts';
import { deleteRows, findRow, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { CheckSessionsTable } from '../base/tables/session-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import { insertBatch, planBatch, refusalOf, type TriggerOrder, type TriggerStart } from '../checks/start-trigger.ts';

/** Checks to start. Times are epoch ms. */
export interface CheckSessionOrder extends Pick<TriggerOrder, 'accountId' | 'servedLocations' | 'now'> {
  readonly checkIds: readonly string[];
}

/** `sessions` in the order in which the checks were created; without deactivated and heartbeat checks. */
export type CheckSessionStart =
  | { readonly outcome: 'started'; readonly sessions: readonly CheckSession[] }
  | Extract<TriggerStart, { readonly outcome: 'over-limit' | 'queue-full' }>;

/** Old sessions that one transaction deletes. */
const sessionsAtOnce = 500;

/** Sessions of checks. */
export function createCheckSessions({ reader, transaction, clock }: Database) {
  const keyOf = (accountId: string, id: string) => ({ account_id: idBytes(accountId), id: idBytes(id) });
  return {
    start: (order: CheckSessionOrder): Promise<CheckSessionStart> => transaction((tx) => startSessions(tx, order)),
    async find(accountId: string, id: string): Promise<CheckSession | null> {
      const row = await findRow(reader, 'check_sessions', keyOf(accountId, id));
      return row === undefined ? null : sessionOf(row);
    },
    /** Its runs continue. Returns false for an unknown ID. */
    cancel: (accountId: string, id: string): Promise<boolean> =>
      transaction(async (tx) => {
        const changed = await updateRows(tx, 'check_sessions', keyOf(accountId, id), { cancelled_at: clock.now() });
        return changed > 0;
      }),
    /** Deletes sessions of all accounts after 30 days; returns their number. */
    removeOld: (now: number): Promise<number> =>
      transaction(async (tx) => {
        const old = await tx
          .selectFrom('check_sessions')
          .select(['account_id', 'id'])
          .where('created_at', '<', now - checkSessionMs)
          .limit(sessionsAtOnce)
          .execute();
        for (const { account_id, id } of old) await deleteRows(tx, 'check_sessions', { account_id, id });
        return old.length;
      }),
  };
}

async function startSessions(tx: Db, order: CheckSessionOrder): Promise<CheckSessionStart> {
  const { accountId, now } = order;
  await lockAccount(tx, accountId);
  const batch = await planBatch(tx, order, { id: order.checkIds.map(idBytes) });
  const refused = await refusalOf(tx, order, batch.runs.length);
  if (refused !== null) return refused;
  await insertBatch(tx, order, batch.runs);
  const sessions = batch.checks.map(({ checkId, checkType, name, runIds, locations }) => ({
    accountId,
    id: newId(),
    checkId,
    checkType,
    name,
    batchId: batch.id,
    runs: runIds.map((id, index) => ({ id, location: locations[index] ?? '' })),
    createdAt: now,
    cancelledAt: null,
  }));
  await makeRoom(tx, accountId, sessions.length);
  for (const { id, checkId, checkType, name, batchId, runs } of sessions) {
    await insertRows(tx, 'check_sessions', {
      ...ownedBy(accountId),
      id: idBytes(id),
      check_id: idBytes(checkId),
      check_type: checkType,
      name,
      batch_id: idBytes(batchId),
      runs: json(runs),
      created_at: now,
      cancelled_at: null,
    });
  }
  return { outcome: 'started', sessions };
}

/** Deletes the oldest sessions of an account that are too many with the new ones; their results stay. */
async function makeRoom(tx: Db, accountId: string, added: number): Promise<void> {
  const account = idBytes(accountId);
  const surplus = await selectRows(tx, 'check_sessions', { account_id: account })
    .select('id')
    .orderBy('id', 'desc')
    .limit(sessionsAtOnce)
    .offset(Math.max(0, checkSessionsKept - added))
    .execute();
  await deleteRows(tx, 'check_sessions', { account_id: account, id: surplus.map(({ id }) => id) });
}

function sessionOf(row: CheckSessionsTable): CheckSession {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    checkId: idText(row.check_id),
    checkType: row.check_type,
    name: row.name,
    batchId: idText(row.batch_id),
    runs: parsed(row.runs),
    createdAt: row.created_at,
    cancelledAt: row.cancelled_at,
  };
}
