// Sign-in, sign-out, sessions and the caller's own password.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { providerSessionMaxMs, type Session, sessionMaxMs, type SessionOpening } from '#domain/accounts/user.ts';
import type { Clock } from '#lib/clock.ts';
import { isUuid, newId } from '#lib/id.ts';
import { invalidInput, notFound, Refusal } from '../refusal.ts';
import { type Passwords, requireGoodPassword } from './passwords.ts';
import { requireUser } from './permission.ts';
import { requireSecondFactor, type TypedCode } from './second-factors.ts';
import { newToken, tokenHash } from './key-text.ts';

export interface SessionDeps extends Pick<Store, 'users' | 'sessions' | 'secondFactors' | 'auditLog'> {
  readonly passwords: Passwords;
  /** Clears cached sessions of a user, in all processes. */
  readonly forgetUser: (userId: string) => void;
  readonly clock: Clock;
}

/** What a person who signs in has entered. */
type SignIn = { readonly email: string; readonly password: string } & TypedCode;
type Start = (userId: string, userAgent: string, openedBy: SessionOpening) => Promise<string>;

export type SessionActions = ReturnType<typeof createSessionActions>;

export function createSessionActions(deps: SessionDeps) {
  const { users, sessions, passwords, forgetUser, clock } = deps;
  const start: Start = async (userId, userAgent, openedBy) => {
    const token = newToken();
    const now = clock.now();
    const session = {
      id: newId(),
      userId,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + (openedBy === 'provider' ? providerSessionMaxMs : sessionMaxMs),
      userAgent: userAgent.slice(0, 300),
      openedBy,
    };
    await sessions.add(session, tokenHash(token));
    return token;
  };
  return {
    /**
     * Returns the token of a new session. Refuses (`unauthenticated`) wrong credentials in constant time, and a missing or
     * wrong code of a person with a second factor.
     */
    signIn: (credentials: SignIn, userAgent: string): Promise<string> => signIn(credentials, userAgent, start, deps),
    /** Starts a session for a user who has just been authenticated, with the second factor if they have one; returns its token. */
    start,
    /** Sessions of the caller, newest first. */
    list: (caller: Caller): Promise<Session[]> => sessions.list(requireUser(caller).id),
    async end(caller: Caller, id: string): Promise<void> {
      const user = requireUser(caller);
      if (!isUuid(id) || !(await sessions.end(user.id, id))) throw notFound('session', id);
      forgetUser(user.id);
    },
    /** Ends the session of the request. */
    async signOut(caller: Caller): Promise<void> {
      const { id, sessionId } = requireUser(caller);
      await sessions.end(id, sessionId);
      forgetUser(id);
    },
    /** Ends all sessions of the caller. */
    async endAll(caller: Caller): Promise<void> {
      const { id } = requireUser(caller);
      await sessions.endAll(id);
      forgetUser(id);
    },
    /** Changes the password and ends all other sessions. */
    async changePassword(
      caller: Caller,
      { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
    ) {
      const { id, email, sessionId } = requireUser(caller);
      await requireGoodPassword('newPassword', newPassword, email);
      const user = await users.find(id);
      if (user === null || !(await passwords.matches(currentPassword, user.passwordHash))) {
        throw invalidInput('currentPassword', 'The current password is wrong.');
      }
      const isChanged = await users.changePassword(id, user.passwordHash, await passwords.hash(newPassword, [user]));
      if (!isChanged) throw new Refusal('conflict', 'The password was changed by another request.');
      await sessions.endAll(id, sessionId);
      forgetUser(id);
    },
  };
}

/** Refused sign-ins of known people are recorded. */
async function signIn(
  { email, password, ...typed }: SignIn,
  userAgent: string,
  start: Start,
  deps: SessionDeps,
): Promise<string> {
  const { users, passwords, auditLog } = deps;
  const known = await users.withEmail(email);
  const user = await passwords.userWith(password, known);
  if (user === null) {
    for (const person of known) await auditLog.addRefusal(person);
    throw new Refusal('unauthenticated', 'Wrong email or password.');
  }
  if (passwords.isOutdated(user.passwordHash)) {
    await users.changePassword(user.id, user.passwordHash, await passwords.hash(password, known));
  }
  try {
    return await start(user.id, userAgent, await requireSecondFactor(deps, user.id, typed));
  } catch (error) {
    // Without a code, the web UI asks for one.
    if (error instanceof Refusal && typed.code !== undefined) await auditLog.addRefusal(user);
    throw error;
  }
}
