// The places of this installation that checks, webhooks and scripts cannot reach (docs/decisions/0027).
import { url as inspectorUrl } from 'node:inspector';
import { isIP } from 'node:net';
import type { Place } from '#egress/place-board.ts';
import type { Config } from './config.ts';

type PlacesConfig = Pick<Config, 'database' | 'listen' | 'publicUrl'> & {
  readonly egress: Pick<Config['egress'], 'proxy'>;
};

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
