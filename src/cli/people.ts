// `new-user`, `reset-password` and `reset-second-factor`: let people in, straight in the database.
import type { Command } from 'commander';
import { setupUrl } from '#actions/accounts/setup.ts';
import { newToken, tokenHash } from '#actions/accounts/key-text.ts';
import { readConfig } from '#config/config.ts';
import { setupLinkMaxMs, resettableOf } from '#domain/accounts/user.ts';
import { systemClock } from '#lib/clock.ts';
import { commandName } from '#lib/package-files.ts';
import { insertRows, findRows, deleteRows, updateRows } from '#store/base/rows.ts';
import { servedUrl, writeDatabase } from './open-database.ts';
import { passwordResetUrl } from '#actions/accounts/password-resets.ts';
import { addPasswordReset } from '#store/accounts/password-resets.ts';
import { CommandError } from './exits.ts';
import { noSecondFactor } from '#store/accounts/second-factors.ts';

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

/** Defines `reset-second-factor`. */
export function defineResetSecondFactor(command: Command): void {
  command
    .argument('<email>', 'email address of the person')
    .description(
      'Remove the second factor of a person who has lost it, and end their sessions. They sign in with the password and can set up another one. The service may keep running.',
    )
    .addHelpText('after', `\nExample:\n  ${commandName} reset-second-factor ada@example.com`)
    .action(resetSecondFactor);
}

async function resetSecondFactor(typed: string): Promise<void> {
  const email = typed.trim().toLowerCase();
  const count = await writeDatabase(readConfig().database, 'reset-second-factor', async (tx) => {
    const users = await findRows(tx, 'users', { email }, ['id', 'totp_since']);
    const ids = users.filter(({ totp_since }) => totp_since !== null).map(({ id }) => id);
    await deleteRows(tx, 'sessions', { user_id: ids });
    return updateRows(tx, 'users', { id: ids }, noSecondFactor);
  });
  if (count === 0) throw new CommandError(`no person with the email address ${email} has a second factor`);
  process.stdout.write(`Removed the second factor of ${email} and ended the sessions.\n`);
}
