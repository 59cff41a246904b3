// Finds the data folder of the service on this machine by its open database file.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Data folder of the process of the current user that listens on `port`; null if none was found. Reads /proc, so it
 * works only on Linux, and for a container only inside it.
 */
export function runningFolder(port: number): string | null {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listenersOn(port, table)));
  if (sockets.size === 0) return null;
  for (const pid of listOf('/proc').filter((name) => /^\d+$/.test(name))) {
    const open = listOf(`/proc/${pid}/fd`).map((file) => linkOf(`/proc/${pid}/fd/${file}`));
    const database = open.find((path) => path.endsWith('/tocsin.db'));
    if (database !== undefined && open.some((path) => sockets.has(path))) return dirname(database);
  }
  return null;
}

/** Inodes of listening sockets, as they appear in /proc/<pid>/fd: `socket:[inode]`. */
function listenersOn(port: number, table: string): string[] {
  let text: string;
  try {
    text = readFileSync(`/proc/net/${table}`, 'utf8');
  } catch {
    return [];
  }
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === '0A' && local.endsWith(ending) ? [`socket:[${inode}]`] : [];
  });
}

/** Empty if the folder does not exist, the process has ended or it belongs to another user. */
function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
