// Actions on invitations: one-time links for joining an account.
import type { Page, Slice } from '#store/base/database.ts';
import type { StoredUser } from '#store/accounts/users.ts';
import type { Store } from '#store/store.ts';
import type { Caller, MemberRole } from '#domain/accounts/api-key.ts';
import type { Identity } from '#domain/accounts/identity.ts';
import { type Invite, inviteMaxMs } from '#domain/accounts/user.ts';
import type { Clock } from '#lib/clock.ts';
import { isUuid, newId } from '#lib/id.ts';
import { notFound, notFoundMessage, Refusal } from '../refusal.ts';
import { type Passwords, requireGoodPassword } from './passwords.ts';
import { accountZone, type AccountZoneDeps } from './account-zone.ts';
import { requireOwnerFor } from './people.ts';
import { requirePermission } from './permission.ts';
import { requireSecondFactor, type TypedCode } from './second-factors.ts';
import { isTokenText, newToken, tokenHash } from './key-text.ts';

export interface InviteDeps extends Pick<Store, 'invites' | 'users' | 'secondFactors'>, AccountZoneDeps {
  readonly passwords: Passwords;
  /** Sends links by email; null = email is not set up. */
  readonly mail: SendInvitation | null;
  readonly publicUrl: () => string;
  readonly forgetUser: (userId: string) => void;
  readonly clock: Clock;
}

/** Sends the link of an invitation. Rejects if the mail server does not take it. */
export type SendInvitation = (
  invitation: Pick<Invite, 'id' | 'accountId' | 'email' | 'role' | 'expiresAt'> & {
    readonly accountName: string;
    readonly timeZone: string;
    readonly url: string;
  },
) => Promise<void>;

/** An invitation as shown to the invited person. It does not say whether a user has the email address. */
export interface ShownInvite {
  readonly email: string;
  readonly accountName: string;
  readonly role: MemberRole;
}

export type InviteActions = ReturnType<typeof createInviteActions>;

interface Accepted {
  readonly userId: string;
  readonly accountId: string;
}

/** The ID of a known user, or a new user. @param known users with the email address of the invitation */
type UserFor = (invite: Invite, known: readonly StoredUser[]) => Promise<StoredUser | string>;

const broken = 'This invitation was used or withdrawn, or it has expired. Ask for another one.';

