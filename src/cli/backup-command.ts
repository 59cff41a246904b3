// `npm run tocsin -- backup <file>`.
import { parseArgs } from 'node:util';
import { backUp } from './backup.ts';
import { CommandError } from './command-error.ts';
import { readConfig } from '#config/config.ts';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** Copies the database while the service runs. Throws UsageError, ConfigError or CommandError. */
export function backup(words: string[]): Promise<number> {
  const { positionals } = parseArgs({ args: words, options: {}, allowPositionals: true });
  const [target] = positionals;
  if (target === undefined || positionals.length > 1) throw new UsageError('backup takes one file name');
  const { database } = readConfig();
  if (database.kind === 'postgres') {
    throw new CommandError('back up a PostgreSQL database with its own tools: see docs/operating.md, "PostgreSQL"');
  }
  const made = backUp(database.path, target);
  const megabytes = (made.bytes / 1e6).toFixed(1);
  process.stdout.write(
    `${made.path}: ${megabytes} MB, ${made.tables} tables, verified, ${made.durationMs.toFixed(0)} ms\n`,
  );
  return Promise.resolve(exitCodes.ok);
}
