// Copies a whole installation from one database to another: all tables, resumable, verified (docs/decisions/0045).
import { createSeal } from '../base/seal.ts';
import { WrongKeyError } from '../base/key-check.ts';
import { cellsOfJson, cellsToJson } from './cells.ts';
import { copyTable, sumOf } from './copy-table.ts';
import { type Cell, isCarried, type TableShape } from './shape.ts';
import { readFact, type Side, tableOf, type Writing, writeFact } from './side.ts';
import { copyingFact } from '../base/unfinished.ts';

/** The copy is not possible; the message says why and what to do. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** Progress of a copy. */
export interface CopyListener {
  /** Called before anything is written, with the data that the target will lose. Empty = none. */
  onRemove(tables: readonly { readonly name: string; readonly rows: number }[]): void;
  /** Called when an interrupted copy continues. */
  onResume(table: string): void;
  /** Called for a table with about this many rows, one or more. */
  onTable(step: 'copy' | 'verify' | 'remove', table: string, rows: number): void;
  onRows(rows: number): void;
}

/** A table on both sides, after the copy. */
export interface VerifiedTable {
  readonly name: string;
  readonly rows: number;
  /** Checksum of the values, independent of the engine: 16 hex digits. */
  readonly checksum: string;
}

/** Options of a copy. */
export interface CopyOrder {
  /** 32 bytes: the key of the source's secrets, which becomes that of the target. */
  readonly secretKey: Uint8Array;
  /** Whether existing data in the target may be deleted. */
  readonly overwrite: boolean;
  /** Maximum number of rows per transaction. */
  readonly maxBatch?: number;
}

/** Progress of an unfinished copy. */
interface Progress {
  /** Address of the source, and its last heartbeat: a different one means that it was used meanwhile. */
  readonly from: string;
  readonly aliveAt: string | null;
  /** The current table, and the key of its last copied row. */
  readonly table: string;
  readonly after: readonly unknown[] | null;
}

/**
 * Copies `from` to `to` and compares both. Throws CopyError or WrongKeyError; copied rows are kept for the next
 * attempt.
 */
export async function copyInstallation(
  from: Side,
  to: Side,
  order: CopyOrder,
  listener: CopyListener,
): Promise<VerifiedTable[]> {
  await refuseUsed(from);
  await refuseUsed(to);
  await checkKeyOf(from, order.secretKey);
  if ((await readFact(from, copyingFact)) !== null) {
    throw new CopyError(`${from.shown} is itself an unfinished copy: finish that one first`);
  }
  const tables = from.tables.filter(isCarried);
  refuseOtherTables(from, to);
  const aliveAt = await readFact(from, 'alive-at');
  const standing = (await standingOf(from, to, aliveAt)) ?? (await begin(from, to, order, listener, aliveAt));
  const done = tables.findIndex(({ name }) => name === standing.table);
  if (standing.after !== null || done > 0) listener.onResume(standing.table);
  for (const [index, table] of tables.entries()) {
    if (index < done) continue;
    const after = index === done && standing.after !== null ? cellsOfJson(standing.after) : null;
    await copyOne(from, to, table, { after, aliveAt, max: order.maxBatch ?? 2000 }, listener);
  }
  const verified = await verify(from, to, tables, listener);
  await to.settle(tables.filter(({ name }) => verified.some((table) => table.name === name && table.rows > 0)));
  await refuseUsed(from);
  await to.write((writing) => writing.change('DELETE FROM installation WHERE key = ?', [copyingFact]));
  return verified;
}

/** Throws CopyError while a process uses the database. */
export async function refuseUsed(side: Side): Promise<void> {
  const used = await side.usedBy();
  if (used !== null) throw new CopyError(`${side.shown} is in use: ${used}`);
}

async function checkKeyOf(from: Side, secretKey: Uint8Array): Promise<void> {
  const mark = await readFact(from, 'key-check');
  if (mark === null) return;
  try {
    createSeal(secretKey).open(mark);
  } catch {
    throw new WrongKeyError(
      `the secret key does not match ${from.shown}: set TOCSIN_SECRET_KEY or TOCSIN_SECRET_KEY_FILE to the original key`,
    );
  }
}

