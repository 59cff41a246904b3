// Resolves host names: hosts file and localhost first, then name servers.
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { asciiHost } from '#lib/net/host-name.ts';
import { createResolverWatch, isAbsence, type ResolverWatch } from './resolver-watch.ts';
import { readFileSync, statSync } from 'node:fs';

/** Name sources; the machine's own by default. */
export interface NameSources {
  readonly hostsFile?: string;
  readonly resolverFile?: string;
  /** Name servers as `address:port`. Default: those of the resolver file. */
  readonly servers?: readonly string[];
  /** Name that name servers must answer about if they work; absent or null = none. */
  readonly controlName?: string | null;
}

/** Name lookups, and whether the name servers answer at all. */
export interface Names {
  readonly resolve: ResolveName;
  /** Current name servers, as `address` or `address:port`. */
  readonly servers: () => readonly string[];
  readonly isResolverDown: ResolverWatch['isDown'];
}

/** Resolves a name to all its addresses, IPv4 first. `family` 0 = both. Throws the resolver's error with its `code`. */
export type ResolveName = (name: string, family: 0 | 4 | 6) => Promise<readonly string[]>;

interface ResolverFile {
  readonly search: readonly string[];
  readonly ndots: number;
  readonly resolver: Resolver;
}

/**
 * Resolves names through c-ares. `dns.lookup` blocks a pool thread for each pending name, so a few dead name servers
 * would stop every check.
 */
export function createNames(sources: NameSources, onResolverChange?: (isDown: boolean) => void): Names {
  const hosts = openHostsFile(sources.hostsFile ?? '/etc/hosts');
  const open = (text: string): ResolverFile => {
    const resolver = new Resolver({ timeout: 3000, tries: 2 });
    if (sources.servers !== undefined) resolver.setServers(sources.servers);
    const search = [...text.matchAll(/^(?:search|domain)\s+(.+)$/gm)].at(-1)?.[1]?.trim().split(/\s+/) ?? [];
    return { search, ndots: Number(/^options.*\bndots:(\d+)/m.exec(text)?.[1] ?? 1), resolver };
  };
  const settings = watchedFile(sources.resolverFile ?? '/etc/resolv.conf', open, open(''));

  const servers = (): readonly string[] => settings().resolver.getServers();
  const watch = createResolverWatch({
    servers,
    controlName: sources.controlName ?? null,
    ...(onResolverChange !== undefined && { onChange: onResolverChange }),
  });

  const resolve: ResolveName = async (hostname, family) => {
    const name = (asciiHost(hostname) ?? hostname).toLowerCase().replace(/\.$/, '');
    const known = ofFamily(hosts(name), family);
    if (known.length > 0) return known;
    if (name === 'localhost' || name.endsWith('.localhost')) return ofFamily(['127.0.0.1', '::1'], family);
    const { search, ndots, resolver } = settings();
    const dots = name.split('.').length - 1;
    const isWhole = hostname.endsWith('.');
    const longer = isWhole || dots >= ndots ? [] : search.map((domain) => `${name}.${domain}`);
    // A single label is probably local. A dotted name is tried unchanged first, so that it does not leak.
    const candidates = dots === 0 ? [...longer, name] : [name, ...longer];
    let problem: unknown;
    for (const candidate of candidates) {
      try {
        const found = await ask(resolver, candidate, family);
        watch.noteResolved(candidate);
        return found;
      } catch (error) {
        problem ??= error;
        if (!isAbsence(error)) throw error;
      }
    }
    throw problem;
  };
  return { resolve, servers, isResolverDown: (name) => watch.isDown(asciiHost(name) ?? name) };
}

function ofFamily(addresses: readonly string[], family: 0 | 4 | 6): string[] {
  return addresses
    .filter((address) => family === 0 || isIP(address) === family)
    .toSorted((one, other) => isIP(one) - isIP(other));
}

async function ask(resolver: Resolver, name: string, family: 0 | 4 | 6): Promise<string[]> {
  if (family === 4) return resolver.resolve4(name);
  if (family === 6) return resolver.resolve6(name);
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const errors = [four, six].flatMap((answer): unknown[] => (answer.status === 'rejected' ? [answer.reason] : []));
  // A server failure is more informative than a missing record.
  throw errors.find((error) => !isAbsence(error)) ?? errors[0];
}

/** Returns the addresses of a name (lower case) in the hosts file. */
type HostsFile = (name: string) => readonly string[];

/** Minimum time between checks for changes. */
const believedForMs = 1000;

/** Parses a hosts file to addresses by name. Skips invalid lines. */
function parseHosts(text: string): Map<string, string[]> {
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
function watchedFile<T>(path: string, parse: (text: string) => T, fallback: T): () => T {
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
function openHostsFile(path: string): HostsFile {
  const read = watchedFile(path, parseHosts, new Map<string, string[]>());
  return (name) => read().get(name) ?? [];
}
