// A REST server over a real store in a folder of its own: keys, accounts, triggers, results, deliveries as in the product.
import { createAuditLogActions } from '#actions/accounts/audit-log.ts';
import { auditLogRoutes } from '#rest/accounts/audit-log.ts';
import { auditUnderTest } from './audit-under-test.ts';
import type { FastifyInstance } from 'fastify';
import { operations } from '#contract/operations.ts';
import { createAccountActions } from '#actions/accounts/accounts.ts';
import { createAlertNotificationActions } from '#actions/alerts/alert-notifications.ts';
import { createApiKeyActions } from '#actions/accounts/api-keys.ts';
import { createAuthentication } from '#actions/accounts/authenticate.ts';
import { createAcknowledgeActions, createIncidentActions } from '#actions/alerts/incidents.ts';
import { createAcknowledgeLinks } from '#actions/alerts/acknowledge-links.ts';
import { incidentRoutes } from '#rest/alerts/incidents.ts';
import { createBadgeLinks } from '#actions/badges/badge-links.ts';
import { createBadgeActions } from '#actions/badges/badges.ts';
import { badgeRoutes } from '#rest/badges/badges.ts';
import { createCheckAlertActions } from '#actions/alerts/check-alerts.ts';
import { createDownloads, type DownloadBounds, type Downloads } from '#actions/results/asset-downloads.ts';
import { createCheckResultActions } from '#actions/results/check-results.ts';
import { createResultPageActions } from '#actions/results/result-page.ts';
import { createCheckStatusActions } from '#actions/checks/check-statuses.ts';
import { createHeldDeliveryActions } from '#actions/alerts/held-deliveries.ts';
import { createDeliveryActions } from '#actions/alerts/deliveries.ts';
import { createRedactorOf } from '#actions/alerts/delivery-redactor.ts';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import { createLocationActions } from '#actions/locations/locations.ts';
import { createNoticeActions } from '#actions/operating/notices.ts';
import { createProcessActions } from '#actions/operating/processes.ts';
import { notFound } from '#actions/refusal.ts';
import { createLiveEventActions, type LiveBounds } from '#actions/results/live-events.ts';
import { createOverviewActions } from '#actions/results/overview.ts';
import { createResultLinks, type ResultLinks } from '#actions/signed-links.ts';
import { createFindPingMasker } from '#actions/heartbeats/ping-masker.ts';
import { createRedactor } from '#checks/parts/redact.ts';
import { createTriggerCallActions } from '#actions/checks/trigger-calls.ts';
import { createStormNotices, createSilentCheckNotices } from '#actions/alerts/alert-notices.ts';
import { createTriggerActions } from '#actions/checks/triggers.ts';
import { channelRules } from '#channels/rules.ts';
import { kindOf } from '#checks/check-kinds.ts';
import type { AnyKind } from '#checks/kind.ts';
import { scriptRules } from '#app/scripts/script-rules.ts';
import { composeMissingVariables } from '#app/http/warnings.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { accountRoutes } from '#rest/accounts/accounts.ts';
import { apiKeyRoutes } from '#rest/accounts/api-keys.ts';
import { checkResultRoutes } from '#rest/results/check-results.ts';
import { checkStatusRoutes } from '#rest/checks/check-statuses.ts';
import { deliveryRoutes } from '#rest/alerts/deliveries.ts';
import { heldDeliveryRoutes } from '#rest/alerts/held-deliveries.ts';
import { locationRoutes } from '#rest/locations/locations.ts';
import { noticeRoutes } from '#rest/operating/notices.ts';
import { liveEventRoutes } from '#rest/results/live-events.ts';
import { overviewRoutes } from '#rest/results/overview.ts';
import { processRoutes } from '#rest/operating/processes.ts';
import { runtimeRoutes } from '#rest/checks/runtimes.ts';
import { createRestServer } from '#rest/server.ts';
import { triggerRoutes } from '#rest/checks/triggers.ts';
import type { Store } from '#store/store.ts';
import { cliResultRoutes } from '#rest/vendor/results.ts';
import { openTempStore, type TempStore, type ShiftedClock } from '../support/store/temp-store.ts';

const runtimes: readonly Runtime[] = [
  {
    name: '2026.10',
    stage: 'CURRENT',
    multiStepSupport: false,
    nodeJsVersion: 'v24.21.0',
    dependencies: { axios: '1.13.4' },
    runtimeEndOfLife: null,
    description: null,
  },
];

/** A server, its store, and the key and account of the first start. */
export interface ServerOnStore extends TempStore {
  readonly server: FastifyInstance;
  readonly key: string;
  readonly accountId: string;
  readonly links: ResultLinks;
  /** Hints those who wait that results were recorded. */
  hint(): void;
  /** Ends streams, as a process that stops. */
  stop(): void;
  /** Whether anybody waits for results. */
  isWaited(): boolean;
  /** The headers of a call by that key (default: the first), in that account. */
  as(key?: string, account?: string): Record<string, string>;
}

/** Opens it; answers are compared with the contract. `await using` closes everything. */
/** How the server differs from the usual one. */
export interface ServerLook {
  readonly downloads?: DownloadBounds;
  /** Requests per minute and key; default: unlimited. */
  readonly rateLimit?: number;
  /** Bounds of live updates, and how often their keys are checked. */
  readonly live?: { readonly bounds?: Partial<LiveBounds>; readonly commentEveryMs?: number };
}