export function createInviteActions(deps: InviteDeps) {
  const { invites, accounts, mail, publicUrl, clock } = deps;
  const nameOf = async (accountId: string): Promise<string> => (await accounts.list([accountId]))[0]?.name ?? '';
  const findByToken = async (token: string): Promise<Invite> => {
    const invite = isTokenText(token) ? await invites.findByHash(tokenHash(token)) : null;
    if (invite === null) throw notFoundMessage(broken);
    return invite;
  };
  const add = async (
    accountId: string,
    wanted: Pick<Invite, 'email' | 'role'>,
    isMailed: boolean,
  ): Promise<Invite & { readonly url: string }> => {
    const token = newToken();
    const createdAt = clock.now();
    const invite = { id: newId(), accountId, ...wanted, isMailed, createdAt, expiresAt: createdAt + inviteMaxMs };
    const outcome = await invites.add(invite, tokenHash(token));
    if (outcome === 'is-member') throw new Refusal('conflict', `${wanted.email} is already a member of this account.`);
    if (outcome === 'full') throw new Refusal('conflict', 'The account has 1000 open invitations. Delete some.');
    return { ...invite, url: `${publicUrl()}/invite#${token}` };
  };
  return {
    list(caller: Caller, page: Slice): Promise<Page<Invite>> {
      requirePermission(caller, 'admin');
      return invites.list(caller.accountId, page);
    },
    /**
     * Sends the link by email, or returns it if email is not set up or the mail server does not take it; null = sent.
     * Replaces an earlier invitation of the same email address.
     */
    async create(caller: Caller, wanted: { readonly email: string; readonly role: MemberRole }) {
      requirePermission(caller, 'admin');
      requireOwnerFor(caller, wanted.role);
      const { accountId } = caller;
      if (mail !== null) {
        const { url, ...invite } = await add(accountId, wanted, true);
        const [accountName, timeZone] = [await nameOf(accountId), await accountZone(deps, accountId)];
        const isSent = await mail({ ...invite, accountName, timeZone, url }).then(
          () => true,
          () => false,
        );
        if (isSent) return { ...invite, url: null };
      }
      // Replaces a link that was not sent: one that the admin sees proves nothing.
      return add(accountId, wanted, false);
    },
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'admin');
      const invite = isUuid(id) ? await invites.find(caller.accountId, id) : null;
      if (invite === null) throw notFound('invitation', id);
      requireOwnerFor(caller, invite.role);
      await invites.remove(caller.accountId, id);
    },
    /** Refuses (`not-found`) an invalid token. */
    async read(token: string): Promise<ShownInvite> {
      const { email, role, accountId } = await findByToken(token);
      return { email, accountName: await nameOf(accountId), role };
    },
    /**
     * Joins the account as the user of the email address whose password this is, otherwise as a new user. A link that was
     * mailed proves the address; then the proven user of the address, if there is one, must join. Refuses
     * (`unauthenticated`) a missing or wrong code of such a person.
     */
    accept: (token: string, password: string, typed: TypedCode): Promise<Accepted> =>
      accept(deps, findByToken, token, userWithPassword(deps, password, typed)),
    /** Joins the account as the person of an identity. @param userFor called again if others have changed meanwhile */
    acceptAs: (token: string, identity: Identity, userFor: UserFor): Promise<Accepted> =>
      accept(deps, findByToken, token, userFor, identity),
  };
}

/** The user whose password this is, or a new one. */
function userWithPassword(deps: InviteDeps, password: string, typed: TypedCode): UserFor {
  const { passwords, clock } = deps;
  // A code works once, also if the acceptance is repeated.
  const proven = new Set<string>();
  return async ({ email, isMailed }, known) => {
    const user = await passwords.userWith(password, known);
    const owner = known.find(({ isProven }) => isProven);
    if (isMailed && user?.isProven !== true && owner !== undefined) {
      if (owner.passwordHash === null) {
        throw new Refusal('unauthenticated', `${email} has no password here. Accept with the identity provider.`);
      }
      throw new Refusal('unauthenticated', `Wrong password. Enter the password that ${email} signs in with.`);
    }
    if (user !== null) {
      if (!proven.has(user.id)) await requireSecondFactor(deps, user.id, typed);
      proven.add(user.id);
      return user.id;
    }
    await requireGoodPassword('password', password, email);
    const passwordHash = await passwords.hash(password, known);
    const createdAt = clock.now();
    const nobody = { isProven: isMailed, isOperator: false, hasSecondFactor: false, lastSignInAt: null };
    return { ...nobody, id: newId(), email, passwordHash, createdAt };
  };
}

/** Joins an account by an invitation. */
async function accept(
  { invites, users, forgetUser }: InviteDeps,
  findByToken: (token: string) => Promise<Invite>,
  token: string,
  userFor: UserFor,
  identity?: Identity,
): Promise<Accepted> {
  for (let tries = 0; tries < triesMax; tries++) {
    const invite = await findByToken(token);
    const known = await users.withEmail(invite.email);
    const user = await userFor(invite, known);
    const ids = known.map(({ id }) => id);
    const outcome = await invites.accept(invite, user, ids, identity);
    if (outcome === 'invalid') throw notFoundMessage(broken);
    // Another invitation of the same person was accepted at the same time.
    if (outcome === 'outdated') continue;
    const userId = typeof user === 'string' ? user : user.id;
    for (const id of [...ids, userId]) forgetUser(id);
    return { userId, accountId: invite.accountId };
  }
  throw new Refusal('unavailable', 'Invitations of this person are being accepted. Try again in a few seconds.');
}

/** How often an acceptance is repeated because another one came first. */
const triesMax = 5;
