// `backup <file>`: a verified copy of the SQLite database, made while the service runs.
import type { Command } from 'commander';
import { readConfig } from '#config/config.ts';
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CommandError } from './exits.ts';
import { commandName } from '#lib/package-files.ts';

/** A finished backup. */
export interface BackupResult {
  readonly path: string;
  readonly bytes: number;
  readonly tables: number;
  readonly durationMs: number;
}

/**
 * Copies the database at `source` to `target` as one consistent snapshot. The copy is verified before it is renamed to
 * `target`. The service may be running. Only the owner can read the copy and a folder created for it. Throws
 * CommandError.
 */
export function backUp(source: string, target: string): BackupResult {
  if (!existsSync(source)) throw new CommandError(`no database found at ${source}`);
  if (existsSync(target)) throw new CommandError(`${target} already exists: specify a new file`);
  const startedAt = performance.now();
  const aside = `${target}.part`;
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  rmSync(aside, { force: true });
  // VACUUM INTO accepts an empty file and keeps its mode, so that others can never read the copy.
  writeFileSync(aside, '', { mode: 0o600, flag: 'wx' });
  using database = new DatabaseSync(source, { readOnly: true, timeout: 10_000 });
  database.prepare('VACUUM INTO ?').run(aside);
  markClosed(aside);
  const tables = verify(aside);
  renameSync(aside, target);
  return { path: target, bytes: statSync(target).size, tables, durationMs: performance.now() - startedAt };
}

/** Marks the copy as closed. Otherwise Tocsin would take a backup of a running service for the result of a crash. */
function markClosed(path: string): void {
  using copy = new DatabaseSync(path);
  copy.exec(`UPDATE installation SET value = 'closed' WHERE key = 'file'`);
}

/** Reads the whole copy and returns its number of tables. */
function verify(path: string): number {
  using copy = new DatabaseSync(path, { readOnly: true });
  const finding = String(copy.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  if (finding !== 'ok') throw new CommandError(`the copy is damaged (${finding}): the source is likely damaged too`);
  return Number(copy.prepare(`SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'`).get()?.['n']);
}

/** Defines `backup <file>`. */
export function defineBackup(command: Command): void {
  command
    .description('Back up the SQLite database to a new file and verify the copy. The service may keep running.')
    .argument('<file>', 'file to create; must not exist')
    .addHelpText('after', `\nExample:\n  ${commandName} backup backups/tocsin.db`)
    .action((file: string) => {
      const { database } = readConfig();
      if (database.kind === 'postgres') {
        throw new CommandError('back up a PostgreSQL database with its own tools: see docs/backup.md');
      }
      const { path, bytes, tables, durationMs } = backUp(database.path, file);
      const megabytes = (bytes / 1e6).toFixed(1);
      process.stdout.write(`${path}: ${megabytes} MB, ${tables} tables, verified, ${durationMs.toFixed(0)} ms\n`);
    });
}
