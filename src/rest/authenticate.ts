// Who asks: the key, and the account the request acts on (spec §5, decisions: Accounts, keys).
import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKeyRole, Caller } from '#domain/accounts/api-key.ts';
import { HttpRefusal } from './http-refusal.ts';

/** What is known of a key that is valid now. */
export interface KnownKey {
  readonly keyId: string;
  readonly role: ApiKeyRole;
  /** Accounts it reaches; the first is its default. */
  readonly accountIds: readonly string[];
}

/**
 * Looks up a key as the caller sent it; null when it is unknown or has expired. Called on every request: cheap.
 *
 * @param accountId the account that the request names
 */
export type Authenticate = (key: string, accountId?: string) => Promise<KnownKey | null> | KnownKey | null;

const bearer = /^bearer +([\w.~+/=-]{1,300}) *$/i;

/** The key in the Authorization header. Refuses with 401 when there is none or it has another form. */
export function bearerKey(headers: IncomingHttpHeaders): string {
  const match = bearer.exec(headers.authorization ?? '');
  if (match?.[1]) return match[1];
  throw unauthenticated(
    headers.authorization === undefined
      ? 'An API key is required. Send it as "Authorization: Bearer <API key>".'
      : 'The Authorization header is malformed. Send the API key as "Authorization: Bearer <API key>".',
  );
}

/** A 401 with the challenge that belongs to it. */
export function unauthenticated(message: string): HttpRefusal {
  return new HttpRefusal(401, message, { headers: { 'www-authenticate': 'Bearer' } });
}

/** The account that a request names, if it names one. */
export function namedAccount(headers: IncomingHttpHeaders): string | undefined {
  const named = headers['x-service-account'] || headers['x-checkly-account'];
  return named ? String(named).toLowerCase() : undefined;
}

/**
 * The caller: the key and the one account the request acts on, named by `x-service-account` (or `x-checkly-account`),
 * else the key's default. Refuses with 403 an account that the key does not reach, existing or not.
 */
export function callerOf(key: KnownKey, headers: IncomingHttpHeaders): Caller {
  const named = namedAccount(headers);
  const { keyId, role, accountIds } = key;
  if (!named) {
    const accountId = accountIds[0];
    if (accountId === undefined) throw new HttpRefusal(403, 'The API key has no access to any account.');
    return { keyId, role, accountId, accountIds };
  }
  const accountId = accountIds.find((id) => id === named);
  if (accountId !== undefined) return { keyId, role, accountId, accountIds };
  throw new HttpRefusal(403, 'The API key has no access to the account in x-service-account.');
}
