// `new-key`: writes an operator key straight into the database, for use after the last key was lost.
import type { Command } from 'commander';
import { keyHash, keyPrefix, newKeyText } from '#actions/accounts/key-text.ts';
import { readConfig } from '#config/config.ts';
import { systemClock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { commandName } from '#lib/package-files.ts';
import { idBytes } from '#store/base/codec.ts';
import { CommandError } from './command-error.ts';
import { UsageError } from './usage-error.ts';
import { type Change, writeDatabase } from './write-database.ts';

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
  const reached = await writeDatabase(readConfig().database, (change) => addOperatorKey(change, name, text));
  process.stdout.write(
    `Operator key for ${reached} account${reached === 1 ? '' : 's'}. It is not shown again:\n\n  export TOCSIN_API_KEY=${text}\n\n`,
  );
}

/** Adds a key without expiry for every account, the oldest first; returns the number of accounts. */
async function addOperatorKey(change: Change, name: string, text: string): Promise<number> {
  const id = idBytes(newId());
  await change(
    `INSERT INTO api_keys (id, hash, prefix, name, role, is_operator, created_at) VALUES (?, ?, ?, ?, 'admin', 1, ?)`,
    id,
    keyHash(text),
    keyPrefix(text),
    name,
    systemClock.now(),
  );
  const reached = await change(
    `INSERT INTO api_key_accounts (api_key_id, account_id, position)
     SELECT ?, id, row_number() OVER (ORDER BY created_at, id) - 1 FROM accounts`,
    id,
  );
  if (reached === 0) {
    throw new CommandError('the database has no account. Start Tocsin once; it creates an account and prints its key');
  }
  return reached;
}
