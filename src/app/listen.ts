// Where this process listens, and what to do when it cannot.
import type { createRestServer } from '#rest/server.ts';
import { type Config, ConfigError } from '#config/config.ts';
import { connectionsFor, descriptorLimit, metricsConnections, watchDescriptors } from '#metrics/descriptors.ts';
import { StartError } from '#config/start-error.ts';

type Server = ReturnType<typeof createRestServer>;

/** The listeners of this process. */
export interface Listeners {
  /** Whether the ports are known. */
  readonly isListening: boolean;
  /** That of the API, as configured until it is known. */
  readonly port: number;
  readonly ports: readonly number[];
  /**
   * Listens with the server of the API and that of the metrics, with the latter only where it has a port; answers with
   * `http://host:port` of the first one. Throws StartError or ConfigError with what to do.
   *
   * @param onRefused called for each connection that is not taken, and while no file can be opened
   */
  start(servers: readonly Server[], onRefused: () => void): Promise<string>;
  close(): Promise<void>;
}

/** Makes them, not yet listening. */
export function createListeners({ host, port, metrics }: Pick<Config, 'host' | 'port' | 'metrics'>): Listeners {
  const servers: Server[] = [];
  let ports: readonly number[] = [port];
  let isListening = false;
  let stopWatch = (): void => {};
  return {
    get isListening() {
      return isListening;
    },
    get port() {
      return ports[0] ?? port;
    },
    get ports() {
      return ports;
    },
    async start([server, metricsServer], onRefused) {
      if (server === undefined) throw new Error('there is no server to listen with');
      servers.push(server);
      takeConnections(server, connectionsFor(descriptorLimit()), onRefused);
      stopWatch = watchDescriptors(onRefused);
      const address = await listenAt(server, { host, port, variable: 'PORT' });
      ports = [portOf(address)];
      if (metrics.port !== null && metricsServer !== undefined) {
        servers.push(metricsServer);
        takeConnections(metricsServer, metricsConnections, () => undefined);
        const place = { host, port: metrics.port, variable: 'TOCSIN_METRICS_PORT' };
        ports = [...ports, portOf(await listenAt(metricsServer, place))];
      }
      isListening = true;
      return address;
    },
    async close() {
      stopWatch();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** Only as many at once as leave descriptors for our own work. */
function takeConnections({ server }: Server, most: number, onRefused: () => void): void {
  server.maxConnections = most;
  server.on('drop', onRefused);
}

async function listenAt(
  server: Server,
  { host, port, variable }: { readonly host: string; readonly port: number; readonly variable: string },
): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `port ${port} on ${host} is in use: stop the other process or set ${variable} to a free port (0 = any)`,
      );
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new ConfigError(
        `HOST ${host} is not an address of this machine; use 127.0.0.1, or 0.0.0.0 for all addresses`,
      );
    }
    if (code === 'EACCES')
      throw new StartError(`port ${port} requires root privileges: set ${variable} to a port above 1023`);
    throw cause;
  }
}

function portOf(address: string): number {
  return Number(new URL(address).port || 80);
}
