// `new-key`: an admin key for whoever lost the last one, written straight into this installation's database.
import type { Command } from 'commander';
import { keyHash, keyPrefix, newKeyText } from '#actions/accounts/key-text.ts';
import { readConfig } from '#config/config.ts';
import { systemClock } from '#lib/clock.ts';
import { UsageError } from './usage-error.ts';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { schemaVersion } from '#store/base/migrate.ts';
import { type PostgresAddress, shownAddress } from '#lib/net/postgres-address.ts';
import { openConnections } from '#store/engines/postgres/connections.ts';
import { schemaVersionOf } from '#store/engines/postgres/schema.ts';
import { CommandError } from './command-error.ts';
import { commandName } from '#lib/package-files.ts';

/** The key to add, without the key itself. */
export interface NewKey {
  readonly name: string;
  /** The SHA-256 of the key, 32 bytes. */
  readonly hash: Uint8Array;
  /** Its first characters. */
  readonly prefix: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** How long the service's own writes are waited for, ms. */
const busyMs = 10_000;

/**
 * Adds an admin key without an end that reaches every account of the database at `path`, the oldest first; answers how
 * many. The service may run meanwhile: it knows the key at once. Throws CommandError.
 */
export function addAdminKey(path: string, key: NewKey): number {
  if (!existsSync(path))
    throw new CommandError(`there is no database at ${path}: the first start prints the first key`);
  const database = new DatabaseSync(path, { timeout: busyMs });
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (version !== schemaVersion) {
      throw new CommandError(`${path} is of version ${version}, not ${schemaVersion}: start this Tocsin with it once`);
    }
    database.exec('BEGIN IMMEDIATE');
    const reached = insertKey(database, key);
    if (reached === 0)
      throw new CommandError(`${path} has no account yet: the first start makes one and prints its key`);
    database.exec('COMMIT');
    return reached;
  } finally {
    // What was not committed is undone by closing.
    database.close();
  }
}

/** The same for a database of PostgreSQL. */
export async function addAdminKeyOnPostgres(address: PostgresAddress, key: NewKey): Promise<number> {
  const connections = await openConnections(address);
  const shown = shownAddress(address);
  try {
    return await connections.transaction(async (session) => {
      const version = await schemaVersionOf(session);
      if (version !== schemaVersion) {
        throw new CommandError(
          `${shown} is of version ${version}, not ${schemaVersion}: start this Tocsin with it once`,
        );
      }
      const id = idBytes(newId());
      await session.query(
        `INSERT INTO api_keys (id, hash, prefix, name, role, is_operator, created_at) VALUES ($1, $2, $3, $4, 'admin', 1, $5)`,
        [id, key.hash, key.prefix, key.name, key.createdAt],
      );
      const reached = await session.change(
        `INSERT INTO api_key_accounts (api_key_id, account_id, position)
         SELECT $1, id, row_number() OVER (ORDER BY created_at, id) - 1 FROM accounts`,
        [id],
      );
      if (reached === 0) {
        throw new CommandError(`${shown} has no account yet: the first start makes one and prints its key`);
      }
      return reached;
    });
  } finally {
    await connections.close();
  }
}

function insertKey(database: DatabaseSync, { name, hash, prefix, createdAt }: NewKey): number {
  const id = idBytes(newId());
  database
    .prepare(
      `INSERT INTO api_keys (id, hash, prefix, name, role, is_operator, created_at) VALUES (?, ?, ?, ?, 'admin', 1, ?)`,
    )
    .run(id, hash, prefix, name, createdAt);
  const { changes } = database
    .prepare(
      `INSERT INTO api_key_accounts (api_key_id, account_id, position)
       SELECT ?, id, row_number() OVER (ORDER BY created_at, id) - 1 FROM accounts`,
    )
    .run(id);
  return Number(changes);
}

/** Defines `new-key`. */
export function defineNewKey(command: Command): void {
  command
    .description('Create and print an operator key for all accounts. The service may keep running.')
    .option('--name <text>', 'name of the key', 'Made with new-key')
    .addHelpText('after', `\nExample:\n  ${commandName} new-key --name "after the loss"`)
    .action(newKey);
}

async function newKey(values: { readonly name: string }): Promise<void> {
  const name = values.name.trim();
  if (name === '' || name.length > 200) throw new UsageError('--name must have 1 to 200 characters');
  const text = newKeyText();
  const key = { name, hash: keyHash(text), prefix: keyPrefix(text), createdAt: systemClock.now() };
  const { database } = readConfig();
  const reached =
    database.kind === 'sqlite' ? addAdminKey(database.path, key) : await addAdminKeyOnPostgres(database.address, key);
  process.stdout.write(
    `An operator key for ${reached} account${reached === 1 ? '' : 's'}, shown only this once:\n\n  export TOCSIN_API_KEY=${text}\n\n`,
  );
}