export async function openServer({ downloads, rateLimit = 0, live = {} }: ServerLook = {}): Promise<ServerOnStore> {
  const stopping = new AbortController();
  const temp = openTempStore();
  const { store, clock } = temp;
  const first = await ensureFirstAccount({ apiKeys: store.apiKeys, clock });
  if (first === null) throw new Error('a new store has an account already');
  const hints = new Set<() => void>();
  const resultHints = (wake: () => void) => {
    hints.add(wake);
    return () => hints.delete(wake);
  };
  const links = createResultLinks(signer);
  const authentication = createAuthentication({ ...store, clock });
  const server = createRestServer({
    operations,
    routes: [
      ...accountRoutes(
        createAccountActions({
          ...store,
          ...scriptRules,
          runtimes: () => runtimes,
          forget: authentication.forget,
          clock,
        }),
      ),
      ...auditLogRoutes(createAuditLogActions(store)),
      ...apiKeyRoutes(createApiKeyActions({ apiKeys: store.apiKeys, forgetKey: authentication.forget, clock })),
      ...runtimeRoutes({
        list: () => runtimes,
        find: (_caller, name) => {
          throw notFound('runtime', name);
        },
      }),
      ...routesOfRows({ ...store, download: createDownloads(downloads) }, clock, links, resultHints),
      ...liveEventRoutes(createLiveEventActions({ ...store, hints: [resultHints], bounds: live.bounds ?? {} }), {
        version: '0.0.0',
        startedAt: clock.now(),
        stopping: stopping.signal,
        onForgotten: authentication.onForgotten,
        commentEveryMs: live.commentEveryMs ?? 15_000,
      }),
    ],
    authenticate: authentication.authenticate,
    log: { error: (details) => console.error(details) },
    rateLimit,
    accountRateLimit: 0,
    now: () => clock.now(),
    isUnavailable: () => false,
    checkResponses: true,
    audit: auditUnderTest,
  });
  return {
    ...temp,
    server,
    links,
    key: first.key,
    accountId: first.accountId,
    hint: () => {
      for (const wake of hints) wake();
    },
    isWaited: () => hints.size > 0,
    stop: () => stopping.abort(),
    as: (key = first.key, account) => ({
      authorization: `Bearer ${key}`,
      ...(account !== undefined && { 'x-service-account': account }),
    }),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await server.close();
      await temp[Symbol.asyncDispose]();
    },
  };
}

const signer = { publicUrl: () => 'http://tocsin.test', secret: new Uint8Array(32).fill(3) };

/** ACK_LINKs of these servers. */
export const acknowledgeLinks = createAcknowledgeLinks(signer);

/** Links to badges of these servers. */
export const badgeLinks = createBadgeLinks(signer);

function routesOfRows(
  store: Store & { readonly download: Downloads },
  clock: ShiftedClock,
  links: ResultLinks,
  resultHints: (wake: () => void) => () => void,
) {
  const describeResult = (
    checkType: CheckType,
    result: Parameters<AnyKind['describeResult']>[0] & { details: JsonValue },
    exchange: JsonObject | null,
  ) => kindOf(checkType).describeResult(result, exchange);
  const findPingMasker = createFindPingMasker({ ...store, hide: (values) => createRedactor(values).text });
  const redactorOf = createRedactorOf({
    rules: channelRules,
    channelOf: async (accountId, id) => (await store.alertChannels.find(accountId, id))?.channel ?? null,
    variablesOf: (accountId) => store.variables.all(accountId),
    groupVariablesOf: async () => [],
  });
  const started = { ...store, links, servedLocations: () => ['local'], wake: () => {}, clock };
  const checkResults = createCheckResultActions({ ...store, describeResult });
  return [
    ...cliResultRoutes(checkResults),
    ...triggerRoutes(createTriggerActions(started), createTriggerCallActions({ ...started, resultHints })),
    ...checkResultRoutes(
      checkResults,
      createResultPageActions({ ...store, serverTimeZone: 'UTC', describeResult, findPingMasker, links, clock }),
    ),
    ...checkStatusRoutes(createCheckStatusActions({ ...store, clock }), createCheckAlertActions({ ...store, clock })),
    ...incidentRoutes(
      createIncidentActions(store),
      createAcknowledgeActions({
        ...store,
        serverTimeZone: 'UTC',
        links: acknowledgeLinks,
        onAcknowledged: () => {},
        clock,
      }),
      () => clock.now(),
    ),
    ...overviewRoutes(createOverviewActions({ ...store, afterGaps: async () => true, targetOf: () => null, clock })),
    ...badgeRoutes(createBadgeActions({ ...store, targetOf: () => null, links: badgeLinks, clock })),
    ...deliveryRoutes(
      createDeliveryActions({ ...store, redactorOf, wake: () => {} }),
      createAlertNotificationActions({ ...store, ...channelRules, redactorOf, clock }),
    ),
    ...noticeRoutes(
      createNoticeActions({
        missingVariables: composeMissingVariables(store),
        silentCheckNotices: createSilentCheckNotices(store),
        stormNotices: createStormNotices(store),
        ...store,
        runtimeEnds: async () => [],
        missingBrowsers: async () => [],
        ownFaultNotices: async () => [],
        silentLocations: async () => [],
        processNotices: () => [],
        brokenChannels: async () => [],
      }),
    ),
    ...heldDeliveryRoutes(createHeldDeliveryActions({ ...store, wake: () => {} })),
    ...processRoutes(createProcessActions({ ...store, clock })),
    ...locationRoutes(
      createLocationActions(() => [{ code: 'local', name: 'Local', silentSince: null, isPrivate: false }]),
    ),
  ];
}