/** Both have the current schema, so a difference is a bug; found before anything is lost. */
function refuseOtherTables(from: Side, to: Side): void {
  const textOf = ({ name, columns, key }: TableShape): string =>
    `${name} (${[...columns].sort().join()}; ${key.join()})`;
  const [ours, theirs] = [from.tables.map(textOf), to.tables.map(textOf)];
  const odd = ours.find((text, index) => text !== theirs[index]) ?? theirs[ours.length];
  if (odd !== undefined) throw new CopyError(`${from.shown} and ${to.shown} do not have the same tables: ${odd}`);
}

/** Progress of an unfinished copy of this source; null = none. */
async function standingOf(from: Side, to: Side, aliveAt: string | null): Promise<Progress | null> {
  const text = await readFact(to, copyingFact);
  if (text === null) return null;
  const progress = JSON.parse(text) as Progress;
  return progress.from === from.shown && progress.aliveAt === aliveAt ? progress : null;
}

/** Empties the target, if allowed, and records in it that a copy is in progress. */
async function begin(
  from: Side,
  to: Side,
  { overwrite }: CopyOrder,
  listener: CopyListener,
  aliveAt: string | null,
): Promise<Progress> {
  const standing: { table: TableShape; rows: number }[] = [];
  for (const table of to.tables) {
    const rows = table.name === 'installation' ? 0 : await to.count(table);
    if (rows > 0) standing.push({ table, rows });
  }
  // Rows that every start of the service creates do not count.
  const found = standing
    .map(({ table: { name }, rows }) => ({ name, rows }))
    .filter(({ name }) => name !== 'runtime_stages' && isCarried({ name }));
  if (found.length > 0 && !overwrite) {
    const what = found.map(({ name, rows }) => `${rows} rows of ${name}`).join(', ');
    const other = await readFact(to, copyingFact);
    const why =
      other === null ? '' : ', left by an unfinished copy of another source or of an earlier state of this one';
    throw new CopyError(
      `${to.shown} is not empty: it contains ${what}${why}. Use an empty database, or delete all of it with --overwrite`,
    );
  }
  listener.onRemove(found);
  const first = from.tables.find(isCarried);
  const progress: Progress = { from: from.shown, aliveAt, table: first?.name ?? '', after: null };
  await to.write(async (writing) => {
    for (const { table } of standing) await writing.clear(table);
    // Facts about the target database are kept; facts about a previous installation in it are deleted.
    await writing.change(`DELETE FROM installation WHERE key NOT IN ('file', 'schema-version')`, []);
    await writeFact(writing, copyingFact, JSON.stringify(progress));
  });
  return progress;
}

async function copyOne(
  from: Side,
  to: Side,
  table: TableShape,
  { after, aliveAt, max }: { after: readonly Cell[] | null; aliveAt: string | null; max: number },
  listener: CopyListener,
): Promise<void> {
  const rows = await from.count(table);
  if (rows > 0) listener.onTable('copy', table.name, rows);
  const noteAt = (writing: Writing, at: readonly Cell[] | null): Promise<void> => {
    const progress: Progress = { from: from.shown, aliveAt, table: table.name, after: at && cellsToJson(at) };
    return writeFact(writing, copyingFact, JSON.stringify(progress));
  };
  if (after === null) await to.write((writing) => noteAt(writing, null));
  await copyTable(from, to, tableOf(to, table.name), {
    slice: {},
    after,
    max,
    note: noteAt,
    onRows: (arrived) => listener.onRows(arrived),
  });
}

async function verify(
  from: Side,
  to: Side,
  tables: readonly TableShape[],
  listener: CopyListener,
): Promise<VerifiedTable[]> {
  const verified: VerifiedTable[] = [];
  for (const table of tables) {
    const rows = await from.count(table);
    if (rows > 0) listener.onTable('verify', table.name, 2 * rows);
    const onRows = (read: number): void => listener.onRows(read);
    const [there, here] = [await sumOf(from, table, { onRows }), await sumOf(to, tableOf(to, table.name), { onRows })];
    if (there.text() !== here.text() || there.rows !== here.rows) {
      // The copy does not match any state of the source, so the next attempt must not continue it.
      await to.write((writing) => writeFact(writing, copyingFact, JSON.stringify({ from: '', aliveAt: null })));
      throw new CopyError(
        `${table.name} differs (${there.rows} rows with checksum ${there.text()} in the source, ${here.rows} rows with ` +
          `checksum ${here.text()} in the target): the source was changed during the copy. Stop all its processes and copy again with --overwrite`,
      );
    }
    verified.push({ name: table.name, rows: here.rows, checksum: here.text() });
  }
  return verified;
}
