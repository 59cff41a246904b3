// `migrate --from … --to …`: copies an installation to another database and verifies it (docs/decisions/0045).
import type { Command } from 'commander';
import { dirname } from 'node:path';
import { readConfig } from '#config/config.ts';
import { findSecretKey, readKeyFile } from '#config/secret-key.ts';
import { configVariables, type DatabaseUrl } from '#config/variables.ts';
import { isUuid } from '#lib/id.ts';
import { copyOneAccount } from './copy-account.ts';
import { UsageError } from './usage-error.ts';
import {
  type DatabaseAddress,
  foreseen,
  isSameDatabase,
  listenerOf,
  opened,
  openSource,
  openTarget,
  tableLines,
} from './move-sides.ts';
import { copyInstallation } from '#store/copy/copy-installation.ts';
import { CommandError } from './command-error.ts';
import { createProgress, type Screen } from './progress.ts';
import { commandName } from '#lib/package-files.ts';

/** Options of a migration. */
export interface MigrateOrder {
  readonly from: DatabaseAddress;
  readonly to: DatabaseAddress;
  /** 32 bytes, the same for source and target. */
  readonly secretKey: Uint8Array;
  readonly overwrite: boolean;
}

/** Copies and verifies the installation, and reports progress. Throws CommandError. */
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
      `Copied and verified ${rows} rows in ${tables.length} tables in ${seconds.toFixed(1)} s.\n` +
        `Start Tocsin with DATABASE_URL=${target.side.shown} and the same secret key. ${source.side.shown} is ` +
        `unchanged. Do not start it again, or both installations will run the same checks.`,
    );
  });
}

interface MigrateOptions {
  readonly from?: string;
  readonly to?: string;
  readonly overwrite?: true;
  readonly account?: string;
  readonly toSecretKeyFile?: string;
}

/** Defines `migrate`. */
export function defineMigrate(command: Command): void {
  command
    .description(
      'Copy the whole installation, or move one account, to another database and verify it. Stop both services first.',
    )
    .option('--from <database>', 'source: sqlite:<file> or postgres://…')
    .option('--to <database>', 'target: sqlite:<file> or postgres://…')
    .option('--overwrite', 'delete existing data in the target')
    .option('--account <id>', 'move only this account')
    .option('--to-secret-key-file <file>', 'secret key of the target, if it differs; requires --account')
    .addHelpText(
      'after',
      '\nAn interrupted copy resumes when the command runs again.\n\nExample:\n' +
        `  ${commandName} migrate --from sqlite:data/tocsin.db --to postgres://tocsin@db/tocsin`,
    )
    .action(migrateDatabase);
}

async function migrateDatabase(values: MigrateOptions): Promise<void> {
  const [from, to] = [parseDatabase('--from', values.from), parseDatabase('--to', values.to)];
  const config = readConfig();
  const beside = from.kind === 'sqlite' ? [dirname(from.path)] : [];
  const secretKey = findSecretKey(config, [...new Set([...beside, config.dataDir])]);
  const { account, toSecretKeyFile: keyFile } = values;
  if (account === undefined) {
    if (keyFile !== undefined) throw new UsageError('--to-secret-key-file requires --account');
    await migrate({ from, to, secretKey, overwrite: values.overwrite === true }, screen);
    return;
  }
  if (!isUuid(account)) throw new UsageError('--account must be an account id (UUID)');
  if (values.overwrite === true) throw new UsageError('--overwrite cannot be combined with --account');
  const toKey = keyFile === undefined ? secretKey : readKeyFile(keyFile);
  await copyOneAccount({ accountId: account.toLowerCase(), from, to, fromKey: secretKey, toKey }, screen);
}

const screen: Screen = {
  write: (text) => process.stdout.write(text),
  isTerminal: process.stdout.isTTY,
  now: () => performance.now(),
};

function parseDatabase(option: string, text: string | undefined): DatabaseUrl {
  const { read, right } = configVariables.DATABASE_URL;
  if (text === undefined) throw new UsageError(`migrate needs ${option} ${right}`);
  let database: DatabaseUrl | undefined;
  let why = '';
  try {
    database = read(text);
  } catch (error) {
    why = `: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (database === undefined) throw new UsageError(`${option} is invalid${why}; use ${right}`);
  return database;
}
