// `npm run tocsin -- new-key`.
import { parseArgs } from 'node:util';
import { keyHash, keyPrefix, newKeyText } from '#actions/accounts/key-text.ts';
import { addAdminKey, addAdminKeyOnPostgres } from './new-key.ts';
import { systemClock } from '#lib/clock.ts';
import { readConfig } from '#config/config.ts';
import { exitCodes } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** Makes and prints an operator key. Throws UsageError, ConfigError, CommandError or StoreUnavailableError. */
export async function newKey(words: string[]): Promise<number> {
  const { values } = parseArgs({ args: words, options: { name: { type: 'string', default: 'Made with new-key' } } });
  const name = values.name.trim();
  if (name === '' || name.length > 200) throw new UsageError('--name takes a text of 1 to 200 characters');
  const text = newKeyText();
  const key = { name, hash: keyHash(text), prefix: keyPrefix(text), createdAt: systemClock.now() };
  const { database } = readConfig();
  const reached =
    database.kind === 'sqlite' ? addAdminKey(database.path, key) : await addAdminKeyOnPostgres(database.address, key);
  process.stdout.write(
    `An operator key for ${reached} account${reached === 1 ? '' : 's'}, shown only this once:\n\n  export TOCSIN_API_KEY=${text}\n\n`,
  );
  return exitCodes.ok;
}
