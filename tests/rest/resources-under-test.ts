// The management API over a real store: keys of two accounts, answers checked against the contract.
import { auditUnderTest } from './audit-under-test.ts';
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { operations } from '#contract/operations.ts';
import { createChannelActions } from '#actions/alerts/alert-channels.ts';
import { createGroupActions } from '#actions/checks/check-groups.ts';
import { createCheckImportActions } from '#actions/checks/check-imports.ts';
import { type CheckDeps, createCheckActions } from '#actions/checks/checks.ts';
import { createPrivateLocationActions } from '#actions/locations/private-locations.ts';
import { createPageAccess } from '#actions/status-pages/page-access.ts';
import { createSnippetActions } from '#actions/scripts/snippets.ts';
import { createClientCertificateActions } from '#actions/accounts/client-certificates.ts';
import { createMaintenanceOccurrenceActions } from '#actions/checks/maintenance-occurrences.ts';
import { createMaintenanceWindowActions } from '#actions/checks/maintenance-windows.ts';
import { createVariableUseActions, createVariableActions } from '#actions/accounts/variables.ts';
import { channelRules } from '#channels/rules.ts';
import { wholeConfig } from '#contract/alerts/alert-channel.ts';
import { kindOf } from '#checks/check-kinds.ts';
import { commonProblems } from '#checks/check-schemas.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { composeStatusPages, routesOfStatusPages } from '#app/http/status-pages.ts';
import { composeMissingVariables, settingsWarnings } from '#app/http/warnings.ts';
import { programReader, scriptRules } from '#app/scripts/script-rules.ts';
import { noGateways } from '#domain/deliveries/gateways.ts';
import { newId } from '#lib/id.ts';
import { alertChannelRoutes } from '#rest/alerts/alert-channels.ts';
import type { KnownKey } from '#rest/authenticate.ts';
import { checkGroupRoutes } from '#rest/checks/check-groups.ts';
import { checkImportRoutes } from '#rest/checks/check-imports.ts';
import { checkRoutes } from '#rest/checks/checks.ts';
import { privateLocationRoutes } from '#rest/locations/private-locations.ts';
import { snippetRoutes } from '#rest/scripts/snippets.ts';
import { clientCertificateRoutes } from '#rest/accounts/client-certificates.ts';
import { maintenanceOccurrenceRoutes, maintenanceWindowRoutes } from '#rest/checks/maintenance-windows.ts';
import { createRestServer } from '#rest/server.ts';
import { variableUseRoutes, variableRoutes } from '#rest/accounts/variables.ts';
import { createScriptReader } from '#sandbox/read-script.ts';
import { noNotifications } from '../support/store/records.ts';
import { currentRuntime } from '../support/scripts/script-runs.ts';
import { openTempStore, type TempStore } from '../support/store/temp-store.ts';
import { foreignId, ownId, runtime } from './rest-under-test.ts';

const keys: Readonly<Record<string, KnownKey>> = {
  tsn_writer: { keyId: 'w', role: 'read-write', accountIds: [ownId] },
  tsn_reader: { keyId: 'r', role: 'read-only', accountIds: [ownId] },
  tsn_foreign: { keyId: 'f', role: 'read-write', accountIds: [foreignId] },
};

/** What came back. `body` is the JSON, or null. */
export interface Reply {
  readonly status: number;
  // eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
  readonly text: string;
  readonly range: string | undefined;
  readonly etag?: string;
  /** The header of a deletion that warns. */
  readonly warningsHeader?: string;
}

export interface Resources extends AsyncDisposable {
  readonly temp: TempStore;
  /** Asks as `as`: the writer unless said otherwise. */
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    as?: keyof typeof keys,
    ifMatch?: string,
  ): Promise<Reply>;
}

/**
 * Checks, groups, channels and variables over a new store; `await using` removes it.
 *
 * @param others runtimes that are installed beside the CURRENT one; what is read in them is not judged
 */
