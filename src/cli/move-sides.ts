// Parses the databases of `--from` and `--to` and opens them for a copy.
import type { DatabaseUrl } from '#config/variables.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';
import type { CopyListener } from '#store/copy/copy-installation.ts';
import type { VerifiedTable } from '#store/copy/copy-table.ts';
import { openPostgresSide } from '#store/copy/postgres-side.ts';
import type { Side, SideUse } from '#store/copy/side.ts';
import { openSqliteSide } from '#store/copy/sqlite-side.ts';
import { CommandError } from './exits.ts';
import { createProgress, type Progress, type Screen } from './progress.ts';

/** Whether two addresses are textually the same database. */
function isSameDatabase(a: DatabaseUrl, b: DatabaseUrl): boolean {
  if (a.kind === 'sqlite' && b.kind === 'sqlite') return a.path === b.path;
  if (a.kind === 'sqlite' || b.kind === 'sqlite') return false;
  const place = ({ host, port, database }: PostgresAddress): string => `${host} ${port} ${database}`;
  return place(a.address) === place(b.address);
}

/** Opens a database. Throws if that is not possible, it is in use, or has another schema version. */
export function openSide(database: DatabaseUrl, use: SideUse): Promise<Side> {
  return database.kind === 'postgres' ? openPostgresSide(database.address, use) : openSqliteSide(database.path, use);
}

/** Reports the progress of a copy. */
function listenerOf(progress: Progress): CopyListener {
  return {
    onRemove(tables) {
      for (const { name, rows } of tables) progress.say(`deleted from the target: ${rows} rows of ${name}`);
    },
    onResume: (table) => progress.say(`resuming an interrupted copy at ${table}`),
    onTable: (step, table, rows) => progress.begin(`${step} ${table}`, rows),
    onRows: (rows) => progress.add(rows),
  };
}

/** A side that closes when its block ends. Throws as `openSide` does. */
export async function opened(database: DatabaseUrl, use: SideUse): Promise<AsyncDisposable & { readonly side: Side }> {
  const side = await openSide(database, use);
  return { side, [Symbol.asyncDispose]: () => side.close() };
}

const foreseenErrors: ReadonlySet<string> = new Set([
  'CopyError',
  'DatabaseOpenError',
  'NewerDatabaseError',
  'OlderDatabaseError',
  'StoreUnavailableError',
  'UnfinishedCopyError',
  'WrongKeyError',
]);

/** Turns errors that the user can fix into one-line messages. */
export async function foreseen<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && foreseenErrors.has(error.name))
      throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

/** Options of a command that copies between databases. */
export interface MoveOrder {
  readonly from: DatabaseUrl;
  readonly to: DatabaseUrl;
}

/** Opens both databases, copies, and prints progress and a line per table. Throws CommandError. */
export async function moveBetween(
  { from, to }: MoveOrder,
  use: SideUse,
  screen: Screen,
  copy: (source: Side, target: Side, listener: CopyListener) => Promise<VerifiedTable[]>,
  summaryOf: (source: Side, target: Side, tables: readonly VerifiedTable[]) => string,
): Promise<void> {
  if (isSameDatabase(from, to)) throw new CommandError('--from and --to name the same database');
  const progress = createProgress(screen);
  await foreseen(async () => {
    await using source = await opened(from, use);
    await using target = await opened(to, 'fill');
    progress.say(`from ${source.side.shown}\nto   ${target.side.shown}`);
    const tables = await copy(source.side, target.side, listenerOf(progress));
    progress.end();
    const width = Math.max(...tables.map(({ name }) => name.length));
    for (const { name, rows, checksum } of tables) {
      progress.say(`${name.padEnd(width)}  ${String(rows).padStart(10)} rows  ${checksum}`);
    }
    progress.say(summaryOf(source.side, target.side, tables));
  });
}
