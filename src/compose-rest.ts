// Joins every action with the store and every route with its action.
import { createAccountActions } from '#actions/accounts.ts';
import type { Authentication } from '#actions/authenticate.ts';
import { requirePermission } from '#actions/permission.ts';
import { notFound } from '#actions/refusal.ts';
import type { ResultLinks } from '#actions/result-links.ts';
import { createVariableActions } from '#actions/variables.ts';
import type { WebhookSender } from '#channels/webhook/send.ts';
import type { Clock } from '#lib/clock.ts';
import type { Hints } from '#lib/hints.ts';
import { accountRoutes } from '#rest/accounts.ts';
import { docsRoutes } from '#rest/docs.ts';
import { healthRoutes } from '#rest/health.ts';
import type { Route } from '#rest/route.ts';
import { runtimeRoutes } from '#rest/runtimes.ts';
import { variableRoutes } from '#rest/variables.ts';
import type { Store } from '#store/store.ts';
import type { LoadedRuntimes } from './compose-runtimes.ts';
import type { Config } from './config.ts';
import type { Metrics } from './metrics.ts';
import type { LoopName } from './roles.ts';
import { version } from './version.ts';

/** What the routes are joined with. */
export interface RestMeans {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly runtimes: LoadedRuntimes;
  readonly authentication: Authentication;
  readonly sender: WebhookSender;
  readonly metrics: Metrics;
  readonly links: ResultLinks;
  readonly userAgent: string;
  /** Where people reach this server; known once it listens. */
  readonly publicUrl: () => string;
  readonly wake: (name: LoopName) => void;
  /** Hints that results were recorded. */
  readonly resultHints: Hints;
  /** Why the service cannot do its work, a sentence each; empty = ready. */
  readonly readiness: () => Promise<readonly string[]>;
}

/** The routes of this process: health and metrics always, everything else with the role `api` (design §6). */
export function composeRoutes(means: RestMeans): Route[] {
  const { config, store, clock, runtimes, authentication, metrics, readiness, publicUrl } = means;
  const health = healthRoutes({
    readiness,
    metrics: { metrics: () => metrics.registry.metrics(), contentType: metrics.registry.contentType },
  });
  if (!config.roles.includes('api')) return health;
  return [
    ...health,
    ...accountRoutes(
      createAccountActions({
        accounts: store.accounts,
        runtimes: runtimes.list,
        forgetKey: authentication.forget,
        clock,
      }),
    ),
    ...docsRoutes({ version, server: publicUrl }),
    ...variableRoutes(createVariableActions({ variables: store.variables })),
    ...runtimeRoutes({
      list(caller) {
        requirePermission(caller, 'read');
        return runtimes.list();
      },
      find(caller, name) {
        requirePermission(caller, 'read');
        const runtime = runtimes.list().find((listed) => listed.name === name);
        if (runtime === undefined) throw notFound('runtime', name);
        return runtime;
      },
    }),
  ];
}
