// `users`: lists, invites and removes people of the account.
import { type Command, Option } from 'commander';
import type { InviteBody, PersonBody } from '#contract/accounts/person.ts';
import { memberRoles } from '#domain/accounts/api-key.ts';
import { systemClock } from '#lib/clock.ts';
import { CommandError } from '../exits.ts';
import { oneLine } from '../terminal-text.ts';
import { type Connection, connect } from './connect.ts';
import { readAll } from './find.ts';
import { ago, listed, print, type ServerOptions, withServer } from './output.ts';

interface InviteOptions extends ServerOptions {
  readonly role: PersonBody['role'];
}

/** Defines `users` and its subcommands. */
export function defineUsers(command: Command): void {
  command.description('List, invite or remove people. Requires a key with the role admin.');
  withServer(
    command.command('ls').description('List the members of the account and its open invitations.'),
    'users ls',
  ).action(list);
  withServer(
    command
      .command('invite')
      .description('Invite a person. Prints the link if the server does not send it by email.')
      .argument('<email>', 'email address of the person')
      .addOption(new Option('--role <role>', 'role in the account').choices(memberRoles).makeOptionMandatory()),
    'users invite ada@example.com --role read-write',
  ).action(invite);
  withServer(
    command
      .command('rm')
      .description('Remove people from the account, or withdraw their invitations.')
      .argument('<person...>', 'email address, or ID of the person or invitation'),
    'users rm ada@example.com',
  ).action(remove);
}

interface People {
  readonly users: readonly PersonBody[];
  readonly invites: readonly InviteBody[];
}

async function readPeople(connection: Connection): Promise<People> {
  const { items: users } = await readAll(connection, 'listUsers', {});
  const { items: invites } = await readAll(connection, 'listInvites', {});
  return { users, invites };
}

async function list(options: ServerOptions): Promise<void> {
  const { users, invites } = await readPeople(connect(options));
  const now = systemClock.now();
  print(options, { users, invites }, () =>
    listed(
      {
        titles: ['ADDRESS', 'ROLE', 'LAST SIGN-IN', 'ID'],
        rows: [
          ...users.map(({ email, role, lastSignInAt, id }) => [email, role, ago(lastSignInAt, now), id]),
          ...invites.map(({ email, role, expiresAt, id }) => [
            email,
            role,
            `invited until ${expiresAt.slice(0, 10)}`,
            id,
          ]),
        ],
      },
      'The account has no members. API keys are listed by keys ls.',
    ),
  );
}

async function invite(email: string, options: InviteOptions): Promise<void> {
  const made = await connect(options).client.call('createInvite', { body: { email, role: options.role } });
  print(options, made, () =>
    made.url === null
      ? [`Sent an invitation to ${oneLine(made.email)}. It expires at ${made.expiresAt}.`]
      : [
          `Send this link to ${oneLine(made.email)}. It works once and expires at ${made.expiresAt}:`,
          oneLine(made.url),
        ],
  );
}

async function remove(wanted: readonly string[], options: ServerOptions): Promise<void> {
  const connection = connect(options);
  const { users, invites } = await readPeople(connection);
  const found = wanted.map((each) => {
    const isWanted = ({ id, email }: { id: string; email: string }): boolean =>
      id === each || email === each.toLowerCase();
    const [user, open] = [users.find(isWanted), invites.find(isWanted)];
    if (user === undefined && open === undefined) {
      throw new CommandError(`there is no member or invitation with the email address or ID "${oneLine(each)}"`);
    }
    return { user, open };
  });
  for (const { user, open } of found) {
    if (user !== undefined) await connection.client.call('deleteUser', { params: { id: user.id } });
    if (open !== undefined) await connection.client.call('deleteInvite', { params: { id: open.id } });
  }
  print(
    options,
    found.flatMap(({ user, open }) =>
      [user, open].flatMap((each) => (each === undefined ? [] : [{ id: each.id, email: each.email }])),
    ),
    () =>
      found.flatMap(({ user, open }) => [
        ...(user === undefined ? [] : [`Removed ${oneLine(user.email)} from the account.`]),
        ...(open === undefined ? [] : [`Withdrew the invitation of ${oneLine(open.email)}.`]),
      ]),
  );
}
