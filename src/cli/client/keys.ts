// `keys`: lists, creates and revokes API keys of the account.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKeyBody } from '#contract/accounts/api-key.ts';
import { apiKeyRoles } from '#domain/accounts/api-key.ts';
import { systemClock } from '#lib/clock.ts';
import { CommandError } from '../exits.ts';
import { oneLine } from '../terminal-text.ts';
import { connect } from './connect.ts';
import { readAll } from './find.ts';
import { ago, listed, note, print, type ServerOptions, withServer } from './output.ts';

interface CreateOptions extends ServerOptions {
  readonly role: ApiKeyBody['role'];
  /** Days. */
  readonly expires?: number;
}

const dayMs = 86_400_000;

/** Defines `keys` and its subcommands. */
export function defineKeys(command: Command): void {
  command.description('List, create or revoke API keys. Requires a key with the role admin.');
  withServer(command.command('ls').description('List the API keys of the account.'), 'keys ls').action(list);
  withServer(
    command
      .command('create')
      .description('Create an API key and print it. It is not shown again.')
      .argument('<name>', 'name of the key')
      .addOption(new Option('--role <role>', 'what the key may do').choices(apiKeyRoles).makeOptionMandatory())
      .option('--expires <days>', 'the key is valid for this number of days; default: it does not expire', daysOf),
    'keys create CI --role read-run --expires 90',
  ).action(create);
  withServer(
    command.command('rm').description('Revoke API keys immediately.').argument('<key...>', 'ID or name of the key'),
    'keys rm CI',
  ).action(remove);
}

function daysOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number of days from 1 to 99999.');
}

async function list(options: ServerOptions): Promise<void> {
  const { items } = await readAll(connect(options), 'listApiKeys', {});
  const now = systemClock.now();
  print(options, items, () =>
    listed(
      {
        titles: ['NAME', 'BEGINS WITH', 'ROLE', 'LAST USED', 'EXPIRES', 'ID'],
        rows: items.map(({ name, prefix, role, lastUsedAt, expiresAt, id }) => [
          name,
          prefix,
          role,
          ago(lastUsedAt, now),
          expiresAt ?? 'never',
          id,
        ]),
      },
      'There are no API keys.',
    ),
  );
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const expiresAt =
    options.expires === undefined ? null : new Date(systemClock.now() + options.expires * dayMs).toISOString();
  const made = await connect(options).client.call('createApiKey', { body: { name, role: options.role, expiresAt } });
  print(options, made, () => [made.key]);
  if (options.json !== true) note('The key is not shown again. Store it now.');
}

async function remove(wanted: readonly string[], options: ServerOptions): Promise<void> {
  const connection = connect(options);
  const { items } = await readAll(connection, 'listApiKeys', {});
  const keys = wanted.map((each) => keyOf(items, each));
  for (const { id } of keys) await connection.client.call('deleteApiKey', { params: { id } });
  print(
    options,
    keys.map(({ id, name }) => ({ id, name })),
    () => keys.map(({ id, name }) => `Revoked ${oneLine(name)} (${id}).`),
  );
}

function keyOf(keys: readonly ApiKeyBody[], wanted: string): ApiKeyBody {
  const found = keys.filter(({ id, name }) => id === wanted || name === wanted);
  if (found.length === 1 && found[0] !== undefined) return found[0];
  const ids = found.map(({ id, prefix }) => `\n  ${id}  ${oneLine(prefix)}…`).join('');
  throw new CommandError(
    found.length === 0
      ? `there is no API key with the ID or name "${oneLine(wanted)}"`
      : `several API keys are named "${oneLine(wanted)}"; use the ID of one:${ids}`,
  );
}
