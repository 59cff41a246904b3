// The answer to a person who has just signed in: who they are, and the cookies of the session and the device.
import type { KnownDevices } from '#actions/accounts/known-devices.ts';
import type { Me, ReadMe } from '#actions/accounts/me.ts';
import type { MeBody } from '#contract/accounts/session.ts';
import type { UserPrincipal } from '#domain/accounts/api-key.ts';
import { callerOfUser } from '#domain/accounts/user.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { Answer } from '../route.ts';
import { sessionCookies } from '../session-cookie.ts';
import { isoText } from '../wire.ts';
import type { Attempt } from './attempts.ts';

export interface SignedInDeps {
  readonly readMe: ReadMe;
  readonly authenticateSession: (token: string) => UserPrincipal | null | Promise<UserPrincipal | null>;
  readonly knownDevices: KnownDevices;
  readonly publicUrl: () => string;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Answers with the caller and the cookies of a new session.
 * @param token of the session @param accountId absent = the person's first
 */
export async function answerSignedIn(
  { readMe, authenticateSession, knownDevices, publicUrl, now }: SignedInDeps,
  { headers }: Attempt,
  token: string,
  accountId?: string,
): Promise<Answer> {
  const principal = await authenticateSession(token);
  const caller = principal && callerOfUser(principal, accountId);
  if (principal === null || caller === null) throw new HttpRefusal(401, 'The session has ended. Sign in again.');
  const cookies = sessionCookies(token, knownDevices.issue(principal.email, now()), publicUrl(), headers);
  return new Answer(201, meToWire(await readMe(caller)), cookies);
}

export function meToWire({ caller, accounts, version, startedAt, serverTimeZone, readsOnly }: Me): MeBody {
  const { principal, role, accountId, needsSecondFactor = false } = caller;
  return {
    kind: principal.kind,
    ...(principal.kind === 'user' && {
      user: { id: principal.id, email: principal.email, isOperator: principal.isOperator },
    }),
    role,
    accountId,
    accounts: [...accounts],
    version,
    startedAt: isoText(startedAt),
    serverTimeZone,
    needsSecondFactor,
    readsOnly,
  };
}
