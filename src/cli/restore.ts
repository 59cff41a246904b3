// `restore <file>`: replaces the database with a verified backup and keeps the old one.
import { errorMessage } from '#lib/errors.ts';
import type { Command } from 'commander';
import { releaseHint } from '#actions/alerts/held-deliveries.ts';
import { readConfig } from '#config/config.ts';
import { findSecretKey } from '#config/secret-key.ts';
import { systemClock } from '#lib/clock.ts';
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { NewerDatabaseError, schemaVersion } from '#store/base/migrate.ts';
import { createSeal } from '#store/base/seal.ts';
import { DatabaseOpenError } from '#store/engines/sqlite/check-file.ts';
import { takeLock } from '#store/engines/sqlite/file.ts';
import type { DeliveryHold } from '#domain/deliveries/delivery.ts';
import { rollbackKey } from '#store/accounts/gaps.ts';
import { deliveryHoldKey } from '#store/channels/held-deliveries.ts';
import { backUp } from './backup.ts';
import { type CarriedOver, carryOver } from './carry-over.ts';
import { CommandError } from './exits.ts';
import { commandName } from '#lib/package-files.ts';

/** Options of a restore. Paths are files. */
export interface RestoreOrder {
  readonly source: string;
  readonly target: string;
  /** Secret key that the service will start with, 32 bytes. */
  readonly secretKey: Uint8Array;
  /** Epoch ms; part of the name of the replaced database. */
  readonly now: number;
}

/** A finished restore. */
export interface Restored {
  /** New path of the replaced database; null if there was none. */
  readonly replaced: string | null;
  /** Time of the backup's last data, epoch ms; null if unknown. */
  readonly backupAt: number | null;
  /** Rows carried over from the replaced database, or the reason why there are none; null if there was no database. */
  readonly carried: CarriedOver | string | null;
}

/**
 * Replaces `target` with a verified copy of `source`, in one step. Changes nothing if verification fails. Throws
 * CommandError.
 */
export function restore({ source, target, secretKey, now }: RestoreOrder): Restored {
  if (!existsSync(source)) throw new CommandError(`${source} does not exist`);
  if (resolve(source) === resolve(target))
    throw new CommandError(`${source} is the current database: specify a backup`);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  using _lock = lockOf(target);
  const aside = `${target}.restored`;
  rmSync(aside, { force: true });
  try {
    copied(source, aside);
    judge(source, aside, secretKey);
    const carried = existsSync(target) ? carriedFrom(target, aside) : null;
    endSignIns(aside);
    const backupAt = holdDeliveries(aside, now);
    return { replaced: takePlace(aside, target, now), backupAt, carried };
  } finally {
    for (const left of [aside, `${aside}.part`]) rmSync(left, { force: true });
  }
}

