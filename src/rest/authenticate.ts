// Authenticates requests and selects the account they act on (spec §5, decisions: Accounts, keys).
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller, UserPrincipal } from '#domain/accounts/api-key.ts';
import type { Authentication, KeyHolder as KnownKey } from '#actions/accounts/authenticate.ts';
import { callerOfUser } from '#domain/accounts/user.ts';
import { HttpRefusal } from './http-refusal.ts';

export type { KnownKey };
/** Looks up a key as the client sent it; null if it is unknown or has expired. Called for every request: it must be cheap. */
export type Authenticate = Authentication['authenticate'];
/** Looks up a session token; null if it is unknown, ended or expired. */
export type AuthenticateSession = Authentication['authenticateSession'];

const bearer = /^bearer +([\w.~+/=-]{1,300}) *$/i;

/** The key in the Authorization header. Refuses (401) a missing or malformed header. */
export function bearerKey(headers: IncomingHttpHeaders): string {
  const match = bearer.exec(headers.authorization ?? '');
  if (match?.[1]) return match[1];
  throw unauthenticated(
    headers.authorization === undefined
      ? 'Sign in, or send an API key as "Authorization: Bearer <API key>".'
      : 'The Authorization header is malformed. Send the API key as "Authorization: Bearer <API key>".',
  );
}

/** A 401 with its challenge. */
export function unauthenticated(message: string): HttpRefusal {
  return new HttpRefusal(401, message, { headers: { 'www-authenticate': 'Bearer' } });
}

/** The account that a request names, if any. */
export function namedAccount(headers: IncomingHttpHeaders): string | undefined {
  const named = headers['x-service-account'] || headers['x-checkly-account'];
  return named ? String(named).toLowerCase() : undefined;
}

/**
 * The caller: the key or person, and the account that the request acts on, named by `x-service-account` (or
 * `x-checkly-account`) or else the default. Refuses (403) an account that the caller cannot access, whether it exists
 * or not.
 */
export function callerOf(known: KnownKey | UserPrincipal, headers: IncomingHttpHeaders): Caller {
  const named = namedAccount(headers);
  if ('kind' in known) {
    const caller = callerOfUser(known, named);
    if (caller !== null) return caller;
    throw new HttpRefusal(403, 'You are not a member of the account in x-service-account.');
  }
  const { keyId, role, accountIds } = known;
  const accountId = named === undefined ? accountIds[0] : accountIds.find((id) => id === named);
  if (accountId !== undefined) return { principal: { kind: 'api-key', id: keyId }, role, accountId, accountIds };
  throw new HttpRefusal(
    403,
    named === undefined
      ? 'The API key has no access to any account.'
      : 'The API key has no access to the account in x-service-account.',
  );
}
