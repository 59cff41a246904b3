// Copies an account from one installation to another while both are stopped (docs/decisions/0045).
import { hourMs, hourOf } from '#domain/results/roll-up.ts';
import { readProgress } from '../roll-ups/roll-up-progress.ts';
import { dueAtStatement, inStep } from '../schedules/schedule-rounds.ts';
import type { ScheduleRoundsTable } from '../base/tables/schedule-tables.ts';
import type { Seal } from '../base/seal.ts';
import { type CopyListener, CopyError, refuseUsed, type VerifiedTable } from './copy-installation.ts';
import { copyTable, countRows, sumOf } from './copy-table.ts';
import { createReadable, createReseal } from './reseal.ts';
import { isOfAccounts, type Row, type Slice, type TableShape } from './shape.ts';
import { readFact, type Side, tableOf, type Writing, writeFact } from './side.ts';
import { copyingFact } from '../base/unfinished.ts';

/** The account to copy, and the encryption of both installations. */
export interface AccountOrder {
  readonly accountId: string;
  /** The ID as stored. */
  readonly id: Uint8Array;
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

/** Rows per transaction. */
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
  listener: Pick<CopyListener, 'onTable' | 'onRows'>,
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
  await forget(from);
  await forget(to);
  return verified;
}

/** The same copy, interrupted earlier; null = none. */
async function earlierCopy(from: Side, to: Side, { account }: Progress): Promise<Progress | null> {
  let found: Progress | null = null;
  for (const side of [from, to]) {
    const text = await readFact(side, copyingFact);
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
  const hoursBehind = (now - ((await rolledUpTo(from)) ?? (await oldestResult(from, id)) ?? now)) / hourMs;
  if (hoursBehind > hoursAgain) {
    throw new CopyError(
      `roll-ups of ${from.shown} are ${hoursBehind} hours behind, at most ${hoursAgain} are possible. Start it with the ` +
        'role upkeep until tocsin_roll_up_delay_seconds is small.',
    );
  }
}

async function hasAccount(side: Side, id: Uint8Array): Promise<boolean> {
  return (await side.query('SELECT id FROM accounts WHERE id = ?', [id])).length > 0;
}

/** Hour before which everything is rolled up, epoch ms; null = nothing. */
async function rolledUpTo(side: Side): Promise<number | null> {
  return readProgress(await readFact(side, 'rolled-up'))?.hourAt ?? null;
}

/** Hour of the account's oldest result, epoch ms; null = none. */
async function oldestResult(side: Side, id: Uint8Array): Promise<number | null> {
  const [row] = await side.query('SELECT min(started_at) AS at FROM results WHERE account_id = ?', [id]);
  return row === undefined || row['at'] === null ? null : hourOf(Number(row['at']));
}

async function copyRows(
  from: Side,
  to: Side,
  { id, fromSeal, toSeal }: AccountOrder,
  listener: Pick<CopyListener, 'onTable' | 'onRows'>,
): Promise<VerifiedTable[]> {
  const convert = createReseal(fromSeal, toSeal);
  const tables = from.tables.filter(isOfAccounts);
  for (const table of tables) await removeRows(to, table, id);
  for (const table of tables) {
    const slice = sliceOf(table, id);
    listener.onTable('copy', table.name, await countRows(from, table, slice));
    await copyTable(from, to, tableOf(to, table.name), {
      slice,
      after: null,
      max: rowsPerBatch,
      convert,
      note: () => Promise.resolve(),
      onRows: (rows) => listener.onRows(rows),
    });
  }
  const verified: VerifiedTable[] = [];
  for (const table of tables) {
    const slice = sliceOf(table, id);
    listener.onTable('verify', table.name, 2 * (await countRows(from, table, slice)));
    const onRows = (rows: number): void => listener.onRows(rows);
    const there = await sumOf(from, table, { slice, readable: createReadable(fromSeal), onRows });
    const here = await sumOf(to, tableOf(to, table.name), { slice, readable: createReadable(toSeal), onRows });
    if (there.text() !== here.text()) {
      throw new CopyError(
        `${table.name} differs: ${there.rows} rows in ${from.shown}, ${here.rows} in ${to.shown}. Run the command again.`,
      );
    }
    verified.push({ name: table.name, rows: here.rows, checksum: here.text() });
  }
  const keys = await from.query(
    'SELECT k.* FROM api_keys k JOIN api_key_accounts r ON r.api_key_id = k.id WHERE r.account_id = ?',
    [id],
  );
  const rounds = (await from.query('SELECT * FROM schedule_rounds', [])) as unknown as ScheduleRoundsTable[];
  const now = await to.now();
  await to.write(async (writing) => {
    for (const key of keys) await admitKey(writing, tableOf(to, 'api_keys'), key, id);
    await takeOutOfStep(writing, id, rounds);
    await markHours(writing, id, now);
  });
  await to.settle(tables);
  return verified;
}

function sliceOf({ name }: TableShape, id: Uint8Array): Slice {
  return { equal: name === 'accounts' ? { id } : { account_id: id } };
}

/** A key keeps its role for the account, but never operates the target. A key that exists there gains the account. */
async function admitKey(writing: Writing, table: TableShape, key: Row, accountId: Uint8Array): Promise<void> {
  const [known] = await writing.query('SELECT id FROM api_keys WHERE hash = ?', [key['hash'] ?? null]);
  if (known === undefined) await writing.insert(table, [{ ...key, is_operator: null }]);
  const keyId = (known ?? key)['id'] ?? null;
  const [reach] = await writing.query(
    `SELECT coalesce(max(position), -1) AS last,
       coalesce(sum(CASE WHEN account_id = ? THEN 1 ELSE 0 END), 0) AS here FROM api_key_accounts WHERE api_key_id = ?`,
    [accountId, keyId],
  );
  if (Number(reach?.['here']) > 0) return;
  await writing.change('INSERT INTO api_key_accounts (api_key_id, account_id, position) VALUES (?, ?, ?)', [
    keyId,
    accountId,
    Number(reach?.['last']) + 1,
  ]);
}

/** Rounds belong to an installation: schedules in step get an individual due time from their round in the source. */
async function takeOutOfStep(
  writing: Writing,
  accountId: Uint8Array,
  rounds: readonly ScheduleRoundsTable[],
): Promise<void> {
  for (const round of rounds) {
    const { sql, values } = dueAtStatement(round);
    await writing.change(
      `UPDATE schedules SET next_due_at = ${sql} WHERE account_id = ? AND interval_ms = ? AND next_due_at = ${inStep}`,
      [...values, accountId, round.interval_ms],
    );
  }
}

/** The target rolls the last days up again, which its own progress has passed. */
async function markHours(writing: Writing, accountId: Uint8Array, now: number): Promise<void> {
  for (let startAt = hourOf(now) - hoursAgain * hourMs; startAt <= hourOf(now); startAt += hourMs) {
    await writing.change(
      `INSERT INTO late_hours (account_id, check_id, start_at, touched)
       SELECT account_id, id, ${startAt}, 1 FROM checks WHERE account_id = ?
       ON CONFLICT (account_id, check_id, start_at) DO UPDATE SET touched = late_hours.touched + 1`,
      [accountId],
    );
  }
}

async function removeAccount(
  from: Side,
  id: Uint8Array,
  listener: Pick<CopyListener, 'onTable' | 'onRows'>,
): Promise<void> {
  for (const table of from.tables.filter(isOfAccounts)) {
    listener.onTable('remove', table.name, await countRows(from, table, sliceOf(table, id)));
    await removeRows(from, table, id, listener.onRows);
  }
  await from.write(async (writing) => {
    // Keys with access to other accounts, or that operate the source, are kept.
    await writing.change(
      `DELETE FROM api_keys WHERE is_operator IS NULL
         AND id IN (SELECT api_key_id FROM api_key_accounts WHERE account_id = ?)
         AND id NOT IN (SELECT api_key_id FROM api_key_accounts WHERE account_id <> ?)`,
      [id, id],
    );
    await writing.change('DELETE FROM api_key_accounts WHERE account_id = ?', [id]);
    await writing.change('DELETE FROM invites WHERE account_id = ?', [id]);
    await writing.change('DELETE FROM memberships WHERE account_id = ?', [id]);
    // As when a person is removed from their last account.
    const nowhere = 'NOT IN (SELECT user_id FROM memberships)';
    await writing.change(`DELETE FROM sessions WHERE user_id ${nowhere}`, []);
    await writing.change(`DELETE FROM users WHERE id ${nowhere}`, []);
  });
}

async function removeRows(
  side: Side,
  table: TableShape,
  id: Uint8Array,
  onRows: (rows: number) => void = () => {},
): Promise<void> {
  if ((await countRows(side, table, sliceOf(table, id))) === 0) return;
  const { name, key } = table;
  const owner = name === 'accounts' ? 'id' : 'account_id';
  const list = key.length === 1 ? key.join() : `(${key.join(', ')})`;
  const sql = `DELETE FROM ${name} WHERE ${owner} = ? AND ${list} IN (
    SELECT ${key.join(', ')} FROM ${name} WHERE ${owner} = ? LIMIT ${rowsPerBatch})`;
  for (let removed = rowsPerBatch; removed === rowsPerBatch;) {
    removed = await side.write((writing) => writing.change(sql, [id, id]));
    onRows(removed);
  }
}

function note(side: Side, progress: Progress): Promise<void> {
  return side.write((writing) => writeFact(writing, copyingFact, JSON.stringify(progress)));
}

function forget(side: Side): Promise<unknown> {
  return side.write((writing) => writing.change('DELETE FROM installation WHERE key = ?', [copyingFact]));
}
