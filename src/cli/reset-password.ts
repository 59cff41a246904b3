// `reset-password`: writes a link for another password straight into the database, where email is not set up.
import type { Command } from 'commander';
import { passwordResetUrl } from '#actions/accounts/password-resets.ts';
import { newToken, tokenHash } from '#actions/accounts/key-text.ts';
import { readConfig } from '#config/config.ts';
import { resettableOf } from '#domain/accounts/user.ts';
import { systemClock } from '#lib/clock.ts';
import { commandName } from '#lib/package-files.ts';
import { addPasswordReset } from '#store/accounts/password-resets.ts';
import { findRows } from '#store/base/rows.ts';
import { CommandError } from './exits.ts';
import { servedUrl, writeDatabase } from './open-database.ts';

/** Defines `reset-password`. */
export function defineResetPassword(command: Command): void {
  command
    .argument('<email>', 'email address of the person')
    .description(
      'Print a link with which a person sets another password. It works once, for 30 minutes. The service may keep running.',
    )
    .addHelpText('after', `\nExample:\n  ${commandName} reset-password ada@example.com`)
    .action(resetPassword);
}

async function resetPassword(typed: string): Promise<void> {
  const config = readConfig();
  const email = typed.trim().toLowerCase();
  const token = newToken();
  const now = systemClock.now();
  const publicUrl = await writeDatabase(config.database, 'reset-password', async (tx) => {
    const known = await findRows(tx, 'users', { email }, ['id', 'is_proven']);
    const user = resettableOf(known.map(({ id, is_proven }) => ({ id, isProven: is_proven === 1 })));
    if (user === null) throw new CommandError(refusal(email, known.length));
    await addPasswordReset(tx, user.id, tokenHash(token), now);
    return servedUrl(tx, config, now);
  });
  process.stdout.write(`Set another password: ${passwordResetUrl(publicUrl, token)}\n`);
}

function refusal(email: string, count: number): string {
  if (count === 0) return `no person has the email address ${email}`;
  return `${count} people have the email address ${email}: remove the person from the account and send an invitation`;
}
