// One-time links that create an operator.
import { setupLinkMaxMs } from '#domain/accounts/user.ts';
import type { Kysely } from 'kysely';
import { flag, idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Tables } from '../base/tables/schema.ts';
import { addOperator, hasUsers, oldestAccount, proveEmail, type StoredUser } from './users.ts';

/** Setup links. Only the SHA-256 (32 bytes) of a token is stored. */
export interface SetupLinks {
  /**
   * Adds a link that works once, for a day, and deletes expired ones.
   * @param isFirst whether it works only while the installation has no user
   */
  add(hash: Uint8Array, isFirst: boolean): Promise<void>;
  /** Whether a link is valid now. */
  isValid(hash: Uint8Array): Promise<boolean>;
  /**
   * Uses a link and adds the user as an operator that owns the oldest account. If the proven user of the email address
   * exists, or a member of the oldest account has the address, that user becomes an operator with the new password.
   * The address counts as proven. Returns the ID of the user; null = the link is invalid.
   */
  use(hash: Uint8Array, user: StoredUser): Promise<string | null>;
}

export function createSetupLinks({ reader, transaction, clock }: Database): SetupLinks {
  return {
    add: (hash, isFirst) =>
      transaction(async (tx) => {
        const now = clock.now();
        await tx.deleteFrom('setup_links').where('expires_at', '<=', now).execute();
        await tx
          .insertInto('setup_links')
          .values({ hash, created_at: now, expires_at: now + setupLinkMaxMs, is_first: flag(isFirst) })
          .execute();
      }),
    async isValid(hash) {
      const link = await reader
        .selectFrom('setup_links')
        .select('is_first')
        .where('hash', '=', hash)
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      return link !== undefined && (link.is_first === 0 || !(await hasUsers(reader)));
    },
    use: (hash, user) =>
      transaction(async (tx) => {
        const link = await tx
          .deleteFrom('setup_links')
          .where('hash', '=', hash)
          .where('expires_at', '>', clock.now())
          .returning('is_first')
          .executeTakeFirst();
        if (link === undefined || (link.is_first === 1 && (await hasUsers(tx)))) return null;
        await tx.deleteFrom('setup_links').where('is_first', '=', 1).execute();
        const present = await findOwnUser(tx, user.email);
        const id = present ?? user.id;
        if (present === null) await addOperator(tx, user);
        await proveEmail(tx, user.email, id, clock.now());
        await tx
          .updateTable('users')
          .set({ password: user.passwordHash, is_operator: 1 })
          .where('id', '=', idBytes(id))
          .execute();
        return id;
      }),
  };
}

/** The user that a person with this email address meant; members of other accounts may have been made by others. */
async function findOwnUser(tx: Kysely<Tables>, email: string): Promise<string | null> {
  const proven = await tx
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('is_proven', '=', 1)
    .executeTakeFirst();
  const found =
    proven ??
    (await tx
      .selectFrom('users')
      .innerJoin('memberships', 'memberships.user_id', 'users.id')
      .select('users.id')
      .where('users.email', '=', email)
      .where('memberships.account_id', '=', await oldestAccount(tx))
      .executeTakeFirst());
  return found === undefined ? null : idText(found.id);
}
