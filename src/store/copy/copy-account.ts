// Copies an account from one installation to another while both are stopped (docs/decisions/0045).
import { sql } from 'kysely';
import { hourMs, hourOf } from '#domain/results/roll-up.ts';
import { readProgress } from '../roll-ups/roll-up-progress.ts';
import { dueAtOf, inStep } from '../schedules/schedule-rounds.ts';
import { addToKey } from '../accounts/accounts.ts';
import { type IdBytes, idText } from '../base/codec.ts';
import { deleteRows, findRow, findRows, insertRows, updateRows } from '../base/rows.ts';
import type { ApiKeysTable } from '../base/tables/installation-tables.ts';
import type { ScheduleRoundsTable } from '../base/tables/schedule-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';
import { forgetCopy, refuseUsed } from './copy-installation.ts';
import { CopyError, copyTable, type TableListener, type VerifiedTable, verifyTables } from './copy-table.ts';
import { createReadable, createReseal } from './reseal.ts';
import { findFact, writeFact } from '../base/installation-fact.ts';
import type { Side } from './side.ts';
import { countSlice, deleteFromSlice, isOfAccounts, type Slice, type TableShape } from './table.ts';
import { copyingFact } from '../base/unfinished.ts';

/** The account to copy, and the encryption of both installations. */
export interface AccountOrder {
  readonly accountId: string;
  /** The ID as stored. */
  readonly id: IdBytes;
  readonly fromSeal: Seal;
  readonly toSeal: Seal;
}

/** Progress of an unfinished copy, stored in both databases: neither starts until the copy is finished. */
interface Progress {
  readonly account: string;
  readonly from: string;
  readonly to: string;
  /** Whether the target is complete and only the removal from the source remains. */
  readonly isVerified: boolean;
}

/** Rows removed per transaction. */
const rowsPerBatch = 2000;
/** Hours that the target rolls up again for the account: both installations may have stopped within one. */
const hoursAgain = 48;

/**
 * Copies an account, verifies the copy, and removes the account from the source. Repeat the call if it was interrupted.
 * @throws {CopyError} if a database is in use, the account is missing or exists in the target, or the copies differ
 */
export async function copyAccount(
  from: Side,
  to: Side,
  order: AccountOrder,
  listener: TableListener,
): Promise<VerifiedTable[]> {
  await refuseUsed(from);
  await refuseUsed(to);
  const present = { account: order.accountId, from: from.shown, to: to.shown, isVerified: false };
  const earlier = await earlierCopy(from, to, present);
  let verified: VerifiedTable[] = [];
  if (earlier?.isVerified !== true) {
    await requireCopyable(from, to, order, earlier !== null);
    await note(from, present);
    await note(to, present);
    verified = await copyRows(from, to, order, listener);
    await note(to, { ...present, isVerified: true });
  }
  await removeAccount(from, order.id, listener);
  await forgetCopy(from);
  await forgetCopy(to);
  return verified;
}

/** The same copy, interrupted earlier; null = none. */
async function earlierCopy(from: Side, to: Side, { account }: Progress): Promise<Progress | null> {
  let found: Progress | null = null;
  for (const side of [from, to]) {
    const text = await findFact(side.reader, copyingFact);
    if (text === null) continue;
    const progress = JSON.parse(text) as Partial<Progress>;
    if (progress.account !== account || progress.from !== from.shown || progress.to !== to.shown) {
      throw new CopyError(`another copy of ${side.shown} was not finished. Finish that one first.`);
    }
    found = progress as Progress;
  }
  return found;
}

async function requireCopyable(from: Side, to: Side, { id, accountId }: AccountOrder, isAgain: boolean): Promise<void> {
  if (!(await hasAccount(from, id))) throw new CopyError(`the account ${accountId} does not exist in ${from.shown}`);
  if (!isAgain && (await hasAccount(to, id))) throw new CopyError(`${to.shown} already has the account ${accountId}`);
  const now = hourOf(await from.now());
  const rolledUpTo = readProgress(await findFact(from.reader, 'rolled-up'))?.hourAt;
  const hoursBehind = (now - (rolledUpTo ?? (await oldestResult(from, id)) ?? now)) / hourMs;
  if (hoursBehind > hoursAgain) {
    throw new CopyError(
      `roll-ups of ${from.shown} are ${hoursBehind} hours behind, at most ${hoursAgain} are possible. Start it with the ` +
        'role upkeep until tocsin_roll_up_delay_seconds is small.',
    );
  }
}

async function hasAccount({ reader }: Side, id: IdBytes): Promise<boolean> {
  return (await findRow(reader, 'accounts', { id }, ['id'])) !== undefined;
}

/** Hour of the account's oldest result, epoch ms; null = none. */
async function oldestResult({ reader }: Side, id: IdBytes): Promise<number | null> {
  const results = reader.selectFrom('results').where('account_id', '=', id);
  const row = await results.select(({ fn }) => fn.min<number | null>('started_at').as('at')).executeTakeFirst();
  return row === undefined || row.at === null ? null : hourOf(row.at);
}

