// Builds the routes of this process.
import { join } from 'node:path';
import { healthOperations } from '#contract/operating/health.ts';
import { errorMessage } from '#lib/errors.ts';
import type { McpOptions } from '#rest/mcp/mcp.ts';
import { healthRoutes, metricsRoute } from '#rest/operating/health.ts';
import { packageFolder } from '#lib/package-files.ts';
import type { RestOptions } from '#rest/server.ts';
import { runAs } from '#store/base/audit/acting.ts';
import { createWebFiles } from '#rest/web-files.ts';
import type { ActionDeps } from './deps.ts';
import { composePageVisits } from './page-visits.ts';
import { composeIdentityProvider } from './identity-provider.ts';
import type { PathDeps } from '../path/step-deps.ts';
import type { Config } from '#config/config.ts';
import { version } from '#config/version.ts';
import type { Metrics } from '#metrics/metrics.ts';

const noSteps = { applyCheckChanges: null, applyFolder: null, takeUpPages: null };

export interface RestDeps extends Omit<ActionDeps, 'provider'> {
  readonly metrics: Metrics;
  /** Why the service cannot work, a sentence each; empty = ready. */
  readonly readiness: () => Promise<readonly string[]>;
  readonly notes: () => Promise<readonly string[]>;
}

/** The routes of this process: health and metrics always, all others with the role `api` (design §6). */
export async function composeRoutes(deps: RestDeps): Promise<
  Pick<RestOptions, 'routes' | 'operations' | 'webFiles' | 'audit' | 'mqtt' | 'visits'> & {
    readonly steps: Pick<PathDeps, 'applyCheckChanges' | 'applyFolder' | 'takeUpPages'>;
  }
> {
  const { registry } = deps.metrics;
  const metrics = { metrics: () => registry.metrics(), contentType: registry.contentType };
  const health = healthRoutes({
    readiness: deps.readiness,
    notes: deps.notes,
    metrics,
    metricsAccess: deps.config.metrics,
  });
  if (!deps.config.roles.includes('api')) {
    return { routes: health, operations: healthOperations, steps: noSteps };
  }
  // Loaded on demand, because it is a third of all code.
  const [{ composeApi }, { mcpRoutes }, { operations }, { isAudited }] = await Promise.all([
    import('./api.ts'),
    import('#rest/mcp/mcp.ts'),
    import('#contract/operations.ts'),
    import('#contract/unaudited.ts'),
  ]);
  const webFiles = createWebFiles(join(packageFolder, 'dist', 'web'));
  const { visits, takeUpPages } = composePageVisits(deps);
  const { routes, mqtt, applyCheckChanges, applyFolder } = composeApi(
    { ...deps, provider: composeIdentityProvider(deps) },
    webFiles,
  );
  const { config, publicUrl, resultHints, stopping, log } = deps;
  const audit = { isAudited, runAs };
  const hosts = { publicUrl, allowed: config.allowedHosts };
  const onError: McpOptions['onError'] = (error, details) =>
    log.error('mcp.failed', { ...details, error: errorMessage(error) });
  const mcp = mcpRoutes(
    config.servesMcp ? { routes, audit, hosts, version, resultHints: resultHints.listen, stopping, onError } : null,
  );
  return {
    routes: [...health, ...routes, ...mcp],
    operations,
    webFiles,
    ...(mqtt && { mqtt }),
    audit,
    visits,
    steps: { applyCheckChanges, applyFolder, takeUpPages },
  };
}

/** The metrics route, for a separate listener. */
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
