// Invitations to accounts.
import { recordMapping } from '../base/records.ts';
import { countRows, deleteRows, findRow, findRows, insertRows, readPage, selectRows } from '../base/rows.ts';
import type { Invite } from '#domain/accounts/user.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import type { Database, Page, Slice } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import type { Identity } from '#domain/accounts/identity.ts';
import { addIdentity, isConnected } from './identities.ts';
import { addMembership, addUser, proveEmail, type StoredUser } from './users.ts';

const invitesMax = 1000;

const { rowOf, recordOf } = recordMapping<Invite, 'invites'>({
  id: 'id',
  accountId: 'id',
  email: 'plain',
  isMailed: 'flag',
  role: 'plain',
  createdAt: 'plain',
  expiresAt: 'plain',
});

/** Invitations. Only the SHA-256 (32 bytes) of a token is stored. */
export function createInvites({ reader, transaction, clock }: Database) {
  return {
    /** Invitations that have not expired, newest first. */
    async list(accountId: string, slice: Slice): Promise<Page<Invite>> {
      const valid = selectRows(reader, 'invites', { account_id: idBytes(accountId) }).where(
        'expires_at',
        '>',
        clock.now(),
      );
      return readPage(valid.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc'), slice, recordOf);
    },
    /** Replaces an invitation of the same email address, and deletes expired ones. `full` = the account has 1000. */
    add: (invite: Invite, hash: Uint8Array) =>
      transaction(async (tx) => {
        const account = idBytes(invite.accountId);
        if (await isMember(tx, account, invite.email)) return 'is-member';
        await tx
          .deleteFrom('invites')
          .where('account_id', '=', account)
          .where((row) => row.or([row('email', '=', invite.email), row('expires_at', '<=', clock.now())]))
          .execute();
        const pending = await countRows(tx, 'invites', { account_id: account });
        if (pending >= invitesMax) return 'full';
        await insertRows(tx, 'invites', { ...rowOf(invite), hash });
        return 'added';
      }),
    async find(accountId: string, id: string): Promise<Invite | null> {
      const row = await findRow(reader, 'invites', { account_id: idBytes(accountId), id: idBytes(id) });
      return row === undefined ? null : recordOf(row);
    },
    remove: (accountId: string, id: string): Promise<boolean> =>
      transaction(
        async (tx) => (await deleteRows(tx, 'invites', { account_id: idBytes(accountId), id: idBytes(id) })) > 0,
      ),
    /** null = unknown or expired. */
    async findByHash(hash: Uint8Array): Promise<Invite | null> {
      const row = await selectRows(reader, 'invites', { hash })
        .selectAll()
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },
    /**
     * Accepts an invitation: adds the membership, and the user if it is new. If the link was mailed, the user becomes the
     * proven one of the email address.
     * @param user a new user, or the ID of an existing one
     * @param known IDs of the users with the email address when `user` was chosen
     * @param identity of a new user who signs in with the identity provider
     * @returns `invalid` = the invitation is no longer valid; `outdated` = other users have the address now
     */
    accept: (invite: Invite, user: StoredUser | string, known: readonly string[], identity?: Identity) =>
      transaction((tx) => acceptInvite(tx, { invite, user, known, identity }, clock.now())),
  };
}

interface Acceptance {
  readonly invite: Invite;
  readonly user: StoredUser | string;
  readonly known: readonly string[];
  readonly identity: Identity | undefined;
}

async function acceptInvite(
  tx: Db,
  { invite: { accountId, id, email, isMailed, role }, user, known, identity }: Acceptance,
  now: number,
) {
  const present = await findRows(tx, 'users', { email }, ['id', 'is_proven']);
  const ids = new Set(present.map((row) => idText(row.id)));
  if (ids.size !== known.length || known.some((each) => !ids.has(each))) return 'outdated';
  const isNew = typeof user !== 'string';
  if (isNew && identity !== undefined && (await isConnected(tx, identity))) return 'outdated';
  const used = await deleteRows(tx, 'invites', { account_id: idBytes(accountId), id: idBytes(id) });
  if (used === 0) return 'invalid';
  if (isNew) await addUser(tx, user, { accountId, role });
  else await addMembership(tx, user, { accountId, role }, now);
  const userId = isNew ? user.id : user;
  if (isNew && identity !== undefined && (await addIdentity(tx, identity, userId, now)) === 0) {
    throw new Error('the identity was connected by another request at the same time');
  }
  // The identity provider may know the person by another address.
  const isOther = isNew ? user.email !== email : !ids.has(user);
  const isTaken = present.some((row) => row.is_proven === 1 && idText(row.id) !== userId);
  // Later than the membership of the invitation, so that its account stays the person's first.
  if (isMailed && !isOther && !isTaken) await proveEmail(tx, email, userId, now + 1);
  return 'accepted';
}

async function isMember(tx: Db, account: IdBytes, email: string): Promise<boolean> {
  const member = await tx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.id')
    .where('memberships.account_id', '=', account)
    .where('users.email', '=', email)
    .executeTakeFirst();
  return member !== undefined;
}
