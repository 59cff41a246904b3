// `new-user`: writes a setup link straight into the database, for a first user, another operator or a lost password.
import type { Command } from 'commander';
import { setupUrl } from '#actions/accounts/setup.ts';
import { newToken, tokenHash } from '#actions/accounts/token-text.ts';
import { publicUrlOf, readConfig } from '#config/config.ts';
import { silentAfterMs } from '#domain/accounts/process.ts';
import { setupLinkMaxMs } from '#domain/accounts/user.ts';
import { systemClock } from '#lib/clock.ts';
import { commandName } from '#lib/package-files.ts';
import { writeDatabase } from './write-database.ts';

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
  const [serving] = await writeDatabase(config.database, async (change, query) => {
    await change(
      'INSERT INTO setup_links (hash, created_at, expires_at, is_first) VALUES (?, ?, ?, 0)',
      tokenHash(token),
      now,
      now + setupLinkMaxMs,
    );
    return query<{ public_url: string }>(
      'SELECT public_url FROM processes WHERE public_url IS NOT NULL AND seen_at > ? ORDER BY seen_at DESC',
      now - silentAfterMs,
    );
  });
  // The service may have been started with another PORT than this command.
  const publicUrl = config.publicUrl ?? serving?.public_url ?? publicUrlOf(config, config.port);
  process.stdout.write(`Create your user: ${setupUrl(publicUrl, token)}\n`);
}
