// The temporary folder of a script run.
import { spawn } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ScriptFile } from '#domain/checks/script.ts';
import type { TrustedCas } from './trusted-cas.ts';

/** A file of a run: part of the script, or provided to it. */
type RunFile = Omit<ScriptFile, 'content'> & { readonly content: string | Uint8Array };

export interface RunFolder {
  /** The script's own folder. */
  readonly home: string;
  /** Empty. */
  readonly root: string;
  /** Folder of the gateway socket, which the script can use but not replace. */
  readonly gateway: string;
  /** Whether `caFile` exists next to the socket. */
  readonly hasCertificates: boolean;
  /** Lets a waiting process enter the folder, without read or write access yet. */
  show(): Promise<void>;
  /** Writes the files and a link to the packages, by their path inside the sandbox. */
  put(files: readonly RunFile[], packages: string): Promise<void>;
  /** Removes everything. Never rejects. */
  remove(): Promise<void>;
}

/** File with trusted CAs (PEM), next to the gateway socket. */
export const caFile = 'ca.pem';

const prefix = 'tocsin-script-';
/** Far longer than any run. */
const oldMs = 3_600_000;

/** Removes folders left by killed processes. Never rejects; remaining ones are tried again at the next start. */
export async function removeOldRunFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const base = join(tmpdir(), name);
    const facts = await lstat(base).catch(() => null);
    // Other users' folders may have such a name.
    const isOurs = facts?.isDirectory() === true && facts.uid === process.getuid?.();
    if (!isOurs || Date.now() - facts.mtimeMs < oldMs) continue;
    const home = await lstat(join(base, 'home')).catch(() => null);
    await removeBase(base, home === null || home.uid === facts.uid ? null : home.uid);
  }
}

/**
 *
 * @param owner user who owns the files; null = the current user
 * @param trustedCas null = only the default CAs
 */
export async function makeRunFolder(owner: number | null, trustedCas: TrustedCas | null = null): Promise<RunFolder> {
  const base = await mkdtemp(join(tmpdir(), prefix));
  const [home, root, gateway] = [join(base, 'home'), join(base, 'root'), join(base, 'gateway')];
  const give = async (path: string): Promise<void> => {
    if (owner !== null) await chown(path, owner, owner);
  };
  for (const path of [home, join(home, 'tmp'), root]) await mkdir(path, { mode: 0o700 });
  await mkdir(gateway);
  await chmod(gateway, 0o711);
  if (trustedCas !== null) await writeFile(join(gateway, caFile), trustedCas.pem, { mode: 0o644 });
  return {
    home,
    root,
    gateway,
    hasCertificates: trustedCas !== null,
    async show() {
      if (owner === null) return;
      // Another user must be able to traverse it.
      await chmod(base, 0o711);
      await chmod(home, 0o711);
    },
    async put(files, packages) {
      // Closed until all files are written: otherwise a link could redirect writes.
      await chmod(home, 0o700);
      for (const { path, content } of files) {
        for (const folder of foldersOf(path)) {
          const made = await mkdir(join(home, folder), { mode: 0o700 }).then(
            () => true,
            () => false,
          );
          if (made) await give(join(home, folder));
        }
        await writeFile(join(home, path), content, { mode: 0o600 });
        await give(join(home, path));
      }
      await symlink(packages, join(home, 'node_modules'));
      if (owner !== null) {
        await chmod(base, 0o711);
        await give(join(home, 'tmp'));
        await give(home);
      }
    },
    remove: () => removeBase(base, owner),
  };
}

async function removeBase(base: string, owner: number | null): Promise<void> {
  await emptyAs(owner, join(base, 'home'));
  await rm(base, { recursive: true, force: true }).catch(() => undefined);
}

/** Parent folders of a file, outermost first. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [...foldersOf(folder), folder];
}

/**
 * Empties the folder as the script's user, so that its links cannot misuse our privileges. Opens folders that it
 * closed.
 */
function emptyAs(user: number | null, home: string): Promise<void> {
  const words = ['-c', 'chmod -R u+rwX . 2>/dev/null; rm -rf -- ./* ./.[!.]* ./..?*'];
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', words, {
      cwd: home,
      stdio: 'ignore',
      env: { PATH: '/usr/bin:/bin' },
      ...(user === null ? {} : { uid: user, gid: user }),
    });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}
