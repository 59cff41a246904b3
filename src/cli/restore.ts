// `restore <file>`: a backup in the place of the database, verified before it counts; what was there is kept.
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
import { DatabaseOpenError, takeLock } from '#store/engines/sqlite/file.ts';
import type { DeliveryHold } from '#domain/alerts/delivery-hold.ts';
import { rollbackKey } from '#store/accounts/gaps.ts';
import { deliveryHoldKey } from '#store/channels/held-deliveries.ts';
import { backUp } from './backup.ts';
import { type CarriedOver, carryOver } from './carry-over.ts';
import { CommandError } from './command-error.ts';
import { commandName } from '#lib/package-files.ts';

/** What is asked for. Paths are files. */
export interface RestoreOrder {
  readonly source: string;
  readonly target: string;
  /** 32 bytes: the key that the service will start with. */
  readonly secretKey: Uint8Array;
  /** Epoch ms, for the name of what is replaced. */
  readonly now: number;
}

/** What was done. */
export interface Restored {
  /** Where the database is that was there; null = there was none. */
  readonly replaced: string | null;
  /** Of which moment the data is, epoch ms; null = it does not say. */
  readonly backupAt: number | null;
  /** What was taken over from the replaced database; a sentence = why nothing was; null = there was none. */
  readonly carried: CarriedOver | string | null;
}

/**
 * Puts a copy of `source` in the place of `target`. The copy is opened and checked first: until then nothing is changed,
 * and then it takes the place in one step. Throws CommandError.
 */
export function restore({ source, target, secretKey, now }: RestoreOrder): Restored {
  if (!existsSync(source)) throw new CommandError(`${source} does not exist`);
  if (resolve(source) === resolve(target))
    throw new CommandError(`${source} is the current database: specify a backup`);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const lock = lockOf(target);
  try {
    const aside = `${target}.restored`;
    rmSync(aside, { force: true });
    try {
      copied(source, aside);
      judge(source, aside, secretKey);
      const carried = existsSync(target) ? carriedFrom(target, aside) : null;
      const backupAt = holdDeliveries(aside, now);
      return { replaced: takePlace(aside, target, now), backupAt, carried };
    } finally {
      for (const left of [aside, `${aside}.part`]) rmSync(left, { force: true });
    }
  } finally {
    lock.close();
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

/** A copy that was opened and read from end to end, and belongs to nobody else. */
function copied(source: string, aside: string): void {
  try {
    backUp(source, aside);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${source} is not a readable Tocsin database: ${messageOf(error)}`, { cause: error });
  }
}

/** Whether this program, with this key, can go on with it. */
function judge(source: string, aside: string, secretKey: Uint8Array): void {
  const database = new DatabaseSync(aside, { readOnly: true });
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version > schemaVersion) throw new CommandError(`${source}: ${new NewerDatabaseError(version).message}`);
    const mark = database.prepare(`SELECT value FROM installation WHERE key = 'key-check'`).get();
    if (mark !== undefined && !opens(String(mark['value']), secretKey)) {
      throw new CommandError(
        `the secret key does not match ${source}: restore the secret.key that was stored with it, or set ` +
          `TOCSIN_SECRET_KEY to that key`,
      );
    }
  } finally {
    database.close();
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

/** A replaced database that is damaged is no reason not to restore. */
function carriedFrom(target: string, aside: string): CarriedOver | string {
  try {
    return carryOver(aside, target);
  } catch (error) {
    return messageOf(error);
  }
}

/** Says that deliveries are held, and since when data is missing; answers of which moment the data is. */
function holdDeliveries(aside: string, now: number): number | null {
  const database = new DatabaseSync(aside);
  try {
    const alive = database.prepare(`SELECT value FROM installation WHERE key = 'alive-at'`).get();
    const backupAt = alive === undefined ? null : Number(alive['value']);
    const note = database.prepare('INSERT OR REPLACE INTO installation (key, value) VALUES (?, ?)');
    const hold: DeliveryHold = { since: now, reason: 'restore', backupAt };
    note.run(deliveryHoldKey, JSON.stringify(hold));
    if (backupAt !== null) note.run(rollbackKey, `${backupAt}/${now}`);
    return backupAt;
  } finally {
    database.close();
  }
}

/** Answers where the database is that was there. A killed process leaves either the old one in place, whole, or the new one. */
function takePlace(aside: string, target: string, now: number): string | null {
  if (!existsSync(target)) {
    for (const end of ['-wal', '-shm']) rmSync(target + end, { force: true });
    renameSync(aside, target);
    return null;
  }
  const replaced = `${target}.replaced-${new Date(now).toISOString().replaceAll(/[:.]/g, '')}`;
  foldLog(target);
  linkSync(target, replaced);
  // What could not be folded in belongs to a database that is damaged: it goes along, and never to the new one.
  for (const end of ['-wal', '-shm']) if (existsSync(target + end)) renameSync(target + end, replaced + end);
  renameSync(aside, target);
  return replaced;
}

/** Opened and closed, a database has all that was committed in its one file. */
function foldLog(target: string): void {
  try {
    const database = new DatabaseSync(target);
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      database.close();
    }
  } catch {
    // Damaged: that is why it is replaced.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
