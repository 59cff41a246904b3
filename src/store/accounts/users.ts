// Users and their memberships in accounts.
import { recordMapping } from '../base/records.ts';
import { countRows, deleteRows, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { MemberRole, Membership } from '#domain/accounts/api-key.ts';
import type { Member, User } from '#domain/accounts/user.ts';
import { type Flag, flag, idBytes, idText } from '../base/codec.ts';
import type { Database, Page, Slice } from '../base/database.ts';
import type { UsersTable } from '../base/tables/installation-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import { noSecondFactor } from './second-factors.ts';

/** A user with the hash of the password. */
export interface StoredUser extends User {
  /** null = the person signs in with the identity provider alone. */
  readonly passwordHash: string | null;
}

const mapping = recordMapping<Omit<User, 'hasSecondFactor'>, 'users'>({
  id: 'id',
  email: 'plain',
  isProven: 'flag',
  isOperator: 'flag',
  createdAt: 'plain',
  lastSignInAt: 'plain',
});

/** Outcome of a change to a member; `last-owner` = refused, because the account would have no owner. */
export type MemberChange = 'changed' | 'last-owner' | 'not-found';

/** Users of the installation and members of its accounts. */
export function createUsers(database: Database) {
  const { reader, transaction } = database;
  const users = reader.selectFrom('users').selectAll();
  return {
    isEmpty: async (): Promise<boolean> => !(await hasUsers(reader)),
    /** Users with an email address: the proven one first, then the one who signed in last. */
    async withEmail(email: string): Promise<StoredUser[]> {
      const rows = await selectRows(reader, 'users', { email })
        .selectAll()
        .orderBy('is_proven', 'desc')
        .orderBy((row) => row.fn.coalesce('last_sign_in_at', 'created_at'), 'desc')
        .orderBy('id')
        .execute();
      return rows.map(userOf);
    },
    async find(id: string): Promise<StoredUser | null> {
      const row = await users.where('id', '=', idBytes(id)).executeTakeFirst();
      return row === undefined ? null : userOf(row);
    },
    /** Accounts of a user, oldest first. */
    memberships: (id: string): Promise<Membership[]> => findMemberships(reader, idBytes(id)),
    /** Adds an operator that owns the oldest account, if there is no user yet; otherwise returns false. */
    addFirst: (user: StoredUser): Promise<boolean> =>
      transaction(async (tx) => {
        if (await hasUsers(tx)) return false;
        await addOperator(tx, user);
        return true;
      }),
    /** Replaces the hash `from` by `to`; false = the password was changed meanwhile. */
    changePassword: (id: string, from: string | null, to: string): Promise<boolean> =>
      transaction(async (tx) => {
        const count = await updateRows(tx, 'users', { id: idBytes(id), password: from }, { password: to });
        if (count > 0) await deleteRows(tx, 'password_resets', { user_id: idBytes(id) });
        return count > 0;
      }),
    /** Members of an account, ordered by email address. */
    async members(accountId: string, { limit, offset }: Slice): Promise<Page<Member>> {
      const rows = await findMembers(reader, accountId).orderBy('users.email').limit(limit).offset(offset).execute();
      const total = await countRows(reader, 'memberships', { account_id: idBytes(accountId) });
      return { rows: rows.map(memberOf), total };
    },
    async member(accountId: string, id: string): Promise<Member | null> {
      const row = await findMembers(reader, accountId).where('users.id', '=', idBytes(id)).executeTakeFirst();
      return row === undefined ? null : memberOf(row);
    },
    /** A role that the identity provider gave is from now on as set here. */
    changeRole: (accountId: string, id: string, role: MemberRole): Promise<MemberChange> =>
      transaction(async (tx) => {
        const hindrance = await hindranceTo(tx, accountId, id, role);
        if (hindrance !== null) return hindrance;
        await updateRows(
          tx,
          'memberships',
          { account_id: idBytes(accountId), user_id: idBytes(id) },
          {
            role,
            is_mapped: 0,
          },
        );
        return 'changed';
      }),
    /** Deletes a person who has no other account. */
    removeMember: (accountId: string, id: string) => transaction((tx) => removeMember(tx, accountId, id)),
  };
}

/** Removes a person from an account, and deletes one who has no other. */
export async function removeMember(tx: Db, accountId: string, id: string): Promise<MemberChange> {
  const hindrance = await hindranceTo(tx, accountId, id, null);
  if (hindrance !== null) return hindrance;
  const user = idBytes(id);
  await deleteRows(tx, 'memberships', { account_id: idBytes(accountId), user_id: user });
  if ((await findMemberships(tx, user)).length > 0) return 'changed';
  await deleteRows(tx, 'sessions', { user_id: user });
  await deleteRows(tx, 'identities', { user_id: user });
  await deleteRows(tx, 'users', { id: user });
  return 'changed';
}

/** Whether the installation has a user. */
export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Adds a user with a membership. @param isMapped whether the identity provider gave it */
export async function addUser(tx: Db, user: StoredUser, membership: Membership, isMapped = false): Promise<void> {
  await insertRows(tx, 'users', { ...mapping.rowOf(user), ...noSecondFactor, password: user.passwordHash });
  await addMembership(tx, user.id, membership, user.createdAt, isMapped);
}

/** Adds a membership; an existing one is not changed. @param isMapped whether the identity provider gave it */
export async function addMembership(
  tx: Db,
  userId: string,
  { accountId, role }: Membership,
  at: number,
  isMapped = false,
): Promise<void> {
  const row = {
    account_id: idBytes(accountId),
    user_id: idBytes(userId),
    role,
    is_mapped: flag(isMapped),
    created_at: at,
  };
  await insertRows(tx, 'memberships', row, 'keep');
}

/**
 * Makes a user the proven one of an email address: the memberships of all others with the address become theirs, and
 * all sessions end, because somebody else may have made them. Others with a second factor or an identity at the provider
 * keep their own.
 */
export async function proveEmail(tx: Db, email: string, userId: string, now: number): Promise<void> {
  const user = idBytes(userId);
  const others = await selectRows(tx, 'users', { email })
    .select('id')
    .where('id', '!=', user)
    .where('totp_since', 'is', null)
    .where('id', 'not in', tx.selectFrom('identities').select('user_id'))
    .execute();
  for (const { id } of others) {
    for (const membership of await findMemberships(tx, id)) {
      await addMembership(tx, userId, membership, now);
      const account = idBytes(membership.accountId);
      await deleteRows(tx, 'memberships', { account_id: account, user_id: id });
    }
    await deleteRows(tx, 'sessions', { user_id: id });
    await deleteRows(tx, 'users', { id });
  }
  await deleteRows(tx, 'sessions', { user_id: user });
  await updateRows(tx, 'users', { id: user }, { is_proven: 1 });
}

/** Adds a user that owns the oldest account. */
export async function addOperator(tx: Db, user: StoredUser): Promise<void> {
  await addUser(tx, user, { accountId: idText(await oldestAccount(tx)), role: 'owner' });
}

/** The ID of the oldest account. */
export async function oldestAccount(tx: Db): Promise<Uint8Array> {
  const { id } = await tx
    .selectFrom('accounts')
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  return id;
}

/** The memberships of a user, oldest first. */
export async function findMemberships(db: Db, userId: Uint8Array): Promise<Membership[]> {
  const key = { user_id: userId };
  const rows = await findRows(db, 'memberships', key, ['account_id', 'role'], ['created_at', 'account_id']);
  // Only this program writes the column.
  return rows.map(({ account_id, role }) => ({ accountId: idText(account_id), role: role as MemberRole }));
}

/** Why a member's role cannot become `role` (null = it can). */
export async function hindranceTo(
  tx: Db,
  accountId: string,
  id: string,
  role: MemberRole | null,
): Promise<Exclude<MemberChange, 'changed'> | null> {
  const rows = await selectRows(tx, 'memberships', { account_id: idBytes(accountId) })
    .select(['user_id', 'role'])
    .where((row) => row.or([row('user_id', '=', idBytes(id)), row('role', '=', 'owner')]))
    .execute();
  const present = rows.find((row) => idText(row.user_id) === id);
  if (present === undefined) return 'not-found';
  const isLastOwner = present.role === 'owner' && rows.length === 1;
  return isLastOwner && role !== 'owner' ? 'last-owner' : null;
}

function findMembers(reader: Db, accountId: string) {
  return reader
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select([
      'users.id',
      'users.email',
      'users.last_sign_in_at',
      'memberships.role',
      'memberships.is_mapped',
      'memberships.created_at',
    ])
    .where('memberships.account_id', '=', idBytes(accountId));
}

function memberOf(
  row: Pick<UsersTable, 'id' | 'email' | 'last_sign_in_at'> & {
    readonly role: string;
    readonly is_mapped: Flag;
    readonly created_at: number;
  },
): Member {
  return {
    id: idText(row.id),
    email: row.email,
    role: row.role as MemberRole,
    isMapped: row.is_mapped === 1,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
  };
}

function userOf(row: UsersTable): StoredUser {
  return { ...mapping.recordOf(row), hasSecondFactor: row.totp_since !== null, passwordHash: row.password };
}
