// Routes of setup, sign-in, sign-out and the current caller.
import type { HashingTurns } from '#actions/accounts/hashing-turns.ts';
import type { IdentityActions } from '#actions/accounts/identities.ts';
import type { InviteActions } from '#actions/accounts/invites.ts';
import type { SecondFactorActions } from '#actions/accounts/second-factors.ts';
import type { SessionActions } from '#actions/accounts/sessions.ts';
import type { PasswordResetActions } from '#actions/accounts/password-resets.ts';
import type { SetupActions } from '#actions/accounts/setup.ts';
import type { SessionBody } from '#contract/accounts/session.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { type Session, sessionEnd } from '#domain/accounts/user.ts';
import { countedAddress, createRateLimit } from '../rate-limit.ts';
import { Answer, type Route, route } from '../route.ts';
import { deviceProof, noSessionCookie, requireSameOrigin } from '../session-cookie.ts';
import { isoText, isoTextOrNull } from '../wire.ts';
import {
  agentOf,
  type Attempt,
  type AttemptLimits,
  ownApplicant,
  requireAddressAttempt,
  requireAttempt,
  requirePersonAttempt,
  stranger,
  typedCode,
} from './attempts.ts';
import { answerSignedIn, meToWire, type SignedInDeps } from './signed-in.ts';

export interface SessionRoutesDeps extends SignedInDeps {
  readonly sessions: SessionActions;
  readonly secondFactors: SecondFactorActions;
  readonly setup: SetupActions;
  readonly passwordResets: PasswordResetActions;
  readonly invites: Pick<InviteActions, 'read' | 'accept'>;
  readonly identities: Pick<IdentityActions, 'providerName'>;
  readonly hashingTurns: HashingTurns;
}

/** Requests for links by email per hour: for one email address, and from one network address. */
const resetsMax = { email: 3, address: 20 } as const;
const hourMs = 3_600_000;

/** The routes of sessions, setup and joining by invitation. */
export function sessionRoutes(deps: SessionRoutesDeps, limits: AttemptLimits): Route[] {
  return [
    ...signInRoutes(deps, limits),
    ...resetRoutes(deps, limits),
    ...ownRoutes(deps, limits),
    ...secondFactorRoutes(deps, limits),
  ];
}

/** Routes without authentication. */
function signInRoutes(deps: SessionRoutesDeps, limits: AttemptLimits): Route[] {
  const { sessions, setup, passwordResets, identities, invites, publicUrl, knownDevices, hashingTurns, now } = deps;
  /** Checks the rate limit before the password or token is verified. */
  const admit = (call: Attempt): void => requireAddressAttempt(limits.addresses, call, publicUrl());
  const signedIn = answerSignedIn.bind(null, deps);
  const start = async (call: Attempt, userId: string, accountId?: string): Promise<Answer> =>
    signedIn(call, await sessions.start(userId, agentOf(call.headers), 'link'), accountId);
  const typed = (code: string | undefined) => typedCode(limits, code);

  return [
    route('getSetup', async () => ({
      isNeeded: await setup.isNeeded(),
      resetsByEmail: passwordResets.isMailed,
      provider: identities.providerName,
    })),
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
      requireAddressAttempt(limits.addresses, call, publicUrl());
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
