// One-time links that create an operator.
import { deleteRows, findRow, insertRows, selectRows, updateRows } from '../base/rows.ts';
import { setupLinkMaxMs } from '#domain/accounts/user.ts';
import { flag, idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { addOperator, hasUsers, oldestAccount, proveEmail, type StoredUser } from './users.ts';

/** Setup links. Only the SHA-256 (32 bytes) of a token is stored. */
export function createSetupLinks({ reader, transaction, clock }: Database) {
  return {
    /**
     * Adds a link that works once, for a day, and deletes expired ones.
     * @param isFirst whether it works only while the installation has no user
     */
    add: (hash: Uint8Array, isFirst: boolean): Promise<void> =>
      transaction(async (tx) => {
        const now = clock.now();
        await tx.deleteFrom('setup_links').where('expires_at', '<=', now).execute();
        await insertRows(tx, 'setup_links', {
          hash,
          created_at: now,
          expires_at: now + setupLinkMaxMs,
          is_first: flag(isFirst),
        });
      }),
    /** Whether a link is valid now. */
    async isValid(hash: Uint8Array): Promise<boolean> {
      const link = await selectRows(reader, 'setup_links', { hash })
        .select('is_first')
        .where('expires_at', '>', clock.now())
        .executeTakeFirst();
      return link !== undefined && (link.is_first === 0 || !(await hasUsers(reader)));
    },
    /**
     * Uses a link and adds the user as an operator that owns the oldest account. If the proven user of the email address
     * exists, or a member of the oldest account has the address, that user becomes an operator with the new password.
     * The address counts as proven. Returns the ID of the user; null = the link is invalid.
     */
    use: (hash: Uint8Array, user: StoredUser): Promise<string | null> =>
      transaction(async (tx) => {
        const link = await tx
          .deleteFrom('setup_links')
          .where('hash', '=', hash)
          .where('expires_at', '>', clock.now())
          .returning('is_first')
          .executeTakeFirst();
        if (link === undefined || (link.is_first === 1 && (await hasUsers(tx)))) return null;
        await deleteRows(tx, 'setup_links', { is_first: 1 });
        const present = await findOwnUser(tx, user.email);
        const id = present ?? user.id;
        if (present === null) await addOperator(tx, user);
        await proveEmail(tx, user.email, id, clock.now());
        await updateRows(tx, 'users', { id: idBytes(id) }, { password: user.passwordHash, is_operator: 1 });
        return id;
      }),
  };
}

/** The user that a person with this email address meant; members of other accounts may have been made by others. */
async function findOwnUser(tx: Db, email: string): Promise<string | null> {
  const proven = await findRow(tx, 'users', { email, is_proven: 1 }, ['id']);
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
