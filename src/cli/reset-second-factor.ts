// `reset-second-factor`: removes the second factor of a person who has lost it, and ends their sessions.
import type { Command } from 'commander';
import { readConfig } from '#config/config.ts';
import { commandName } from '#lib/package-files.ts';
import { noSecondFactor } from '#store/accounts/second-factors.ts';
import { deleteRows, findRows, updateRows } from '#store/base/rows.ts';
import { CommandError } from './exits.ts';
import { writeDatabase } from './open-database.ts';

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
