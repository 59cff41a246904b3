// Routes of API keys (decisions: API key).
import type { ApiKeyActions } from '#actions/accounts/api-keys.ts';
import type { ApiKeyBody } from '#contract/accounts/api-key.ts';
import type { ApiKey } from '#domain/accounts/api-key.ts';
import { pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

export function apiKeyRoutes(actions: ApiKeyActions): Route[] {
  return [
    route('listApiKeys', async ({ caller, query }) => pageOf(await actions.list(caller, sliceOf(query)), toWire)),
    route('createApiKey', async ({ caller, body }) => {
      const { key, ...made } = await actions.create(caller, body);
      return { ...toWire(made), key };
    }),
    route('getApiKey', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('deleteApiKey', ({ caller, params }) => actions.revoke(caller, params.id)),
  ];
}

function toWire({ accountIds, createdAt, lastUsedAt, expiresAt, ...key }: ApiKey): ApiKeyBody {
  return {
    ...key,
    accountIds: [...accountIds],
    createdAt: isoText(createdAt),
    lastUsedAt: isoTextOrNull(lastUsedAt),
    expiresAt: isoTextOrNull(expiresAt),
  };
}
