// Actions on invitations: one-time links for joining an account.
import type { Account } from '#domain/accounts/account.ts';
import type { Caller, MemberRole } from '#domain/accounts/api-key.ts';
import { type Invite, inviteMaxMs, type User } from '#domain/accounts/user.ts';
import type { Clock } from '#lib/clock.ts';
import { isUuid, newId } from '#lib/id.ts';
import { notFound, notFoundMessage, Refusal } from '../refusal.ts';
import { type Passwords, requireGoodPassword } from './passwords.ts';
import { requireOwnerFor } from './people.ts';
import { requirePermission } from './permission.ts';
import { isTokenText, newToken, tokenHash } from './token-text.ts';

type StoredUser = User & { readonly passwordHash: string };

/** Dependencies of these actions. */
export interface InviteDeps {
  readonly invites: {
    list(accountId: string, page: { limit: number; offset: number }): Promise<{ rows: Invite[]; total: number }>;
    add(invite: Invite, hash: Uint8Array): Promise<'added' | 'is-member' | 'full'>;
    find(accountId: string, id: string): Promise<Invite | null>;
    remove(accountId: string, id: string): Promise<boolean>;
    findByHash(hash: Uint8Array): Promise<Invite | null>;
    accept(invite: Invite, user: StoredUser | string): Promise<boolean>;
  };
  readonly users: { findByEmail(email: string): Promise<StoredUser | null> };
  readonly accounts: { list(ids: readonly string[]): Promise<Account[]> };
  readonly passwords: Passwords;
  readonly publicUrl: () => string;
  readonly forgetUser: (userId: string) => void;
  readonly clock: Clock;
}

/** An invitation as shown to the invited person. */
export interface ShownInvite {
  readonly email: string;
  readonly accountName: string;
  readonly role: MemberRole;
  /** Whether the person chooses a password, because no user has the email address yet. */
  readonly isNewUser: boolean;
}

export interface InviteActions {
  list(caller: Caller, page: { limit: number; offset: number }): Promise<{ rows: Invite[]; total: number }>;
  /** Only this response contains the link. Replaces an earlier invitation of the same email address. */
  create(
    caller: Caller,
    wanted: { readonly email: string; readonly role: MemberRole },
  ): Promise<Invite & { readonly url: string }>;
  remove(caller: Caller, id: string): Promise<void>;
  /** Refuses (`not-found`) an invalid token. */
  read(token: string): Promise<ShownInvite>;
  /**
   * Joins the account as a new user, or as the existing user of the email address after checking the password. Returns
   * the ID of the user and the account.
   */
  accept(token: string, password: string): Promise<{ readonly userId: string; readonly accountId: string }>;
}

const broken = 'This invitation was used or withdrawn, or it has expired. Ask for another one.';

export function createInviteActions(deps: InviteDeps): InviteActions {
  const { invites, users, accounts, passwords, publicUrl, forgetUser, clock } = deps;
  const findByToken = async (token: string): Promise<Invite> => {
    const invite = isTokenText(token) ? await invites.findByHash(tokenHash(token)) : null;
    if (invite === null) throw notFoundMessage(broken);
    return invite;
  };
  return {
    list(caller, page) {
      requirePermission(caller, 'admin');
      return invites.list(caller.accountId, page);
    },
    async create(caller, { email, role }) {
      requirePermission(caller, 'admin');
      requireOwnerFor(caller, role);
      const token = newToken();
      const now = clock.now();
      const { accountId } = caller;
      const invite = { id: newId(), accountId, email, role, createdAt: now, expiresAt: now + inviteMaxMs };
      const outcome = await invites.add(invite, tokenHash(token));
      if (outcome === 'is-member') throw new Refusal('conflict', `${email} is already a member of this account.`);
      if (outcome === 'full') throw new Refusal('conflict', 'The account has 1000 open invitations. Delete some.');
      return { ...invite, url: `${publicUrl()}/invite#${token}` };
    },
    async remove(caller, id) {
      requirePermission(caller, 'admin');
      const invite = isUuid(id) ? await invites.find(caller.accountId, id) : null;
      if (invite === null) throw notFound('invitation', id);
      requireOwnerFor(caller, invite.role);
      await invites.remove(caller.accountId, id);
    },
    async read(token) {
      const { email, role, accountId } = await findByToken(token);
      const [account] = await accounts.list([accountId]);
      const isNewUser = (await users.findByEmail(email)) === null;
      return { email, accountName: account?.name ?? '', role, isNewUser };
    },
    async accept(token, password) {
      const invite = await findByToken(token);
      const { email, accountId } = invite;
      const known = await users.findByEmail(email);
      if (known === null) await requireGoodPassword('password', password, email);
      else if (!(await passwords.matches(password, known.passwordHash))) {
        throw new Refusal('unauthenticated', `Wrong password. Enter the password that ${email} signs in with.`);
      }
      const id = known?.id ?? newId();
      const user = known === null ? await newUser(id, email, password) : id;
      if (!(await invites.accept(invite, user))) throw notFoundMessage(broken);
      forgetUser(id);
      return { userId: id, accountId };
    },
  };

  async function newUser(id: string, email: string, password: string): Promise<StoredUser> {
    const passwordHash = await passwords.hash(password);
    return { id, email, passwordHash, isOperator: false, createdAt: clock.now(), lastSignInAt: null };
  }
}
