// The commands that put one database in the place of another: what their words mean, and with which key they work.
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseHint } from '#actions/alerts/held-deliveries.ts';
import type { CarriedOver } from './carry-over.ts';
import { CommandError } from './command-error.ts';
import { migrate } from './migrate.ts';
import { copyOneAccount } from './copy-account.ts';
import type { Screen } from './progress.ts';
import { restore } from './restore.ts';
import { systemClock } from '#lib/clock.ts';
import { isUuid } from '#lib/id.ts';
import { configVariables, type DatabaseUrl } from '#config/variables.ts';
import { readConfig } from '#config/config.ts';
import { findSecretKey, readKeyFile } from '#config/secret-key.ts';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** `restore <file>`. Throws UsageError, ConfigError and CommandError. */
export function restoreBackup(words: string[]): Promise<number> {
  const { positionals } = parseArgs({ args: words, options: {}, allowPositionals: true });
  const [source] = positionals;
  if (source === undefined || positionals.length > 1) throw new UsageError('restore takes one file name');
  const config = readConfig();
  if (config.database.kind === 'postgres') {
    throw new CommandError('restore a PostgreSQL database with its own tools: see docs/operating.md, "PostgreSQL"');
  }
  const { path } = config.database;
  const secretKey = findSecretKey(config, [config.dataDir, dirname(path)]);
  const { replaced, backupAt, carried } = restore({ source, target: path, secretKey, now: systemClock.now() });
  const kept = replaced === null ? '' : `; the previous database is now ${replaced}`;
  process.stdout.write(`${path}: restored from ${source}, verified${kept}\n`);
  if (backupAt !== null) process.stdout.write(`Data was rolled back to ${new Date(backupAt).toISOString()}.\n`);
  process.stdout.write(carriedWords(carried));
  process.stdout.write(`Deliveries are held at the next start. ${releaseHint}\n`);
  return Promise.resolve(0);
}

function carriedWords(carried: CarriedOver | string | null): string {
  if (carried === null) return '';
  if (typeof carried === 'string') {
    return `The replaced database cannot be read (${carried}), so recoveries of alerts sent after the backup will not be sent.\n`;
  }
  const { states, deliveries } = carried;
  return `Copied ${states} check states and ${deliveries} deliveries from the replaced database, so that recoveries are sent and no alert is sent twice.\n`;
}

const migrateOptions = {
  from: { type: 'string' },
  to: { type: 'string' },
  overwrite: { type: 'boolean' },
  account: { type: 'string' },
  'to-secret-key-file': { type: 'string' },
} as const;

/** `migrate --from … --to …`, of everything or of one account. Throws UsageError, ConfigError and CommandError. */
export async function migrateDatabase(words: string[]): Promise<number> {
  const { values } = parseArgs({ args: words, options: migrateOptions });
  const [from, to] = [databaseOf('--from', values.from), databaseOf('--to', values.to)];
  const config = readConfig();
  const beside = from.kind === 'sqlite' ? [dirname(from.path)] : [];
  const secretKey = findSecretKey(config, [...new Set([...beside, config.dataDir])]);
  const { account, 'to-secret-key-file': keyFile } = values;
  if (account === undefined) {
    if (keyFile !== undefined) throw new UsageError('--to-secret-key-file needs --account');
    await migrate({ from, to, secretKey, overwrite: values.overwrite === true }, screen);
    return exitCodes.ok;
  }
  if (!isUuid(account)) throw new UsageError('--account takes the id of an account, a UUID');
  if (values.overwrite === true) throw new UsageError('--overwrite does not go with --account: nothing is overwritten');
  const toKey = keyFile === undefined ? secretKey : readKeyFile(keyFile);
  await copyOneAccount({ accountId: account.toLowerCase(), from, to, fromKey: secretKey, toKey }, screen);
  return exitCodes.ok;
}

const screen: Screen = {
  write: (text) => process.stdout.write(text),
  isTerminal: process.stdout.isTTY,
  now: () => performance.now(),
};

function databaseOf(option: string, text: string | undefined): DatabaseUrl {
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
