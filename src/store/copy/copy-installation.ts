// A whole installation from one database to another: every table, resumable after any end, verified (docs/decisions/0045).
import { createSeal } from '../base/seal.ts';
import { WrongKeyError } from '../base/key-check.ts';
import { cellsOfJson, cellsToJson } from './cells.ts';
import { copyTable, sumOf } from './copy-table.ts';
import { type Cell, isCarried, type TableShape } from './shape.ts';
import { readFact, type Side, tableOf, type Writing, writeFact } from './side.ts';
import { copyingFact } from '../base/unfinished.ts';

/** The copy cannot be made as things are; the message says why and what to do. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** Progress of a copy. */
export interface CopyListener {
  /** Before anything is written: what of the target goes. Empty = nothing stood there. */
  onRemove(tables: readonly { readonly name: string; readonly rows: number }[]): void;
  /** It goes on where an earlier one ended. */
  onResume(table: string): void;
  /** A table that has about so many rows: one or more. */
  onTable(step: 'copy' | 'verify' | 'remove', table: string, rows: number): void;
  onRows(rows: number): void;
}

/** A table on both sides, when all is done. */
export interface VerifiedTable {
  readonly name: string;
  readonly rows: number;
  /** Of the values, whatever the engine: 16 hex digits. */
  readonly checksum: string;
}

/** What is asked for. */
export interface CopyOrder {
  /** 32 bytes: the key that sealed the source's secrets, and that will be the target's. */
  readonly secretKey: Uint8Array;
  /** Whether what stands in the target may go. */
  readonly overwrite: boolean;
  /** Rows of a transaction at most. */
  readonly batchMost?: number;
}

/** Where an unfinished copy stands. */
interface Progress {
  /** The source by its address, and its last sign of life: another one means that it has been used meanwhile. */
  readonly from: string;
  readonly aliveAt: string | null;
  /** The table that is under way, and the key of the last row of it that arrived. */
  readonly table: string;
  readonly after: readonly unknown[] | null;
}

/** Copies `from` to `to` and compares both. Throws CopyError or WrongKeyError; what arrived stays for the next try. */
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
    throw new CopyError(`${from.shown} is itself a copy that was not finished: finish that one first`);
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
    await copyOne(from, to, table, { after, aliveAt, most: order.batchMost ?? 2000 }, listener);
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
      `the secret key is not the one that sealed ${from.shown}: set TOCSIN_SECRET_KEY or TOCSIN_SECRET_KEY_FILE to that one`,
    );
  }
}

/** Both are of the present version, so this is a fault of ours, found before anything is lost by it. */
function refuseOtherTables(from: Side, to: Side): void {
  const textOf = ({ name, columns, key }: TableShape): string =>
    `${name} (${[...columns].sort().join()}; ${key.join()})`;
  const [ours, theirs] = [from.tables.map(textOf), to.tables.map(textOf)];
  const odd = ours.find((text, index) => text !== theirs[index]) ?? theirs[ours.length];
  if (odd !== undefined) throw new CopyError(`${from.shown} and ${to.shown} do not have the same tables: ${odd}`);
}

/** Where an unfinished copy of this source stands; null = there is none. */
async function standingOf(from: Side, to: Side, aliveAt: string | null): Promise<Progress | null> {
  const text = await readFact(to, copyingFact);
  if (text === null) return null;
  const progress = JSON.parse(text) as Progress;
  return progress.from === from.shown && progress.aliveAt === aliveAt ? progress : null;
}

/** Empties the target, where that is allowed, and says in it that a copy is under way. */
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
  // What every start of the service leaves there is nobody's.
  const found = standing
    .map(({ table: { name }, rows }) => ({ name, rows }))
    .filter(({ name }) => name !== 'runtime_stages' && isCarried({ name }));
  if (found.length > 0 && !overwrite) {
    const what = found.map(({ name, rows }) => `${rows} rows of ${name}`).join(', ');
    const other = await readFact(to, copyingFact);
    const why =
      other === null ? '' : ', left by an unfinished copy of another source or of an earlier state of this one';
    throw new CopyError(
      `${to.shown} is not empty: it holds ${what}${why}. Name an empty database, or remove all of that with --overwrite`,
    );
  }
  listener.onRemove(found);
  const first = from.tables.find(isCarried);
  const progress: Progress = { from: from.shown, aliveAt, table: first?.name ?? '', after: null };
  await to.write(async (writing) => {
    for (const { table } of standing) await writing.clear(table);
    // What the target says of itself stays; what it says of an installation that was here goes.
    await writing.change(`DELETE FROM installation WHERE key NOT IN ('file', 'schema-version')`, []);
    await writeFact(writing, copyingFact, JSON.stringify(progress));
  });
  return progress;
}

async function copyOne(
  from: Side,
  to: Side,
  table: TableShape,
  { after, aliveAt, most }: { after: readonly Cell[] | null; aliveAt: string | null; most: number },
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
    most,
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
      // What was copied is of no state of the source: the next try may not go on with it.
      await to.write((writing) => writeFact(writing, copyingFact, JSON.stringify({ from: '', aliveAt: null })));
      throw new CopyError(
        `${table.name} is not the same on both sides (${there.rows} rows, checksum ${there.text()}; here ${here.rows}, ` +
          `${here.text()}): the source was changed meanwhile. Stop what uses it and copy again with --overwrite`,
      );
    }
    verified.push({ name: table.name, rows: here.rows, checksum: here.text() });
  }
  return verified;
}
