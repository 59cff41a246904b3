// Checks out an older commit with its packages, so that its processes can be started.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../support/service.ts';

/** No older code is available; the message says why and what to do. */
export class NoOlderCodeError extends Error {
  override readonly name = 'NoOlderCodeError';
}

const migrations = 'src/store/base/migrations';
const remedy = 'use a clone with full history (git fetch --unshallow), or name a commit with --from';

/**
 * Returns the last ancestor of the current commit without the newest migration, which an update starts from. If the
 * migration is not committed yet, that is the current commit.
 *
 * @param root of a checkout
 * @throws {NoOlderCodeError} without git, without history, or if every commit has the migration
 */
export function beforeNewestMigration(root: string): string {
  const [first, ...later] = readdirSync(join(root, migrations)).sort();
  const newest = later.at(-1) ?? first;
  const path = `${migrations}/${newest}`;
  // Along first parents: if a branch added it, the older code is that before the merge.
  const made = git(root, ['log', '--first-parent', '-m', '--diff-filter=A', '--format=%H', '-n', '1', '--', path]);
  // There is nothing older than the first schema, so the update replaces processes by the same version.
  if (made === '' || later.length === 0) return commitOf(root, 'HEAD');
  try {
    return commitOf(root, `${made}^`);
  } catch (cause) {
    throw new NoOlderCodeError(`the available history starts after ${path} was added: ${remedy}`, { cause });
  }
}

/** Full hash of a commit. @throws {NoOlderCodeError} if it is not available */
function commitOf(root: string, name: string): string {
  try {
    return git(root, ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`]);
  } catch (cause) {
    throw new NoOlderCodeError(`commit ${name} is not available: ${remedy}`, { cause });
  }
}

/**
 * Writes the code of a commit into a new folder. Links the packages of this checkout if both have the same lock file,
 * otherwise installs them without scripts, because only browsers and runtimes need those.
 *
 * @throws {NoOlderCodeError} if the commit is not available or cannot be started
 */
export function takeOut(root: string, name: string, folder: string): Program {
  const commit = commitOf(root, name);
  mkdirSync(folder, { recursive: true });
  // Not a git worktree, which would stay registered if this process is killed.
  const packed = `${folder}.tar`;
  git(root, ['archive', '--format=tar', `--output=${packed}`, commit]);
  run('tar', ['-xf', packed, '-C', folder], folder);
  rmSync(packed);
  if (!existsSync(join(folder, 'tooling/build.ts'))) {
    throw new NoOlderCodeError(`${commit} has no tooling/build.ts to bundle it`);
  }
  const lockOf = (place: string): string => readFileSync(join(place, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else run('npm', ['ci', '--ignore-scripts', '--no-fund', '--no-audit'], folder);
  run('sh', ['tooling/node24.sh', 'tooling/build.ts'], folder);
  return { folder };
}

/** Output of git, trimmed. */
function git(root: string, words: readonly string[]): string {
  try {
    return run('git', words, root).trim();
  } catch (cause) {
    throw new NoOlderCodeError(`${cause instanceof Error ? cause.message : String(cause)}; ${remedy}`, { cause });
  }
}

function run(program: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  const why = error?.message ?? (stderr.trim() || `ended with ${status}`);
  throw new NoOlderCodeError(`${program} ${words.join(' ')}: ${why}`);
}
