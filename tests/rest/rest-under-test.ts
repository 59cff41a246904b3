// A REST server for tests: keys and resources in memory, answers checked against the contract.
import type { FastifyInstance } from 'fastify';
import { operations } from '#contract/operations.ts';
import type { AccountActions, NewAccount } from '#actions/accounts/accounts.ts';
import { notFound } from '#actions/refusal.ts';
import { createVariableActions, type VariableActions } from '#actions/accounts/variables.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import { merged } from '#domain/patch.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { accountRoutes } from '#rest/accounts/accounts.ts';
import type { KnownKey } from '#rest/authenticate.ts';
import { healthRoutes, type MetricsAccess } from '#rest/operating/health.ts';
import { runtimeRoutes } from '#rest/checks/runtimes.ts';
import { createRestServer, type RestOptions } from '#rest/server.ts';
import { variableRoutes } from '#rest/accounts/variables.ts';

export const ownId = '0199f0c4-0000-7000-8000-000000000001';
export const secondId = '0199f0c4-0000-7000-8000-000000000002';
export const foreignId = '0199f0c4-0000-7000-8000-000000000003';

export const keys: Readonly<Record<string, KnownKey>> = {
  tsn_operator: { keyId: 'o', role: 'operator', accountIds: [ownId, secondId] },
  tsn_admin: { keyId: 'a', role: 'admin', accountIds: [ownId, secondId] },
  tsn_writer: { keyId: 'w', role: 'read-write', accountIds: [ownId] },
  tsn_reader: { keyId: 'r', role: 'read-only', accountIds: [ownId] },
};

export const runtime: Runtime = {
  name: '2026.04',
  stage: 'CURRENT',
  multiStepSupport: true,
  nodeJsVersion: 'v24.13.1',
  dependencies: { axios: '1.13.4', playwright: '1.58.2' },
  runtimeEndOfLife: null,
  description: null,
};

/** What was logged, by message, and what a route threw. */
export interface Logged {
  readonly lines: { readonly details: object; readonly message: string }[];
}

/** The server, not listening; `inject` works at once. */
export function restUnderTest({
  metricsAccess = { token: null, port: null, isClosed: false },
  ...overrides
}: Partial<RestOptions> & { readonly metricsAccess?: MetricsAccess } = {}): {
  server: FastifyInstance;
  logged: Logged;
} {
  const logged: Logged = { lines: [] };
  const runtimes = [runtime];
  const server = createRestServer({
    operations,
    routes: [
      ...variableRoutes(variablesInMemory()),
      ...accountRoutes(accountsInMemory()),
      ...runtimeRoutes({
        list: () => runtimes,
        find: (_caller, name) => {
          const found = runtimes.find((each) => each.name === name);
          if (found === undefined) throw notFound('runtime', name);
          return found;
        },
      }),
      ...healthRoutes({
        readiness: async () => [],
        notes: async () => [],
        metrics: { metrics: async () => 'up 1\n', contentType: 'text/plain; version=0.0.4; charset=utf-8' },
        metricsAccess,
      }),
    ],
    authenticate: (key) => keys[key] ?? null,
    log: { error: (details, message) => logged.lines.push({ details, message }) },
    rateLimit: 0,
    accountRateLimit: 0,
    now: Date.now,
    isUnavailable: () => false,
    checkResponses: true,
    ...overrides,
  });
  return { server, logged };
}

export function variablesInMemory(): VariableActions {
  const rows = new Map<string, EnvironmentVariable & { readonly createdAt: number; readonly updatedAt: null }>();
  const stamps = { createdAt: 0, updatedAt: null };
  return createVariableActions({
    variables: {
      list: async (_accountId, { limit, offset }) => ({
        rows: [...rows.values()].slice(offset, offset + limit),
        total: rows.size,
      }),
      add: async (_accountId, variable) => {
        if (rows.has(variable.key)) return false;
        rows.set(variable.key, { ...variable, ...stamps });
        return true;
      },
      all: async () => [...rows.values()],
      find: async (_accountId, key) => rows.get(key) ?? null,
      change: async (_accountId, key, edit) => {
        const present = rows.get(key);
        if (present === undefined) return null;
        const changed = { ...edit(present), ...stamps };
        rows.set(key, changed);
        return changed;
      },
      remove: async (_accountId, key) => rows.delete(key),
    },
    missingVariables: { ofDeletion: async () => [] },
  });
}

function accountsInMemory(): AccountActions {
  const blank = {
    runtimeId: null,
    settings: null,
    alertSettings: null,
    executionLimit: null,
    limits: null,
    timeZone: null,
    requiresSecondFactor: false,
    createdAt: 0,
  };
  const rows = new Map<string, Account>(
    [ownId, secondId].map((id, index) => [id, { ...blank, id, name: `Account ${index + 1}` }]),
  );
  const find = (reached: readonly string[], id: string) => {
    const found = reached.includes(id) ? rows.get(id) : undefined;
    if (found === undefined) throw notFound('account', id);
    return found;
  };
  return {
    list: async ({ accountIds }) => accountIds.map((id) => find(accountIds, id)),
    find: async ({ accountIds }, id) => find(accountIds, id),
    create: async (_caller, draft) => ({ ...draft, id: foreignId, createdAt: 0 }),
    change: async ({ accountIds }, id, change) => {
      const present = find(accountIds, id);
      const changed = { ...present, ...merged<NewAccount>(change, present) };
      rows.set(id, changed);
      return changed;
    },
    usage: async ({ accountIds }, id) => {
      find(accountIds, id);
      return { from: 0, to: 1000, used: 3, limit: null };
    },
  };
}
