// The folder of one run of a script: made for it, gone with it.
import { spawn } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ScriptFile } from '#domain/checks/script.ts';
import type { TrustedCas } from './trusted-cas.ts';

/** A file of a run: of the script, or given to it. */
type RunFile = Omit<ScriptFile, 'content'> & { readonly content: string | Uint8Array };

/** Where a run has its files. */
export interface RunFolder {
  /** The script's own. */
  readonly home: string;
  /** Empty. */
  readonly root: string;
  /** For the socket of its gateway, which it may use and not replace. */
  readonly gateway: string;
  /** Whether `caFile` lies beside that socket. */
  readonly hasCertificates: boolean;
  /** Lets a process in that waits for files: it can neither read nor write there yet. */
  show(): Promise<void>;
  /** Puts its files there, with a link to the packages by the name they have for the script. */
  put(files: readonly RunFile[], packages: string): Promise<void>;
  /** Removes everything; never rejects. */
  remove(): Promise<void>;
}

/** Beside the socket of the gateway: CAs to be trusted, PEM. */
export const caFile = 'ca.pem';

const prefix = 'tocsin-script-';
/** Far longer than anything waits or runs in one, ms. */
const oldMs = 3_600_000;

/** Removes the folders that processes of ours have left which were killed. Never rejects; what stays is tried again at another start. */
export async function removeOldRunFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const base = join(tmpdir(), name);
    const facts = await lstat(base).catch(() => null);
    // What is somebody else's only bears the name.
    const isOurs = facts?.isDirectory() === true && facts.uid === process.getuid?.();
    if (!isOurs || Date.now() - facts.mtimeMs < oldMs) continue;
    const home = await lstat(join(base, 'home')).catch(() => null);
    await removeBase(base, home === null || home.uid === facts.uid ? null : home.uid);
  }
}

/**
 * @param owner the user whose files they are to be; null = ours
 * @param trustedCas null = the usual ones alone
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
      // Whoever has another user must be let through to it.
      await chmod(base, 0o711);
      await chmod(home, 0o711);
    },
    async put(files, packages) {
      // Until all of it is there nobody else may enter: a link that somebody puts there would lead what is written elsewhere.
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

/** The folders above a file, the outermost first. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [...foldersOf(folder), folder];
}

/** As whom the script ran, so that no link of its own leads a stronger hand elsewhere; folders it closed are opened. */
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
