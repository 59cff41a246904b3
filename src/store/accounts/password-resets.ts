// One-time links for choosing another password.
import { deleteRows, insertRows, updateRows } from '../base/rows.ts';
import { passwordResetMaxMs } from '#domain/accounts/user.ts';
import { idBytes, idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';

/** Links for choosing another password. Only the SHA-256 (32 bytes) of a token is stored. */
export function createPasswordResets({ reader, transaction, clock }: Database) {
  return {
    /** Adds a link in place of an earlier one of the user. Returns when it expires, epoch ms. */
    add: (userId: string, hash: Uint8Array): Promise<number> =>
      transaction((tx) => addPasswordReset(tx, idBytes(userId), hash, clock.now())),
    /** The user of a valid link; null = unknown, used or expired. */
    async find(hash: Uint8Array) {
      const row = await reader
        .selectFrom('password_resets')
        .innerJoin('users', 'users.id', 'password_resets.user_id')
        .select(['users.id', 'users.email'])
        .where('password_resets.hash', '=', hash)
        .where('password_resets.expires_at', '>', clock.now())
        .executeTakeFirst();
      return row === undefined ? null : { id: idText(row.id), email: row.email };
    },
    /** Uses a link: sets the password, and ends all sessions of the user. false = the link is no longer valid. */
    use: (hash: Uint8Array, passwordHash: string): Promise<boolean> =>
      transaction(async (tx) => {
        const link = await tx
          .deleteFrom('password_resets')
          .where('hash', '=', hash)
          .where('expires_at', '>', clock.now())
          .returning('user_id')
          .executeTakeFirst();
        if (link === undefined) return false;
        await deleteRows(tx, 'sessions', { user_id: link.user_id });
        return (await updateRows(tx, 'users', { id: link.user_id }, { password: passwordHash })) > 0;
      }),
  };
}

/** Adds a link in place of an earlier one of the user, and deletes expired ones. Returns when it expires, epoch ms. */
export async function addPasswordReset(tx: Db, userId: Uint8Array, hash: Uint8Array, now: number): Promise<number> {
  const expiresAt = now + passwordResetMaxMs;
  await tx
    .deleteFrom('password_resets')
    .where((row) => row.or([row('user_id', '=', userId), row('expires_at', '<=', now)]))
    .execute();
  await insertRows(tx, 'password_resets', { hash, user_id: userId, expires_at: expiresAt });
  return expiresAt;
}
