// Joins the routes of this process with what they tell.
import { healthOperations } from '#contract/operating/health.ts';
import { healthRoutes, metricsRoute } from '#rest/operating/health.ts';
import type { RestOptions } from '#rest/server.ts';
import type { ActionMeans } from './means.ts';
import type { Config } from '#config/config.ts';
import type { Metrics } from '#metrics/metrics.ts';

/** What the routes are joined with. */
export interface RestMeans extends ActionMeans {
  readonly metrics: Metrics;
  /** Why the service cannot do its work, a sentence each; empty = ready. */
  readonly readiness: () => Promise<readonly string[]>;
  readonly notes: () => Promise<readonly string[]>;
}

/** The routes of this process: health and metrics always, everything else with the role `api` (design §6). */
export async function composeRoutes(means: RestMeans): Promise<Pick<RestOptions, 'routes' | 'operations'>> {
  const { registry } = means.metrics;
  const metrics = { metrics: () => registry.metrics(), contentType: registry.contentType };
  const health = healthRoutes({
    readiness: means.readiness,
    notes: means.notes,
    metrics,
    metricsAccess: means.config.metrics,
  });
  if (!means.config.roles.includes('api')) return { routes: health, operations: healthOperations };
  // A third of all that is loaded: the others start without it.
  const [{ apiRoutes }, { operations }] = await Promise.all([import('./api.ts'), import('#contract/operations.ts')]);
  return { routes: [...health, ...apiRoutes(means)], operations };
}

/** The route of the metrics alone, for a listener of its own. */
export function metricsRoutes(
  { registry }: Metrics,
  { metrics: { token } }: Pick<Config, 'metrics'>,
): Pick<RestOptions, 'routes' | 'operations'> {
  const metrics = { metrics: () => registry.metrics(), contentType: registry.contentType };
  return {
    routes: [metricsRoute({ metrics, metricsAccess: { token, port: null, isClosed: false } })],
    operations: healthOperations,
  };
}
