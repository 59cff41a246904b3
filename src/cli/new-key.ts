// `new-key`: writes an operator key straight into the database, for use after the last key was lost.
import type { Command } from 'commander';
import { tokenHash, keyPrefix, newKeyText } from '#actions/accounts/key-text.ts';
import { readConfig } from '#config/config.ts';
import { systemClock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { commandName } from '#lib/package-files.ts';
import { idBytes } from '#store/base/codec.ts';
import { findRows, insertRows } from '#store/base/rows.ts';
import type { Db } from '#store/base/tables/schema.ts';
import { CommandError, UsageError } from './exits.ts';
import { writeDatabase } from './open-database.ts';

/** Defines `new-key`. */
export function defineNewKey(command: Command): void {
  command
    .description('Create and print an operator key for all accounts. The service may keep running.')
    .option('--name <text>', 'name of the key', 'Created with new-key')
    .addHelpText('after', `\nExample:\n  ${commandName} new-key --name "recovery key"`)
    .action(newKey);
}

async function newKey(values: { readonly name: string }): Promise<void> {
  const name = values.name.trim();
  if (name === '' || name.length > 200) throw new UsageError('--name must have 1 to 200 characters');
  const text = newKeyText();
  const reached = await writeDatabase(readConfig().database, 'new-key', (tx) => addOperatorKey(tx, name, text));
  process.stdout.write(
    `Operator key for ${reached} account${reached === 1 ? '' : 's'}. It is not shown again:\n\n  export TOCSIN_API_KEY=${text}\n\n`,
  );
}

/** Adds a key without expiry for every account, the oldest first; returns the number of accounts. */
async function addOperatorKey(tx: Db, name: string, text: string): Promise<number> {
  const id = idBytes(newId());
  const key = { id, hash: tokenHash(text), prefix: keyPrefix(text), name, role: 'admin', is_operator: 1 };
  await insertRows(tx, 'api_keys', { ...key, created_at: systemClock.now(), last_used_at: null, expires_at: null });
  const accounts = await findRows(tx, 'accounts', {}, ['id'], ['created_at', 'id']);
  if (accounts.length === 0) {
    throw new CommandError('the database has no account. Start Tocsin once; it creates an account and prints its key');
  }
  const reached = accounts.map((account, position) => ({ api_key_id: id, account_id: account.id, position }));
  for (const row of reached) await insertRows(tx, 'api_key_accounts', row);
  return reached.length;
}
