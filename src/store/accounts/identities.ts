// Identities of people at the identity provider, and the memberships that its claims give.
import type { Membership } from '#domain/accounts/api-key.ts';
import type { Identity } from '#domain/accounts/identity.ts';
import { idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { deleteRows, findRow, findRows, insertRows, updateRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';
import { addMembership, addUser, hindranceTo, removeMember, type StoredUser } from './users.ts';

type Key = Pick<Identity, 'issuer' | 'subject'>;

/** Identities. A person has at most one of an issuer, and each belongs to one person. */
export function createIdentities({ reader, transaction, clock }: Database) {
  return {
    /** ID of the user of an identity; null = none. */
    async findUser({ issuer, subject }: Key): Promise<string | null> {
      const row = await findRow(reader, 'identities', { issuer, subject }, ['user_id']);
      return row === undefined ? null : idText(row.user_id);
    },
    /** The identity of a user, with the time of the connection (epoch ms); null = none. */
    async ofUser(userId: string, issuer: string) {
      const row = await findRow(reader, 'identities', { user_id: idBytes(userId), issuer });
      return row === undefined ? null : { subject: row.subject, email: row.email, connectedAt: row.created_at };
    },
    /** Connects an identity. false = it belongs to somebody else, or the user has another one of the issuer. */
    connect: (identity: Identity, userId: string): Promise<boolean> =>
      transaction(async (tx) => (await addIdentity(tx, identity, userId, clock.now())) > 0),
    /** Removes the identity of a user who has a password. */
    remove: (userId: string, issuer: string): Promise<boolean> =>
      transaction(async (tx) => {
        const key = idBytes(userId);
        const user = await findRow(tx, 'users', { id: key }, ['password']);
        if (user === undefined || user.password === null) return false;
        return (await deleteRows(tx, 'identities', { user_id: key, issuer })) > 0;
      }),
    /** Adds a user with an identity and the memberships that claims give. false = the identity belongs to somebody. */
    addUser: (user: StoredUser, identity: Identity, [first, ...more]: readonly [Membership, ...Membership[]]) =>
      transaction(async (tx) => {
        // First, so that two sign-ins at the same time make one person.
        if ((await addIdentity(tx, identity, user.id, user.createdAt)) === 0) return false;
        await addUser(tx, user, first, true);
        for (const each of more) await addMembership(tx, user.id, each, user.createdAt, true);
        return true;
      }),
    /**
     * Changes, adds and removes the memberships that claims give. Other memberships stay, and the last owner of an
     * account stays its owner. Deletes a person without accounts.
     */
    mapRoles: (userId: string, wanted: readonly Membership[]): Promise<void> =>
      transaction((tx) => mapRoles(tx, userId, wanted, clock.now())),
  };
}

async function mapRoles(tx: Db, userId: string, wanted: readonly Membership[], now: number): Promise<void> {
  const user = idBytes(userId);
  for (const each of wanted) await addMembership(tx, userId, each, now, true);
  const roles = new Map(wanted.map(({ accountId, role }) => [accountId, role]));
  for (const row of await findRows(tx, 'memberships', { user_id: user, is_mapped: 1 }, ['account_id', 'role'])) {
    const accountId = idText(row.account_id);
    const role = roles.get(accountId);
    if (role === undefined) await removeMember(tx, accountId, userId);
    else if (role !== row.role && (await hindranceTo(tx, accountId, userId, role)) === null) {
      await updateRows(tx, 'memberships', { account_id: row.account_id, user_id: user }, { role });
    }
  }
}

/** Whether an identity belongs to a user. */
export async function isConnected(tx: Db, { issuer, subject }: Key): Promise<boolean> {
  return (await findRow(tx, 'identities', { issuer, subject }, ['user_id'])) !== undefined;
}

/** Adds an identity; returns 0 if it or another one of the user exists. @param at epoch ms */
export function addIdentity(tx: Db, { issuer, subject, email }: Identity, userId: string, at: number): Promise<number> {
  return insertRows(tx, 'identities', { issuer, subject, user_id: idBytes(userId), email, created_at: at }, 'keep');
}
