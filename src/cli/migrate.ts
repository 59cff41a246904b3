// `migrate --from … --to …`: a whole installation into another database, verified (docs/decisions/0045).
import { type DatabaseAddress, isSameDatabase, openSource, openTarget } from './move-sides.ts';
import { copyInstallation, type VerifiedTable } from '#store/copy/copy-installation.ts';
import type { Side } from '#store/copy/side.ts';
import { CommandError } from './command-error.ts';
import { createProgress, type Progress, type Screen } from './progress.ts';

/** What is asked for. */
export interface MigrateOrder {
  readonly from: DatabaseAddress;
  readonly to: DatabaseAddress;
  /** 32 bytes: of the source, and then of the target. */
  readonly secretKey: Uint8Array;
  readonly overwrite: boolean;
}

/** Copies and verifies; says what it does. Throws CommandError. */
export async function migrate({ from, to, secretKey, overwrite }: MigrateOrder, screen: Screen): Promise<void> {
  if (isSameDatabase(from, to)) throw new CommandError('--from and --to name the same database');
  const progress = createProgress(screen);
  const startedAt = screen.now();
  await foreseen(async () => {
    await using source = await opened(openSource(from));
    await using target = await opened(openTarget(to));
    progress.say(`from ${source.side.shown}\nto   ${target.side.shown}`);
    const tables = await copyInstallation(source.side, target.side, { secretKey, overwrite }, listenerOf(progress));
    progress.end();
    for (const line of tableLines(tables)) progress.say(line);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const seconds = (screen.now() - startedAt) / 1000;
    progress.say(
      `${rows} rows of ${tables.length} tables, the same on both sides, ${seconds.toFixed(1)} s.\n` +
        `Start Tocsin with DATABASE_URL=${target.side.shown} and the same secret key. ${source.side.shown} is as it ` +
        `was: do not start it again, or two installations run the same checks.`,
    );
  });
}

/** Shows the progress of a copy. */
export function listenerOf(progress: Progress) {
  return {
    onRemove(tables: readonly { readonly name: string; readonly rows: number }[]) {
      for (const { name, rows } of tables) progress.say(`removed from the target: ${rows} rows of ${name}`);
    },
    onResume: (table: string) => progress.say(`goes on at ${table}, where an earlier copy ended`),
    onTable: (step: 'copy' | 'verify' | 'remove', table: string, rows: number) =>
      progress.begin(`${step} ${table}`, rows),
    onRows: (rows: number) => progress.add(rows),
  };
}

/** A line per table: rows and checksum. */
export function tableLines(tables: readonly VerifiedTable[]): string[] {
  const width = Math.max(...tables.map(({ name }) => name.length));
  return tables.map(
    ({ name, rows, checksum }) => `${name.padEnd(width)}  ${String(rows).padStart(10)} rows  ${checksum}`,
  );
}

/** A side that is closed at the end of its block. */
export async function opened(opening: Promise<Side>): Promise<AsyncDisposable & { readonly side: Side }> {
  const side = await opening;
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

/** What a person can mend is said in one line. */
export async function foreseen<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && foreseenErrors.has(error.name))
      throw new CommandError(error.message, { cause: error });
    throw error;
  }
}