async function copyRows(
  from: Side,
  to: Side,
  { id, fromSeal, toSeal }: AccountOrder,
  listener: TableListener,
): Promise<VerifiedTable[]> {
  const convert = createReseal(fromSeal, toSeal);
  const tables = from.tables.filter(isOfAccounts);
  for (const table of tables) await removeRows(to, table, id);
  for (const table of tables) await copyTable(from, to, table, sliceOf(table, id), listener, { convert });
  const verified = await verifyTables(
    { side: from, readable: createReadable(fromSeal) },
    { side: to, readable: createReadable(toSeal) },
    tables,
    (table) => sliceOf(table, id),
    listener,
    ({ name }, there, here) =>
      new CopyError(
        `${name} differs: ${there.rows} rows in ${from.shown}, ${here.rows} in ${to.shown}. Run the command again.`,
      ),
  );
  const keys = await from.reader
    .selectFrom('api_keys')
    .innerJoin('api_key_accounts', 'api_key_id', 'id')
    .where('account_id', '=', id)
    .selectAll('api_keys')
    .execute();
  const rounds = await findRows(from.reader, 'schedule_rounds', {});
  const now = await to.now();
  await to.transaction(async (tx) => {
    for (const key of keys) await admitKey(tx, key, id);
    await takeOutOfStep(tx, id, rounds);
    await markHours(tx, id, now);
  });
  await to.settle(tables);
  return verified;
}

function sliceOf({ name }: TableShape, id: IdBytes): Slice {
  return name === 'accounts' ? { id } : { account_id: id };
}

/** A key keeps its role for the account, but never operates the target. A key that exists there gains the account. */
async function admitKey(tx: Db, key: ApiKeysTable, accountId: IdBytes): Promise<void> {
  const known = await findRow(tx, 'api_keys', { hash: key.hash }, ['id']);
  if (known === undefined) await insertRows(tx, 'api_keys', { ...key, is_operator: null });
  const reach = { api_key_id: (known ?? key).id, account_id: accountId };
  if ((await findRow(tx, 'api_key_accounts', reach)) !== undefined) return;
  await addToKey(tx, idText(reach.api_key_id), idText(accountId));
}

/** Rounds belong to an installation: schedules in step get an individual due time from their round in the source. */
async function takeOutOfStep(tx: Db, accountId: IdBytes, rounds: readonly ScheduleRoundsTable[]): Promise<void> {
  for (const row of await findRows(tx, 'schedules', { account_id: accountId, next_due_at: inStep })) {
    const round = rounds.find(({ interval_ms }) => interval_ms === row.interval_ms);
    const next_due_at = dueAtOf(row, round);
    await updateRows(tx, 'schedules', { account_id: accountId, check_id: row.check_id }, { next_due_at });
  }
}

/** The target rolls the last days up again, which its own progress has passed. */
async function markHours(tx: Db, accountId: IdBytes, now: number): Promise<void> {
  for (let startAt = hourOf(now) - hoursAgain * hourMs; startAt <= hourOf(now); startAt += hourMs) {
    await sql`INSERT INTO late_hours (account_id, check_id, start_at, touched)
      SELECT account_id, id, ${sql.lit(startAt)}, 1 FROM checks WHERE account_id = ${accountId}
      ON CONFLICT (account_id, check_id, start_at) DO UPDATE SET touched = late_hours.touched + 1`.execute(tx);
  }
}

async function removeAccount(from: Side, id: IdBytes, listener: TableListener): Promise<void> {
  for (const table of from.tables.filter(isOfAccounts)) {
    const rows = await countSlice(from.reader, table, sliceOf(table, id));
    if (rows > 0) listener.onTable('remove', table.name, rows);
    await removeRows(from, table, id, listener);
  }
  await from.transaction(async (tx) => {
    const reach = tx.selectFrom('api_key_accounts').select('api_key_id');
    // Keys with access to other accounts, or that operate the source, are kept.
    await tx
      .deleteFrom('api_keys')
      .where('is_operator', 'is', null)
      .where('id', 'in', reach.where('account_id', '=', id))
      .where('id', 'not in', reach.where('account_id', '<>', id))
      .execute();
    for (const table of ['api_key_accounts', 'invites', 'memberships'] as const) {
      await deleteRows(tx, table, { account_id: id });
    }
    // As when a person is removed from their last account.
    const members = tx.selectFrom('memberships').select('user_id');
    await tx.deleteFrom('sessions').where('user_id', 'not in', members).execute();
    await tx.deleteFrom('identities').where('user_id', 'not in', members).execute();
    await tx.deleteFrom('users').where('id', 'not in', members).execute();
  });
}

async function removeRows(side: Side, table: TableShape, id: IdBytes, listener?: TableListener): Promise<void> {
  const slice = sliceOf(table, id);
  if ((await countSlice(side.reader, table, slice)) === 0) return;
  for (let removed = rowsPerBatch; removed === rowsPerBatch;) {
    removed = await side.transaction((tx) => deleteFromSlice(tx, table, slice, rowsPerBatch));
    listener?.onRows(removed);
  }
}

function note(side: Side, progress: Progress): Promise<void> {
  return side.transaction((tx) => writeFact(tx, copyingFact, JSON.stringify(progress)));
}
