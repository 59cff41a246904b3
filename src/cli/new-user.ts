// `new-user`: writes a setup link straight into the database, for a first user, another operator or a lost password.
import type { Command } from 'commander';
import { setupUrl } from '#actions/accounts/setup.ts';
import { newToken, tokenHash } from '#actions/accounts/key-text.ts';
import { readConfig } from '#config/config.ts';
import { setupLinkMaxMs } from '#domain/accounts/user.ts';
import { systemClock } from '#lib/clock.ts';
import { commandName } from '#lib/package-files.ts';
import { insertRows } from '#store/base/rows.ts';
import { servedUrl, writeDatabase } from './open-database.ts';

/** Defines `new-user`. */
export function defineNewUser(command: Command): void {
  command
    .description(
      'Print a link that creates an operator, or sets a new password for an existing person. It works once, for 24 hours. The service may keep running.',
    )
    .addHelpText('after', `\nExample:\n  TOCSIN_PUBLIC_URL=https://tocsin.example.com ${commandName} new-user`)
    .action(newUser);
}

async function newUser(): Promise<void> {
  const config = readConfig();
  const token = newToken();
  const now = systemClock.now();
  const publicUrl = await writeDatabase(config.database, 'new-user', async (tx) => {
    const times = { created_at: now, expires_at: now + setupLinkMaxMs };
    await insertRows(tx, 'setup_links', { hash: tokenHash(token), ...times, is_first: 0 });
    return servedUrl(tx, config, now);
  });
  process.stdout.write(`Create your user: ${setupUrl(publicUrl, token)}\n`);
}
