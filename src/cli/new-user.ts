// `new-user`: writes a setup link straight into the database, for a first user, another operator or a lost password.
import type { Command } from 'commander';
import { setupUrl } from '#actions/accounts/setup.ts';
import { newToken, tokenHash } from '#actions/accounts/token-text.ts';
import { publicUrlOf, readConfig } from '#config/config.ts';
import { silentAfterMs } from '#domain/accounts/process.ts';
import { setupLinkMaxMs } from '#domain/accounts/user.ts';
import { systemClock } from '#lib/clock.ts';
import { commandName } from '#lib/package-files.ts';
import { insertRows } from '#store/base/rows.ts';
import { writeDatabase } from './open-database.ts';

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
  const serving = await writeDatabase(config.database, 'new-user', async (tx) => {
    const times = { created_at: now, expires_at: now + setupLinkMaxMs };
    await insertRows(tx, 'setup_links', { hash: tokenHash(token), ...times, is_first: 0 });
    return tx
      .selectFrom('processes')
      .select('public_url')
      .where('public_url', 'is not', null)
      .where('seen_at', '>', now - silentAfterMs)
      .orderBy('seen_at', 'desc')
      .executeTakeFirst();
  });
  // The service may have been started with another PORT than this command.
  const publicUrl = config.publicUrl ?? serving?.public_url ?? publicUrlOf(config, config.port);
  process.stdout.write(`Create your user: ${setupUrl(publicUrl, token)}\n`);
}