function lockOf(target: string): DatabaseSync {
  try {
    return takeLock(target);
  } catch (error) {
    if (error instanceof DatabaseOpenError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

/** Makes a private copy of the backup and reads all of it. */
function copied(source: string, aside: string): void {
  try {
    backUp(source, aside);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${source} is not a readable Tocsin database: ${errorMessage(error)}`, { cause: error });
  }
}

/** Checks that this version and this secret key match the backup. */
function judge(source: string, aside: string, secretKey: Uint8Array): void {
  using database = new DatabaseSync(aside, { readOnly: true });
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version > schemaVersion) throw new CommandError(`${source}: ${new NewerDatabaseError(version).message}`);
  const mark = database.prepare(`SELECT value FROM installation WHERE key = 'key-check'`).get();
  if (mark !== undefined && !opens(String(mark['value']), secretKey)) {
    throw new CommandError(
      `the secret key does not match ${source}: restore the secret.key that was stored with it, or set ` +
        `TOCSIN_SECRET_KEY to that key`,
    );
  }
}

function opens(mark: string, secretKey: Uint8Array): boolean {
  try {
    createSeal(secretKey).open(mark);
    return true;
  } catch {
    return false;
  }
}

/** A damaged old database must not prevent the restore. */
function carriedFrom(target: string, aside: string): CarriedOver | string {
  try {
    return carryOver(aside, target);
  } catch (error) {
    return errorMessage(error);
  }
}

/** Ends the sessions of the backup, so that none comes back to life, and its setup links. */
function endSignIns(aside: string): void {
  using database = new DatabaseSync(aside);
  database.exec('DELETE FROM sessions; DELETE FROM setup_links; DELETE FROM password_resets');
}

/** Holds deliveries and records the start of the gap. Returns the time of the last data. */
function holdDeliveries(aside: string, now: number): number | null {
  using database = new DatabaseSync(aside);
  const alive = database.prepare(`SELECT value FROM installation WHERE key = 'alive-at'`).get();
  const backupAt = alive === undefined ? null : Number(alive['value']);
  const note = database.prepare('INSERT OR REPLACE INTO installation (key, value) VALUES (?, ?)');
  const hold: DeliveryHold = { since: now, reason: 'restore', backupAt };
  note.run(deliveryHoldKey, JSON.stringify(hold));
  if (backupAt !== null) note.run(rollbackKey, `${backupAt}/${now}`);
  return backupAt;
}

/**
 * Renames the files and returns the new path of the old database. A crash leaves either the old or the new database in
 * place.
 */
function takePlace(aside: string, target: string, now: number): string | null {
  if (!existsSync(target)) {
    for (const end of ['-wal', '-shm']) rmSync(target + end, { force: true });
    renameSync(aside, target);
    return null;
  }
  const replaced = `${target}.replaced-${new Date(now).toISOString().replaceAll(/[:.]/g, '')}`;
  foldLog(target);
  linkSync(target, replaced);
  // A write-ahead log that could not be merged belongs to the old database and must not be applied to the new one.
  for (const end of ['-wal', '-shm']) if (existsSync(target + end)) renameSync(target + end, replaced + end);
  renameSync(aside, target);
  return replaced;
}

/** Opening and closing merges the write-ahead log into the file. */
function foldLog(target: string): void {
  try {
    using database = new DatabaseSync(target);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // A damaged database is a reason to restore.
  }
}

/** Defines `restore <file>`. */
export function defineRestore(command: Command): void {
  command
    .description(
      'Replace the SQLite database with a verified backup. Stop the service first. The previous database is kept.',
    )
    .argument('<file>', 'backup to restore')
    .addHelpText('after', `\nExample:\n  ${commandName} restore backups/tocsin.db`)
    .action(restoreBackup);
}

function restoreBackup(source: string): void {
  const config = readConfig();
  if (config.database.kind === 'postgres') {
    throw new CommandError('restore a PostgreSQL database with its own tools: see docs/backup.md');
  }
  const { path } = config.database;
  const secretKey = findSecretKey(config, [config.dataDir, dirname(path)]);
  const { replaced, backupAt, carried } = restore({ source, target: path, secretKey, now: systemClock.now() });
  const kept = replaced === null ? '' : `; the previous database is now ${replaced}`;
  process.stdout.write(`${path}: restored from ${source}, verified${kept}\n`);
  if (backupAt !== null) process.stdout.write(`Data was rolled back to ${new Date(backupAt).toISOString()}.\n`);
  process.stdout.write(carriedWords(carried));
  process.stdout.write(`Deliveries are held at the next start. ${releaseHint}\n`);
}

function carriedWords(carried: CarriedOver | string | null): string {
  if (carried === null) return '';
  if (typeof carried === 'string') {
    return `The replaced database cannot be read (${carried}), so recoveries of alerts sent after the backup will not be sent.\n`;
  }
  const { states, deliveries } = carried;
  return `Copied ${states} check states and ${deliveries} deliveries from the replaced database, so that recoveries are sent and no alert is sent twice.\n`;
}
