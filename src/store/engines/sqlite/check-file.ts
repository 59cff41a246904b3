// Checks a SQLite file for damage before it is used. A large file is checked beside the service.
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { commandName } from '#lib/package-files.ts';

/** The database cannot be opened; the message says why and what to do. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
}

/** Files up to this size are checked whenever they are opened, which takes less than about a second. */
const checkedAtOnceBytes = 256 * 1024 * 1024;
/** How long the start waits for the check of a larger file, ms. */
const patienceMs = 5000;

/** What to do about a damaged file. */
export function damagedError(path: string, finding: string): DatabaseOpenError {
  return new DatabaseOpenError(
    `the database ${path} is damaged (${finding}): restore the newest backup with "${commandName} restore <file>", ` +
      `which keeps the damaged database beside it`,
  );
}

/** Checks an open file unless it is large. Throws DatabaseOpenError. */
export function checkSmallFile(database: DatabaseSync, path: string, maxBytes = checkedAtOnceBytes): void {
  if (statSync(path).size > maxBytes) return;
  const finding = String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  if (finding !== 'ok') throw damagedError(path, finding);
}

/** Options of the check of a large file. */
export interface LargeFileCheck {
  /** Called if damage is found after the start went on. */
  readonly onLate: (finding: string) => void;
  readonly maxBytes?: number;
  readonly waitMs?: number;
}

/** Ends with the finding, or with nothing if the file could not be read. */
const program = `const { DatabaseSync } = require('node:sqlite');
const report = (finding) => process.stdout.write(String(finding));
try {
  const database = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 5000 });
  report(database.prepare('PRAGMA quick_check(1)').get().quick_check);
} catch (error) {
  if ([11, 26].includes(error.errcode & 0xff)) report(error.message);
}`;

/**
 * Checks a large file in a process of its own, because SQLite cannot be interrupted. After `waitMs` it goes on beside
 * the service until it is done. Throws DatabaseOpenError.
 */
export async function checkLargeFile(
  path: string,
  { onLate, maxBytes = checkedAtOnceBytes, waitMs = patienceMs }: LargeFileCheck,
): Promise<void> {
  if (!existsSync(path) || statSync(path).size <= maxBytes) return;
  const child = spawn(process.execPath, ['-e', program, path], { stdio: ['ignore', 'pipe', 'ignore'] });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  let finding = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (finding += text));
  const checked = new Promise<string>((resolve) => {
    child.once('error', () => resolve(''));
    child.once('close', () => resolve(finding.trim()));
  }).finally(() => process.off('exit', end));
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), waitMs);
  const found = await Promise.race([checked, late]);
  clearTimeout(timer);
  if (found !== null) {
    if (isDamage(found)) throw damagedError(path, found);
    return;
  }
  // The service may end before the check.
  child.unref();
  (child.stdout as typeof child.stdout & { unref?: () => void }).unref?.();
  void checked.then((text) => {
    if (isDamage(text)) onLate(text);
  });
}

function isDamage(finding: string): boolean {
  return finding !== '' && finding !== 'ok';
}
