// Opens the listeners of this process and explains failures.
import type { createRestServer } from '#rest/server.ts';
import { type Config, ConfigError } from '#config/config.ts';
import { watchDescriptors } from '#metrics/descriptors.ts';
import { StartError } from '#config/start-error.ts';

type Server = ReturnType<typeof createRestServer>;

/** The listeners of this process. */
export type Listeners = ReturnType<typeof createListeners>;

/** Creates the listeners without opening them. */
export function createListeners({ host, port, metrics }: Pick<Config, 'host' | 'port' | 'metrics'>) {
  const servers: Server[] = [];
  let ports: readonly number[] = [port];
  let isListening = false;
  let stopWatch = (): void => {};
  return {
    /** Whether the ports are known. */
    get isListening() {
      return isListening;
    },
    /** Port of the API; the configured one until it listens. */
    get port() {
      return ports[0] ?? port;
    },
    get ports() {
      return ports;
    },
    /**
     * Starts the API listener and, if it has a separate port, the metrics listener. Returns `http://host:port` of the
     * first. Throws StartError or ConfigError with instructions.
     * @param onRefused called while no file can be opened
     */
    async start([server, metricsServer]: readonly Server[], onRefused: () => void): Promise<string> {
      if (server === undefined) throw new Error('no server to listen with');
      servers.push(server);
      stopWatch = watchDescriptors(onRefused);
      const address = await listenAt(server, { host, port, variable: 'PORT' });
      ports = [parsePort(address)];
      if (metrics.port !== null && metricsServer !== undefined) {
        servers.push(metricsServer);
        const place = { host, port: metrics.port, variable: 'TOCSIN_METRICS_PORT' };
        ports = [...ports, parsePort(await listenAt(metricsServer, place))];
      }
      isListening = true;
      return address;
    },
    async close(): Promise<void> {
      stopWatch();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
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

function parsePort(address: string): number {
  return Number(new URL(address).port || 80);
}
