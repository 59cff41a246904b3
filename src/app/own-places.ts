// The places of this installation that checks, webhooks and scripts cannot reach (docs/decisions/0027).
import { url as inspectorUrl } from 'node:inspector';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { ProcessSign } from '#domain/accounts/process.ts';
import { createPlaceBoard, type Place, type PlaceBoard, writePlaces } from '#egress/place-board.ts';
import { type Config, isLoopbackHost } from '#config/config.ts';

type PlacesConfig = Pick<Config, 'database' | 'listen' | 'publicUrl'> & {
  readonly egress: Pick<Config['egress'], 'proxy'>;
};

/** What every thread of this process knows of them. */
export interface KnownPlaces {
  readonly board: PlaceBoard;
  /** Learns of the other processes, and of the ports that this one listens on by now. */
  readonly learn: (others: readonly ProcessSign[]) => void;
}

/** The port may not be known before the process listens, nor which other processes there are. */
export function createKnownPlaces(config: PlacesConfig, listening: { readonly ports: readonly number[] }): KnownPlaces {
  const board = createPlaceBoard(ownPlaces(config, listening.ports));
  return {
    board,
    learn: (others) => writePlaces(board, [...ownPlaces(config, listening.ports), ...placesOfOthers(others)]),
  };
}

/**
 * Lists them: the database, the proxy, the public URL, and what this process listens on.
 *
 * @param ports those that this process listens on
 */
export function ownPlaces(config: PlacesConfig, ports: readonly number[]): readonly Place[] {
  const { proxy } = config.egress;
  return [
    ...ports.filter((port) => port > 0).map((port): Place => ({ host: '127.0.0.1', port, owner: 'tocsin' })),
    ...databasePlaces(config),
    ...(proxy === null ? [] : [{ host: proxy.host, port: proxy.port, owner: 'proxy' } as const]),
    ...urlPlaces(config.publicUrl, true),
    ...urlPlaces(inspectorUrl() ?? null, false),
  ];
}

/** What a process listens on, as others reach it: a wildcard stands for every address of this machine. */
export function listenersOf(host: string, ports: readonly number[]): ProcessSign['listeners'] {
  const isWildcard = host === '0.0.0.0' || host === '::';
  const all = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
  return ports
    .filter((port) => port > 0)
    .flatMap((port) => (isWildcard ? all : [host]).map((each) => ({ host: each, port })));
}

/** The listeners of the other processes; a loopback address means this machine only if they run on it. */
export function placesOfOthers(processes: readonly ProcessSign[]): readonly Place[] {
  return processes.flatMap(({ host, listeners }) =>
    listeners
      .filter((listener) => host === hostname() || !isLoopbackHost(listener.host))
      .map((listener): Place => ({ ...listener, owner: 'tocsin' })),
  );
}

/** The servers of the database. For a Unix socket: the same port of this machine, where its server usually listens too. */
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
  // Behind a reverse proxy the same address serves other sites too.
  return [{ host, port, owner: 'tocsin', isNameOnly: isShared && isIP(host) === 0 }];
}
