// One-time links that create an operator.
import { setupLinkMaxMs } from '#domain/accounts/user.ts';
import { flag, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { addOperator, hasUsers, type StoredUser } from './users.ts';

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
   * Uses a link and adds the user as an operator that owns the oldest account. If the email address has a user, that
   * user becomes an operator with the new password, and its sessions end. Returns the ID of the user; null = the link
   * is invalid.
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
        const present = await tx.selectFrom('users').select('id').where('email', '=', user.email).executeTakeFirst();
        if (present === undefined) {
          await addOperator(tx, user);
          return user.id;
        }
        await tx
          .updateTable('users')
          .set({ password: user.passwordHash, is_operator: 1 })
          .where('id', '=', present.id)
          .execute();
        await tx.deleteFrom('sessions').where('user_id', '=', present.id).execute();
        return idText(present.id);
      }),
  };
}
