// The machine's hosts file, read again when it has changed: it is asked before any resolver.
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** The addresses that a hosts file gives a name, lower case; none when it does not know it. */
export type HostsFile = (name: string) => readonly string[];

/** How long a reading is believed before the file's time of change is looked at again, ms. */
const believedForMs = 1000;

/** Addresses by name out of the text of a hosts file; lines it does not understand are passed over. */
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

/** A file re-read when its time of change moves; `fallback` while it cannot be read. */
export function watchedFile<T>(path: string, parse: (text: string) => T, fallback: T): () => T {
  let value = fallback;
  let changedAt = -1;
  let lookedAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - lookedAt < believedForMs) return value;
    lookedAt = now;
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

/** Opens a hosts file for asking. A missing one knows no names. */
export function openHostsFile(path: string): HostsFile {
  const read = watchedFile(path, parseHosts, new Map<string, string[]>());
  return (name) => read().get(name) ?? [];
}
