// A small disk of its own: a tmpfs that only processes started in its mount namespace see where it is mounted.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from './targets/scripted-server.ts';
import type { Place } from './service/service.ts';

export interface OwnDisk {
  /** For a service that keeps its data on this disk. */
  readonly place: Place;
  /** The disk as it is seen from here. */
  readonly folder: string;
  /** Takes every free byte. */
  fill(): void;
  /** Gives them back. */
  free(): void;
  /** Remounts it so that nothing can be written, or so that it can again. */
  setReadOnly(isReadOnly: boolean): void;
}

/**
 * Mounts a disk of so many megabytes. It goes when the test is over.
 *
 * @throws where no namespace can be made: a promise that cannot be tried must not seem kept
 */
export async function mountOwnDisk(t: Cleanup, megabytes: number): Promise<OwnDisk> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tocsin-disk-'));
  const isRoot = process.getuid?.() === 0;
  const mount = `mount -t tmpfs -o size=${megabytes}m,mode=700 tmpfs '${dataDir}' && echo mounted && exec cat`;
  const holder = spawn('unshare', [isRoot ? '-m' : '-Urm', 'sh', '-c', mount], { stdio: 'pipe' });
  let said = '';
  holder.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  holder.on('error', (error) => (said += error.message));
  const ended = once(holder, 'close');
  t.after(async () => {
    holder.stdin.end();
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  });
  const isMounted = await Promise.race([once(holder.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!isMounted || holder.pid === undefined) {
    throw new Error(`no disk of its own can be mounted here, so this cannot be tried: ${said.trim()}
It needs Linux and unshare(1), as root or with user namespaces allowed.`);
  }
  const enter = [
    'nsenter',
    '-t',
    String(holder.pid),
    ...(isRoot ? ['-m'] : ['-U', '-m', '--preserve-credentials']),
    '--',
  ];
  const folder = `/proc/${holder.pid}/root${dataDir}`;
  const filler = join(folder, 'filler');
  return {
    place: { dataDir, enter },
    folder,
    fill: () => fill(filler),
    free: () => rmSync(filler),
    setReadOnly(isReadOnly) {
      const [command, ...words] = [...enter, 'mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, dataDir];
      const { status, stderr } = spawnSync(command, words);
      if (status !== 0) throw new Error(`the disk cannot be remounted: ${stderr.toString()}`);
    },
  };
}

/** Writes in ever smaller pieces until not one more byte fits. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  try {
    for (let size = 65_536; size >= 1;) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}
