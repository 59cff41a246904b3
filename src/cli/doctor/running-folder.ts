// Where the service that runs on this machine has its data: by the database file that its process holds open.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The data folder of the process of this user that listens on `port`; null = none was found. Read from /proc, so it is
 * found on Linux alone, and of a container only from within.
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

/** Listening sockets as they stand among open files: `socket:[inode]`. */
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

/** Empty where it does not exist, has just ended, or belongs to another user. */
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
