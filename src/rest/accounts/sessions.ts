// Routes of setup, sign-in, sign-out and the current caller.
import type { Applicant, HashingTurns } from '#actions/accounts/hashing-turns.ts';
import type { InviteActions } from '#actions/accounts/invites.ts';
import type { KnownDevices } from '#actions/accounts/known-devices.ts';
import type { Me, ReadMe } from '#actions/accounts/me.ts';
import type { SecondFactorActions, TypedCode } from '#actions/accounts/second-factors.ts';
import type { SessionActions } from '#actions/accounts/sessions.ts';
import type { PasswordResetActions } from '#actions/accounts/password-resets.ts';
import type { SetupActions } from '#actions/accounts/setup.ts';
import type { MeBody, SessionBody } from '#contract/accounts/session.ts';
import type { Caller, UserPrincipal } from '#domain/accounts/api-key.ts';
import { callerOfUser, type Session, sessionEnd } from '#domain/accounts/user.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { countedAddress, createRateLimit, type RateLimit } from '../rate-limit.ts';
import { Answer, type AnyCall, type Route, route } from '../route.ts';
import { deviceProof, noSessionCookie, requireSameOrigin, sessionCookies } from '../session-cookie.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

export interface SessionRoutesDeps {
  readonly sessions: SessionActions;
  readonly secondFactors: SecondFactorActions;
  readonly setup: SetupActions;
  readonly passwordResets: PasswordResetActions;
  readonly invites: Pick<InviteActions, 'read' | 'accept'>;
  readonly readMe: ReadMe;
  readonly authenticateSession: (token: string) => UserPrincipal | null | Promise<UserPrincipal | null>;
  readonly knownDevices: KnownDevices;
  readonly hashingTurns: HashingTurns;
  readonly publicUrl: () => string;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Attempts with a password or a one-time token per five minutes: for a person from one address and from all of them,
 * and from an address. Devices in which the person has signed in before have their own attempts, and so has a session,
 * so that knowing an email address is not enough to lock out its user (docs/decisions/0134). Codes of a person are
 * counted only after the password was right.
 */
const attemptsMax = { person: 10, everywhere: 100, address: 60, knownDevices: 30, session: 10, codes: 10 } as const;
const attemptsMs = 300_000;

/** Requests for links by email per hour: for one email address, and from one network address. */
const resetsMax = { email: 3, address: 20 } as const;
const hourMs = 3_600_000;

/** The routes of sessions, setup and joining by invitation. */
export function sessionRoutes(deps: SessionRoutesDeps): Route[] {
  const limits = {
    persons: createRateLimit(attemptsMax.person, attemptsMs, deps.now),
    everywhere: createRateLimit(attemptsMax.everywhere, attemptsMs, deps.now),
    addresses: createRateLimit(attemptsMax.address, attemptsMs, deps.now),
    knownDevices: createRateLimit(attemptsMax.knownDevices, attemptsMs, deps.now),
    sessions: createRateLimit(attemptsMax.session, attemptsMs, deps.now),
    codes: createRateLimit(attemptsMax.codes, attemptsMs, deps.now),
  };
  return [
    ...signInRoutes(deps, limits),
    ...resetRoutes(deps, limits),
    ...ownRoutes(deps, limits),
    ...secondFactorRoutes(deps, limits),
  ];
}

interface AttemptLimits {
  readonly persons: RateLimit;
  readonly everywhere: RateLimit;
  readonly addresses: RateLimit;
  readonly knownDevices: RateLimit;
  readonly sessions: RateLimit;
  readonly codes: RateLimit;
}

function requireAttempt(limit: RateLimit, name: string, whom: 'person' | 'address'): void {
  const allowance = limit.take(name);
  if (allowance === null || allowance.isAllowed) return;
  const { retryAfterSeconds } = allowance;
  throw new HttpRefusal(429, `Too many attempts for this ${whom}. Try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

function requirePersonAttempt({ persons, everywhere }: AttemptLimits, email: string, { address }: Attempt): void {
  requireAttempt(persons, `${countedAddress(address)} ${email}`, 'person');
  requireAttempt(everywhere, email, 'person');
}

/** Routes without authentication. */
function signInRoutes(deps: SessionRoutesDeps, limits: AttemptLimits): Route[] {
  const { sessions, setup, passwordResets, invites, readMe, publicUrl, knownDevices, hashingTurns, now } = deps;
  /** Checks the rate limit before the password or token is verified. */
  const admit = ({ headers, address }: Attempt): void => {
    requireSameOrigin(headers, publicUrl(), false);
    requireAttempt(limits.addresses, countedAddress(address), 'address');
  };
  const signedIn = async ({ headers }: Attempt, token: string, accountId?: string): Promise<Answer> => {
    const principal = await deps.authenticateSession(token);
    const caller = principal && callerOfUser(principal, accountId);
    if (principal === null || caller === null) throw new HttpRefusal(401, 'The session has ended. Sign in again.');
    const cookies = sessionCookies(token, knownDevices.issue(principal.email, now()), publicUrl(), headers);
    return new Answer(201, meToWire(await readMe(caller)), cookies);
  };
  const start = async (call: Attempt, userId: string, accountId?: string): Promise<Answer> =>
    signedIn(call, await sessions.start(userId, agentOf(call.headers), 'link'), accountId);
  const typed = (code: string | undefined) => typedCode(limits, code);

  return [
    route('getSetup', async () => ({ isNeeded: await setup.isNeeded(), resetsByEmail: passwordResets.isMailed })),
    route('createSetup', async (call) => {
      const { token, email, password } = call.body;
      admit(call);
      const made = hashingTurns.run(stranger(call), () => setup.create(token, { email, password }));
      return start(call, await made);
    }),
    route('createSession', async (call) => {
      const { email } = call.body;
      const isKnown = knownDevices.isKnown(deviceProof(call.headers) ?? '', email, now());
      if (isKnown) {
        requireSameOrigin(call.headers, publicUrl(), false);
        requireAttempt(limits.knownDevices, email, 'person');
      } else {
        admit(call);
        requirePersonAttempt(limits, email, call);
      }
      const applicant = isKnown ? { name: email, isKnown, signal: call.signal } : stranger(call);
      const { password, code } = call.body;
      const credentials = { email, password, ...typed(code) };
      return signedIn(
        call,
        await hashingTurns.run(applicant, () => sessions.signIn(credentials, agentOf(call.headers))),
      );
    }),
    route('readInvite', async (call) => {
      admit(call);
      return invites.read(call.body.token);
    }),
    route('acceptInvite', async (call) => {
      admit(call);
      const { token, password, code } = call.body;
      requirePersonAttempt(limits, (await invites.read(token)).email, call);
      const accepted = hashingTurns.run(stranger(call), () => invites.accept(token, password, typed(code)));
      const { userId, accountId } = await accepted;
      return start(call, userId, accountId);
    }),
  ];
}

/** Routes for people who forgot their password. */
function resetRoutes(
  { passwordResets, publicUrl, hashingTurns, now }: SessionRoutesDeps,
  limits: AttemptLimits,
): Route[] {
  const requests = {
    emails: createRateLimit(resetsMax.email, hourMs, now),
    addresses: createRateLimit(resetsMax.address, hourMs, now),
  };
  return [
    route('createPasswordReset', ({ headers, address, body }) => {
      requireSameOrigin(headers, publicUrl(), false);
      requireAttempt(requests.addresses, countedAddress(address), 'address');
      requireAttempt(requests.emails, body.email, 'person');
      passwordResets.request(body.email);
    }),
    route('usePasswordReset', async (call) => {
      requireSameOrigin(call.headers, publicUrl(), false);
      requireAttempt(limits.addresses, countedAddress(call.address), 'address');
      const { token, password } = call.body;
      await hashingTurns.run(stranger(call), () => passwordResets.use(token, password));
    }),
  ];
}

/** Routes for the caller's own session and user. */
function ownRoutes({ sessions, readMe, publicUrl, hashingTurns }: SessionRoutesDeps, limits: AttemptLimits): Route[] {
  const signedOut = ({ headers }: Attempt): Answer => new Answer(204, undefined, noSessionCookie(publicUrl(), headers));
  return [
    route('getMe', async ({ caller }) => meToWire(await readMe(caller))),
    route('listSessions', async ({ caller }) =>
      (await sessions.list(caller)).map((session) => sessionToWire(session, caller)),
    ),
    route('deleteSessions', async (call) => {
      await sessions.endAll(call.caller);
      return signedOut(call);
    }),
    route('deleteSession', ({ caller, params }) => sessions.end(caller, params.id)),
    route('signOut', async (call) => {
      await sessions.signOut(call.caller);
      return signedOut(call);
    }),
    route('updatePassword', async (call) => {
      const { caller, body } = call;
      await hashingTurns.run(ownApplicant(call, limits), () => sessions.changePassword(caller, body));
    }),
  ];
}

/** Routes for the caller's own second factor. */
function secondFactorRoutes({ secondFactors, hashingTurns }: SessionRoutesDeps, limits: AttemptLimits): Route[] {
  const typed = (code: string | undefined) => typedCode(limits, code);
  return [
    route('getSecondFactor', async ({ caller }) => {
      const { since, recoveryCodesLeft } = await secondFactors.read(caller);
      return { since: isoTextOrNull(since), recoveryCodesLeft };
    }),
    route('createSecondFactor', (call) =>
      hashingTurns.run(ownApplicant(call, limits), () => secondFactors.begin(call.caller, call.body.password)),
    ),
    route('confirmSecondFactor', async ({ caller, body }) => ({
      recoveryCodes: await secondFactors.confirm(caller, typed(body.code)),
    })),
    route('createRecoveryCodes', async (call) => {
      const { password, code } = call.body;
      const proof = { password, ...typed(code) };
      const renewed = () => secondFactors.renewRecovery(call.caller, proof);
      return { recoveryCodes: await hashingTurns.run(ownApplicant(call, limits), renewed) };
    }),
    route('removeSecondFactor', async (call) => {
      const { password, code } = call.body;
      const removed = () => secondFactors.remove(call.caller, { password, ...typed(code) });
      await hashingTurns.run(ownApplicant(call, limits), removed);
    }),
  ];
}

/** A code and the count of attempts at it. */
function typedCode({ codes }: AttemptLimits, code: string | undefined): TypedCode {
  return { code, admitCode: (userId) => requireAttempt(codes, userId, 'person') };
}

/** A signed-in person who enters the password again; refuses (429) too many attempts of a session. */
function ownApplicant(
  { caller, signal }: Pick<AnyCall, 'signal'> & { readonly caller: Caller },
  limits: AttemptLimits,
) {
  const { principal } = caller;
  if (principal.kind === 'user') requireAttempt(limits.sessions, principal.sessionId, 'person');
  return { name: principal.id, isKnown: true, signal };
}

type Attempt = Pick<AnyCall, 'headers' | 'address'>;

function stranger({ address, signal }: Pick<AnyCall, 'address' | 'signal'>): Applicant {
  return { name: countedAddress(address), isKnown: false, signal };
}

function agentOf(headers: AnyCall['headers']): string {
  return headers['user-agent'] ?? '';
}

function meToWire({ caller, accounts, version, startedAt, serverTimeZone, readsOnly }: Me): MeBody {
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

function sessionToWire(session: Session, { principal }: Caller): SessionBody {
  return {
    id: session.id,
    createdAt: isoText(session.createdAt),
    lastSeenAt: isoText(session.lastSeenAt),
    expiresAt: isoText(sessionEnd(session)),
    userAgent: session.userAgent,
    openedBy: session.openedBy,
    isCurrent: principal.kind === 'user' && principal.sessionId === session.id,
  };
}
