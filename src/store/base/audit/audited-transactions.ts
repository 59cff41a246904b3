// Transactions of requests and commands that write their entries in the audit log before they commit.
import { type Acting, type Actor, boundedChanges } from '#domain/accounts/audit-entry.ts';
import { newIdAt } from '#lib/id.ts';
import { idBytes, idText, json } from '../codec.ts';
import type { Database } from '../database.ts';
import type { AuditLogTable } from '../tables/audit-tables.ts';
import type { Seal } from '../seal.ts';
import type { Db } from '../tables/schema.ts';
import { currentActing } from './acting.ts';
import { type Note, recorded, type Recorder } from './recorder.ts';

type Transaction = Database['transaction'];

/** Accounts of a person that get an entry for what the person does to itself, such as signing in. */
const maxAccounts = 20;

/** The same transactions, with entries for what requests and commands change in them. */
export function auditedTransactions(transaction: Transaction, { seal, clock }: Pick<Database, 'seal' | 'clock'>) {
  const audited: Transaction = async (work) => {
    // The queue of writes runs the work in the context of the first caller.
    const acting = currentActing();
    if (acting === undefined) return transaction(work);
    let added = 0;
    const answer = await transaction((tx) =>
      withEntries(tx, { acting, seal, now: clock.now() }, work, (count) => {
        added = count;
      }),
    );
    if (added > 0) acting.onEntries?.(added);
    return answer;
  };
  return audited;
}

interface Recording {
  readonly acting: Acting;
  /** null = encrypted values are compared as they are. */
  readonly seal: Seal | null;
  /** Epoch ms. */
  readonly now: number;
}

/** Runs the work of a transaction, then adds the entries about it. */
export function withEntries<Answer>(
  tx: Db,
  { acting, seal, now }: Recording,
  work: (tx: Db) => Promise<Answer>,
  onAdded?: (count: number) => void,
): Promise<Answer> {
  return recorded(tx, seal, async (recorder) => {
    const answer = await work(tx);
    const count = await insertEntries(tx, acting, recorder, now);
    onAdded?.(count);
    return answer;
  });
}

/** Adds an entry to every account concerned; returns their number. */
async function insertEntries(tx: Db, acting: Acting, recorder: Recorder, now: number): Promise<number> {
  const { notes } = recorder;
  if (recorder.count() === 0) return 0;
  const actor = await namedActor(tx, acting, notes);
  const shared = notes.filter(({ account }) => account === null);
  const accounts = recorder.accounts.size > 0 ? [...recorder.accounts] : await accountsOf(tx, acting, notes);
  const rows = accounts.map((account) => {
    const own = shared.concat(notes.filter((note) => note.account === account));
    // Rows that no longer fit into the notes are of the account that was acted on.
    const more = recorder.count() - notes.length;
    return entryRow(account, { ...acting, actor }, own, own.length + more, now);
  });
  if (rows.length > 0) await tx.insertInto('audit_log').values(rows).execute();
  return rows.length;
}

/** The row of an entry. */
export function entryRow(
  account: string,
  { actor, operation, via, address, requestId }: Acting,
  notes: readonly Pick<Note, 'change'>[],
  count: number,
  now: number,
): AuditLogTable {
  const changes = notes.map(({ change }) => change);
  const main = changes[0];
  return {
    account_id: idBytes(account),
    id: idBytes(newIdAt(now)),
    at: now,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name?.slice(0, 320) ?? null,
    address,
    request_id: requestId?.slice(0, 200) ?? null,
    operation,
    via: via ?? null,
    resource: main?.resource ?? null,
    resource_id: main?.id ?? null,
    resource_name: main?.name ?? null,
    changes: json(boundedChanges(changes, (text) => Buffer.byteLength(text))),
    count,
  };
}

async function accountsOf(tx: Db, { accountId }: Acting, notes: readonly Note[]): Promise<string[]> {
  const users = new Set(notes.flatMap(({ userId }) => userId ?? []));
  const members = await tx
    .selectFrom('memberships')
    .select('account_id')
    .where('user_id', 'in', [...users, ''].map(idBytes))
    .limit(maxAccounts)
    .execute();
  const accounts = members.map((row) => idText(row.account_id));
  return accounts.length === 0 && accountId !== null ? [accountId] : accounts;
}

const keyNames = new Map<string, string>();
const maxNames = 1000;

/** The actor with a name; somebody who has just signed in is the person of the session. */
async function namedActor(tx: Db, { actor }: Acting, notes: readonly Note[]): Promise<Actor> {
  const { kind, id } = actor;
  if (kind === 'anonymous') {
    const userId = notes.find((note) => note.userId !== null)?.userId ?? null;
    if (userId === null) return actor;
    const user = await tx.selectFrom('users').select('email').where('id', '=', idBytes(userId)).executeTakeFirst();
    return { kind: 'user', id: userId, name: user?.email ?? null };
  }
  if (kind !== 'api-key' || id === null) return actor;
  const known = keyNames.get(id);
  if (known !== undefined) return { kind, id, name: known };
  const key = await tx
    .selectFrom('api_keys')
    .select(['name', 'prefix'])
    .where('id', '=', idBytes(id))
    .executeTakeFirst();
  if (key === undefined) return actor;
  const name = `${key.name} (${key.prefix}…)`;
  if (keyNames.size >= maxNames) keyNames.clear();
  keyNames.set(id, name);
  return { kind, id, name };
}
