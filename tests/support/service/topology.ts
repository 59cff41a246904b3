// deploy/compose.postgres.yaml as plain processes: the same services with the same environment, their addresses on loopback.
import assert from 'node:assert/strict';
import { readCompose, readImage } from './deploy-files.ts';
import type { Cleanup } from '../targets/scripted-server.ts';
import { type Service, startService } from './service.ts';

/** The part of a service's environment that is about the place where it runs, and so is another one here. */
const ofThePlace = ['HOST', 'PORT', 'TOCSIN_METRICS_PORT', 'TOCSIN_DATA_DIR', 'NODE_ENV', 'PATH'];

/** What metrics are read with. */
export const metricsToken = 'metrics'.repeat(4);

/** The services, by name. */
export interface Topology {
  readonly services: ReadonlyMap<string, Service>;
  readonly api: Service;
  /** Stops all at once; the exit code of each. */
  stop(): Promise<readonly (number | null)[]>;
}

/**
 * Starts each and waits until it is ready.
 *
 * @param variables what deploy/.env holds
 * @param port where the PostgreSQL is that stands for the service of that name
 */
export async function startTopology(
  t: Cleanup,
  variables: Readonly<Record<string, string>>,
  port: number,
): Promise<Topology> {
  const image = readImage();
  const composed = readCompose(variables).services.filter(({ settings }) => settings['image'] === image.tag);
  const services = new Map<string, Service>();
  // One after the other: five at once on a busy machine would each take as long as all together.
  for (const { name, environment } of composed) {
    const whole = Object.entries({ ...image.environment, ...environment });
    const reported = Object.fromEntries(whole.filter(([variable]) => !ofThePlace.includes(variable)));
    const { DATABASE_URL = '' } = reported;
    const here = {
      DATABASE_URL: DATABASE_URL.replace('@database:5432/', `@127.0.0.1:${port}/`),
      // What a test looks at is on this machine.
      TOCSIN_EGRESS_ALLOW: '127.0.0.0/8',
      // The services share a host, where they cannot share a port of their own for metrics.
      TOCSIN_METRICS_TOKEN: metricsToken,
    };
    services.set(name, await startService(t, { ...reported, ...here }));
  }
  const api = services.get('api');
  assert.ok(api, 'a service is called api');
  return {
    services,
    api,
    stop: () => Promise.all([...services.values()].map(async (service) => (await service.stop()).code)),
  };
}
