// Where this process listens, and what to do when it cannot.
import type { createRestServer } from '#rest/server.ts';
import { type Config, ConfigError } from './config.ts';
import { StartError } from './start-error.ts';

/** Listens; answers with `http://host:port`. Throws StartError or ConfigError with what to do. */
export async function listenAt(
  server: ReturnType<typeof createRestServer>,
  { host, port, variable = 'PORT' }: { readonly host: string; readonly port: number; readonly variable?: string },
): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `port ${port} on ${host} is in use: stop what listens there, or set ${variable} to a free one (0 = any)`,
      );
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new ConfigError(
        `HOST ${host} is not an address of this machine: right would be 127.0.0.1, or 0.0.0.0 for all`,
      );
    }
    if (code === 'EACCES')
      throw new StartError(`port ${port} may not be used by this user: set ${variable} to one above 1023`);
    throw cause;
  }
}

/** Listens for metrics on their own port. Answers and throws as `listenAt` does. */
export function listenForMetrics(
  server: ReturnType<typeof createRestServer>,
  { host, metrics }: Pick<Config, 'host' | 'metrics'>,
): Promise<string> {
  return listenAt(server, { host, port: metrics.port ?? 0, variable: 'TOCSIN_METRICS_PORT' });
}

/** The port of an address that was listened on. */
export function portOf(address: string): number {
  return Number(new URL(address).port || 80);
}