export function resourcesUnderTest(
  reader = createScriptReader(),
  others: () => readonly Runtime[] = () => [],
): Resources {
  const temp = openTempStore();
  const { store, clock } = temp;
  const pageAccess = createPageAccess(Buffer.alloc(32));
  const pingUrl = (token: string): string => `http://tocsin.test/ping/${token}`;
  const installed = { ...runtime, ...currentRuntime };
  const missingVariables = composeMissingVariables(store);
  const choices = {
    ...scriptRules,
    accounts: store.accounts,
    privateLocations: store.privateLocations,
    snippets: store.snippets,
    statusServices: store.statusServices,
    scriptFault: reader.scriptFault,
    settingsWarnings,
    missingVariables,
    scriptsRefused: () => Promise.resolve(null),
    programFault: programReader(() => [installed], reader),
    scriptFiles: store.scriptFiles,
    locations: () => [{ code: 'local' }, { code: 'eu-west-1' }],
    runtimes: () => [installed, ...others()],
    now: () => clock.now(),
  };
  const channels = { ...channelRules, missing: () => null, wholeConfig, alertChannels: store.alertChannels };
  const drafts: CheckDeps = {
    ...choices,
    checks: { ...store.checks, remove: (accountId, id) => store.checks.remove(accountId, id, noNotifications) },
    checkGroups: store.checkGroups,
    validateSettings: (type, settings) => kindOf(type).validateSettings(settings),
    commonProblems,
    newId,
    newToken: randomUUID,
    pingUrl,
  };
  const server: FastifyInstance = createRestServer({
    operations,
    routes: [
      ...variableRoutes(createVariableActions({ variables: store.variables, missingVariables })),
      ...variableUseRoutes(createVariableUseActions(store)),
      ...clientCertificateRoutes(createClientCertificateActions(store)),
      ...privateLocationRoutes(createPrivateLocationActions({ ...store, newId, now: () => clock.now() })),
      ...snippetRoutes(createSnippetActions(choices)),
      ...routesOfStatusPages(
        composeStatusPages({
          store,
          clock,
          pageAccess,
          config: { gateways: noGateways, serverTimeZone: 'UTC' },
          wake: () => undefined,
        }),
        {
          publicUrl: () => 'http://tocsin.test',
          clock,
          pageAccess,
        },
      ),
      ...maintenanceWindowRoutes(createMaintenanceWindowActions({ ...store, targetOf: () => null, clock })),
      ...maintenanceOccurrenceRoutes(createMaintenanceOccurrenceActions({ ...store, clock })),
      ...checkRoutes(createCheckActions(drafts)),
      ...checkImportRoutes(createCheckImportActions({ drafts, checks: store.checks })),
      ...checkGroupRoutes(
        createGroupActions({ ...choices, ...channels, pingUrl, checks: store.checks, checkGroups: store.checkGroups }),
      ),
      ...alertChannelRoutes(
        createChannelActions({
          ...channels,
          accounts: store.accounts,
          serverTimeZone: 'UTC',
          variables: store.variables,
          checkGroups: store.checkGroups,
          clock,
          onWritten: () => undefined,
        }),
      ),
    ],
    authenticate: (key) => keys[key] ?? null,
    log: {
      error: (details) => {
        throw new Error(`the server logged a fault: ${JSON.stringify(details)}`, { cause: details });
      },
    },
    rateLimit: 0,
    accountRateLimit: 0,
    now: () => clock.now(),
    isUnavailable: () => false,
    checkResponses: true,
    audit: auditUnderTest,
  });
  return {
    temp,
    async ask(method, path, body, as = 'tsn_writer', ifMatch) {
      const headers = { authorization: `Bearer ${as}`, ...(ifMatch !== undefined && { 'if-match': ifMatch }) };
      const reply = await server.inject({ method, url: path, headers, ...(body && { payload: body }) });
      const { etag, 'content-range': range, 'x-service-warnings': warnings } = reply.headers;
      return {
        status: reply.statusCode,
        body:
          reply.headers['content-type']?.toString().startsWith('application/json') === true && reply.body !== ''
            ? reply.json()
            : null,
        text: reply.body,
        ...(typeof etag === 'string' && { etag }),
        range: typeof range === 'string' ? range : undefined,
        ...(typeof warnings === 'string' && { warningsHeader: warnings }),
      };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await temp[Symbol.asyncDispose]();
    },
  };
}
