// Copies a whole installation from one database to another: all tables, resumable, verified (docs/decisions/0045).
import { CopyError, copyTable, type TableListener, type VerifiedTable, verifyTables } from './copy-table.ts';
import { findFact, writeFact } from '../base/installation-fact.ts';
import { sealOf, type Side } from './side.ts';
import { type Cell, countSlice, databaseFacts, isCarried, type TableShape } from './table.ts';
import { deleteRows } from '../base/rows.ts';
import { copyingFact } from '../base/unfinished.ts';

/** Progress of a copy. */
export interface CopyListener extends TableListener {
  /** Called before anything is written, with the data that the target will lose. Empty = none. */
  onRemove(tables: readonly { readonly name: string; readonly rows: number }[]): void;
  /** Called when an interrupted copy continues. */
  onResume(table: string): void;
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
  /** The current table, and the key of its last copied row as JSON. */
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
  await sealOf(from, order.secretKey);
  if ((await findFact(from.reader, copyingFact)) !== null) {
    throw new CopyError(`${from.shown} is itself an unfinished copy: finish that one first`);
  }
  const tables = from.tables.filter(isCarried);
  refuseOtherTables(from, to);
  const aliveAt = await findFact(from.reader, 'alive-at');
  const standing = (await standingOf(from, to, aliveAt)) ?? (await begin(from, to, order, listener, aliveAt));
  const done = tables.findIndex(({ name }) => name === standing.table);
  if (standing.after !== null || done > 0) listener.onResume(standing.table);
  for (const [index, table] of tables.entries()) {
    if (index < done) continue;
    const noted = (last: readonly Cell[] | null): string =>
      JSON.stringify({
        from: from.shown,
        aliveAt,
        table: table.name,
        after: last && cellsToJson(last),
      } satisfies Progress);
    const after = index === done && standing.after !== null ? cellsOfJson(standing.after) : null;
    if (after === null) await to.transaction((tx) => writeFact(tx, copyingFact, noted(null)));
    await copyTable(from, to, table, {}, listener, {
      after,
      max: order.maxBatch,
      note: (tx, last) => writeFact(tx, copyingFact, noted(last)),
    });
  }
  const verified = await verifyTables({ side: from }, { side: to }, tables, () => ({}), listener, differing(to));
  await to.settle(tables.filter(({ name }) => verified.some((table) => table.name === name && table.rows > 0)));
  await refuseUsed(from);
  await forgetCopy(to);
  return verified;
}

/** Throws CopyError while a process uses the database. */
export async function refuseUsed(side: Side): Promise<void> {
  const used = await side.usedBy();
  if (used !== null) throw new CopyError(`${side.shown} is in use: ${used}`);
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
  const text = await findFact(to.reader, copyingFact);
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
    const rows = table.name === 'installation' ? 0 : await countSlice(to.reader, table);
    if (rows > 0) standing.push({ table, rows });
  }
  // Rows that every start of the service creates do not count.
  const found = standing
    .map(({ table: { name }, rows }) => ({ name, rows }))
    .filter(({ name }) => name !== 'runtime_stages' && isCarried({ name }));
  if (found.length > 0 && !overwrite) {
    const what = found.map(({ name, rows }) => `${rows} rows of ${name}`).join(', ');
    const other = await findFact(to.reader, copyingFact);
    const why =
      other === null ? '' : ', left by an unfinished copy of another source or of an earlier state of this one';
    throw new CopyError(
      `${to.shown} is not empty: it contains ${what}${why}. Use an empty database, or delete all of it with --overwrite`,
    );
  }
  listener.onRemove(found);
  const first = from.tables.find(isCarried);
  const progress: Progress = { from: from.shown, aliveAt, table: first?.name ?? '', after: null };
  await to.transaction(async (tx) => {
    for (const { table } of standing) await to.clear(tx, table);
    // Facts about a previous installation in the target are deleted.
    await tx.deleteFrom('installation').where('key', 'not in', databaseFacts).execute();
    await writeFact(tx, copyingFact, JSON.stringify(progress));
  });
  return progress;
}

/** Records that the copy does not match any state of the source, so that the next attempt does not continue it. */
function differing(to: Side): Parameters<typeof verifyTables>[5] {
  return async (table, there, here) => {
    await to.transaction((tx) => writeFact(tx, copyingFact, JSON.stringify({ from: '', aliveAt: null })));
    return new CopyError(
      `${table.name} differs (${there.rows} rows with checksum ${there.text()} in the source, ${here.rows} rows with ` +
        `checksum ${here.text()} in the target): the source was changed during the copy. Stop all its processes and copy again with --overwrite`,
    );
  };
}

/** Allows a start of the service. */
export function forgetCopy(side: Side): Promise<number> {
  return side.transaction((tx) => deleteRows(tx, 'installation', { key: copyingFact }));
}

/** Encodes bytes as an object with hex digits; other values are unchanged. */
function cellsToJson(cells: readonly Cell[]): unknown[] {
  return cells.map((cell) => (cell instanceof Uint8Array ? { hex: Buffer.from(cell).toString('hex') } : cell));
}

function cellsOfJson(values: readonly unknown[]): Cell[] {
  return values.map((value) => {
    if (typeof value === 'object' && value !== null && 'hex' in value) return Buffer.from(String(value.hex), 'hex');
    return value as Cell;
  });
}
