// The code of an older commit in a folder of its own, with its packages, so that processes of it can be started.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '../support/service.ts';

/** There is no older code to be had here; the message says why and what to do. */
export class NoOlderCodeError extends Error {
  override readonly name = 'NoOlderCodeError';
}

const migrations = 'src/store/base/migrations';
const remedy = 'run this in a clone with its whole history (git fetch --unshallow), or name a commit with --from';

/**
 * The last commit of the way to the present one that knew nothing of the newest migration: what an update to it begins at.
 * While that migration is not committed, this is the present commit.
 *
 * @param root of a checkout
 * @throws {NoOlderCodeError} without git, without a history, or when all of it has the migration
 */
export function beforeNewestMigration(root: string): string {
  const [first, ...later] = readdirSync(join(root, migrations)).sort();
  const newest = later.at(-1) ?? first;
  const path = `${migrations}/${newest}`;
  // Along the first parents: where a branch brought it, older is what was there before the branch came.
  const made = git(root, ['log', '--first-parent', '-m', '--diff-filter=A', '--format=%H', '-n', '1', '--', path]);
  // Nothing is older than the first schema: then an update replaces processes by ones of the same version.
  if (made === '' || later.length === 0) return commitOf(root, 'HEAD');
  try {
    return commitOf(root, `${made}^`);
  } catch (cause) {
    throw new NoOlderCodeError(`the history here begins with ${path} in it: ${remedy}`, { cause });
  }
}

/** The whole name of a commit. @throws {NoOlderCodeError} when it is not here */
function commitOf(root: string, name: string): string {
  try {
    return git(root, ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`]);
  } catch (cause) {
    throw new NoOlderCodeError(`there is no commit ${name} here: ${remedy}`, { cause });
  }
}

/**
 * Writes the code of a commit into a folder that is made for it. Packages are those of this checkout, by a link, when both
 * ask for the same ones; else they are fetched. No script of theirs is run: what only browsers and scripts need is not there.
 *
 * @throws {NoOlderCodeError} when the commit is not here, or has nothing that can be started
 */
export function takeOut(root: string, name: string, folder: string): Program {
  const commit = commitOf(root, name);
  mkdirSync(folder, { recursive: true });
  // Not a worktree of git, which would be left in its books when this is killed.
  const packed = `${folder}.tar`;
  git(root, ['archive', '--format=tar', `--output=${packed}`, commit]);
  run('tar', ['-xf', packed, '-C', folder], folder);
  rmSync(packed);
  if (!existsSync(join(folder, 'tooling/build.ts'))) {
    throw new NoOlderCodeError(`${commit} has no tooling/build.ts that bundles it`);
  }
  const lockOf = (place: string): string => readFileSync(join(place, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else run('npm', ['ci', '--ignore-scripts', '--no-fund', '--no-audit'], folder);
  run('sh', ['tooling/node24.sh', 'tooling/build.ts'], folder);
  return { folder };
}

/** What git prints, without the space around it. */
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
