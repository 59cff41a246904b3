// Addresses of this installation that checks, webhooks and scripts must not reach (docs/decisions/0027).
import { url as inspectorUrl } from 'node:inspector';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { ProcessSign } from '#domain/accounts/process.ts';
import { createPlaceBoard, type Place, writePlaces } from '#egress/closed-places.ts';
import { type Config, isLoopbackHost } from '#config/config.ts';

type PlacesConfig = Pick<Config, 'database' | 'listen' | 'publicUrl'> & {
  readonly egress: Pick<Config['egress'], 'proxy'>;
};

/** The addresses known to all threads of this process. */
export type KnownPlaces = ReturnType<typeof createKnownPlaces>;

/** Ports are unknown before the process listens, and other processes start and stop. */
export function createKnownPlaces(config: PlacesConfig, listening: { readonly ports: readonly number[] }) {
  const board = createPlaceBoard(ownAddresses(config, listening.ports));
  return {
    board,
    /** Updates the addresses of other processes and the ports of this one. */
    learn: (others: readonly ProcessSign[]): void =>
      writePlaces(board, [...ownAddresses(config, listening.ports), ...placesOfOthers(others)]),
  };
}

/**
 * Lists the database, the proxy, the public URL and this process's listeners.
 * @param ports ports that this process listens on
 */
export function ownAddresses(config: PlacesConfig, ports: readonly number[]): readonly Place[] {
  const { proxy } = config.egress;
  return [
    ...ports.filter((port) => port > 0).map((port): Place => ({ host: '127.0.0.1', port, owner: 'tocsin' })),
    ...databasePlaces(config),
    ...(proxy === null ? [] : [{ host: proxy.host, port: proxy.port, owner: 'proxy' } as const]),
    ...urlPlaces(config.publicUrl, true),
    ...urlPlaces(inspectorUrl() ?? null, false),
  ];
}

/** Listening addresses of a process as other processes reach them; a wildcard means every address of this machine. */
export function listenersOf(host: string, ports: readonly number[]): ProcessSign['listeners'] {
  const isWildcard = host === '0.0.0.0' || host === '::';
  const all = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  return ports
    .filter((port) => port > 0)
    .flatMap((port) => (isWildcard ? all : [host]).map((each) => ({ host: each, port })));
}

/** Listeners of other processes. A loopback address means this machine only if they run on it. */
export function placesOfOthers(processes: readonly ProcessSign[]): readonly Place[] {
  return processes.flatMap(({ host, listeners }) =>
    listeners
      .filter((listener) => host === hostname() || !isLoopbackHost(listener.host))
      .map((listener): Place => ({ ...listener, owner: 'tocsin' })),
  );
}

/** Database servers. For a Unix socket: the same port of this machine, where the server usually listens too. */
function databasePlaces({ database, listen }: Pick<Config, 'database' | 'listen'>): readonly Place[] {
  if (database.kind === 'sqlite') return [];
  const all = [database.address, ...(listen === null || listen === 'off' ? [] : [listen])];
  return all.map(({ host, port }) => ({ host: host.startsWith('/') ? '127.0.0.1' : host, port, owner: 'database' }));
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 };

function urlPlaces(text: string | null, isShared: boolean): readonly Place[] {
  const url = text === null ? null : URL.parse(text);
  if (url === null) return [];
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (defaultPorts[url.protocol] ?? 0) : Number(url.port);
  // Only the host name: behind a reverse proxy, the address also serves other sites.
  return [{ host, port, owner: 'tocsin', isNameOnly: isShared && isIP(host) === 0 }];
}
