// The machine's hosts file, reread when it changes. It takes precedence over name servers.
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** Returns the addresses of a name (lower case) in the hosts file. */
export type HostsFile = (name: string) => readonly string[];

/** Minimum time between checks for changes. */
const believedForMs = 1000;

/** Parses a hosts file to addresses by name. Skips invalid lines. */
export function parseHosts(text: string): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const line of text.split(/\r?\n/)) {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (address === undefined || isIP(address) === 0) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      byName.set(name, [...(byName.get(name) ?? []), address]);
    }
  }
  return byName;
}

/** A parsed file, reread when its modification time changes. `fallback` applies while it cannot be read. */
export function watchedFile<T>(path: string, parse: (text: string) => T, fallback: T): () => T {
  let value = fallback;
  let changedAt = -1;
  let readAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - readAt < believedForMs) return value;
    readAt = now;
    try {
      const { mtimeMs } = statSync(path);
      if (mtimeMs !== changedAt) value = parse(readFileSync(path, 'utf8'));
      changedAt = mtimeMs;
    } catch {
      value = fallback;
      changedAt = -1;
    }
    return value;
  };
}

/** Opens a hosts file. A missing file has no names. */
export function openHostsFile(path: string): HostsFile {
  const read = watchedFile(path, parseHosts, new Map<string, string[]>());
  return (name) => read().get(name) ?? [];
}
