// Second factors of people. The secret is stored encrypted, recovery codes as SHA-256.
import { findRow, updateRows } from '../base/rows.ts';
import type { SecondFactor } from '#domain/accounts/second-factor.ts';
import { idBytes, json, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { UsersTable } from '../base/tables/installation-tables.ts';

/** The columns without a second factor. */
export const noSecondFactor = { totp_secret: null, totp_since: null, totp_step: null, recovery_codes: null } as const;

type Columns = Pick<UsersTable, keyof typeof noSecondFactor>;

/** Second factors. A method that changes one returns false if it is not as the caller saw it. */
export function createSecondFactors({ reader, transaction, seal }: Database) {
  const change = (userId: string, key: Partial<Columns>, values: Partial<Columns>): Promise<boolean> =>
    transaction(async (tx) => (await updateRows(tx, 'users', { id: idBytes(userId), ...key }, values)) > 0);
  return {
    /** null = none; one that is not confirmed is returned. */
    async find(userId: string): Promise<SecondFactor | null> {
      const row = await findRow(reader, 'users', { id: idBytes(userId) });
      if (row === undefined || row.totp_secret === null) return null;
      return {
        secret: seal.open(row.totp_secret),
        since: row.totp_since,
        lastStep: row.totp_step,
        recoveryHashes: row.recovery_codes === null ? [] : parsed<string[]>(row.recovery_codes),
      };
    },
    /** Whether the person has a confirmed second factor. */
    async isOn(userId: string): Promise<boolean> {
      const row = await findRow(reader, 'users', { id: idBytes(userId) }, ['totp_since']);
      return row !== undefined && row.totp_since !== null;
    },
    /** Stores a secret to be confirmed, in place of another that was not. */
    begin: (userId: string, secret: string): Promise<boolean> =>
      change(userId, { totp_since: null }, { ...noSecondFactor, totp_secret: seal.seal(secret) }),
    /** @param step of the code that confirms it @param since epoch ms */
    confirm: (userId: string, step: number, since: number, recoveryHashes: readonly string[]): Promise<boolean> =>
      change(
        userId,
        { totp_since: null },
        { totp_since: since, totp_step: step, recovery_codes: json([...recoveryHashes]) },
      ),
    /** Uses up the code of a step. */
    useStep: (userId: string, { lastStep }: SecondFactor, step: number): Promise<boolean> =>
      change(userId, { totp_step: lastStep }, { totp_step: step }),
    /** Replaces the recovery codes. */
    replaceRecovery: (userId: string, { recoveryHashes }: SecondFactor, next: readonly string[]): Promise<boolean> =>
      change(userId, { recovery_codes: json([...recoveryHashes]) }, { recovery_codes: json([...next]) }),
    remove: (userId: string): Promise<boolean> => change(userId, {}, noSecondFactor),
  };
}
