// `login`, `logout` and `whoami`: profiles of servers, and who a key is.
import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { isLoopbackHost, readClientConfig } from '#config/config.ts';
import type { MeBody } from '#contract/accounts/session.ts';
import { CommandError, UsageError } from '../exits.ts';
import { oneLine } from '../terminal-text.ts';
import { checkedUrl, connect, connectTo } from './connect.ts';
import { facts, note, print, type ServerOptions, withServer } from './output.ts';
import { defaultProfile, readProfiles, writeProfiles } from './profiles.ts';

interface LoginOptions extends ServerOptions {
  readonly account?: string;
  readonly keyStdin?: true;
  readonly open?: true;
}

/** Defines `login`. */
export function defineLogin(command: Command): void {
  withServer(
    command
      .description(
        'Store the address of a server and an API key as a profile, for the commands that talk to a server. ' +
          'Asks for the key without showing it. The file can be read by your user only.',
      )
      .argument('<url>', 'address of the server')
      .option('--account <account>', 'ID or name of the account; default: the first account of the key')
      .option('--key-stdin', 'read the key from stdin')
      .option('--open', 'open the page where keys are created in the browser'),
    'login https://tocsin.example.com',
    'login https://tocsin.example.com --profile staging --key-stdin < key.txt',
  ).action(login);
}

async function login(text: string, options: LoginOptions): Promise<void> {
  const url = checkedUrl(text);
  const name = options.profile ?? defaultProfile;
  if (!/^[a-z\d][\w.-]{0,63}$/i.test(name)) {
    throw new UsageError('--profile must be up to 64 letters, digits, dots, dashes and underscores');
  }
  const config = readClientConfig();
  // A broken file is reported before anybody types a key.
  const profiles = readProfiles(config.profilesPath);
  warnPlainText(url);
  const target = { url, key: '', accountId: null, keySource: 'this login' };
  await connectTo(target, config).client.call('getSetup');
  const key = await keyOf(url, options);
  const connection = connectTo({ ...target, key }, config);
  const me = await connection.client.call('getMe');
  const account = options.account === undefined ? null : accountOf(me, options.account);
  writeProfiles(config.profilesPath, {
    ...profiles,
    [name]: { url, key, ...(account !== null && { accountId: account.id }) },
  });
  const shown = account ?? me.accounts.find(({ id }) => id === me.accountId);
  const value = { profile: name, url, accountId: shown?.id ?? me.accountId, role: me.role };
  print(options, value, () => [
    `Stored the profile "${name}" in ${config.profilesPath}.`,
    `Account: ${accountText(shown, me.accountId)}. Role: ${shown?.role ?? me.role}.`,
    ...(account === null && me.accounts.length > 1
      ? [`The key reaches ${me.accounts.length} accounts. Choose another one with --account.`]
      : []),
  ]);
}

async function keyOf(url: string, { keyStdin, open }: LoginOptions): Promise<string> {
  const page = `${url}/settings/api-keys`;
  if (open === true) openPage(page);
  if (keyStdin !== true && !process.stdin.isTTY) {
    throw new UsageError('there is no terminal to ask for the API key: use --key-stdin');
  }
  if (keyStdin !== true) note(`Create an API key at ${page} and paste it here.`);
  const key = keyStdin === true ? await readStdin() : (await askHidden('API key: ')).trim();
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new CommandError('an API key has no spaces or special characters: copy it again');
  return key;
}

/** Opens a page in the browser; without one, the printed address has to do. */
function openPage(page: string): void {
  const [program, ...words] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '""']
        : ['xdg-open'];
  const child = spawn(program ?? '', [...words, page], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

function warnPlainText(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''))) {
    note('Warning: http:// sends the API key without encryption. Use https:// if the server supports it.');
  }
}

type Account = MeBody['accounts'][number];

function accountOf({ accounts }: MeBody, wanted: string): Account {
  const found = accounts.filter(({ id, name }) => id === wanted || name === wanted);
  if (found.length === 1 && found[0] !== undefined) return found[0];
  const known = accounts.map((each) => accountText(each, each.id)).join(', ');
  throw new CommandError(
    found.length > 1
      ? `several accounts are named ${wanted}: use the ID of one. Accounts of the key: ${known}`
      : `the key has no access to an account ${wanted}. Accounts of the key: ${known}`,
  );
}

function accountText(account: Account | undefined, id: string): string {
  return account === undefined ? oneLine(id) : oneLine(`${account.name} (${account.id})`);
}

/** Defines `logout`. */
export function defineLogout(command: Command): void {
  withServer(
    command.description('Delete a profile. The API key stays valid: revoke it with `keys rm`.'),
    'logout',
    'logout --profile staging',
  ).action((options: ServerOptions) => {
    const { profilesPath } = readClientConfig();
    const wanted = options.profile ?? defaultProfile;
    const profiles = readProfiles(profilesPath);
    const name = oneLine(wanted);
    if (!Object.hasOwn(profiles, wanted)) throw new CommandError(`there is no profile "${name}"`);
    const { [wanted]: removed, ...others } = profiles;
    writeProfiles(profilesPath, others);
    print(options, { profile: name, url: removed?.url }, () => [
      `Deleted the profile "${name}". Its API key is still valid on ${removed?.url}.`,
    ]);
  });
}

/** Defines `whoami`. */
export function defineWhoami(command: Command): void {
  withServer(
    command.description('Show the server, the account and the rights of the API key in use.'),
    'whoami',
    'whoami --json',
  ).action(async (options: ServerOptions) => {
    const { client, url, keySource } = connect(options);
    const me = await client.call('getMe');
    print(options, { url, ...me }, () =>
      facts([
        ['Server', `${url} (Tocsin ${me.version})`],
        ['Key', keySource],
        [
          'Account',
          accountText(
            me.accounts.find(({ id }) => id === me.accountId),
            me.accountId,
          ),
        ],
        ['Role', me.role],
        ['Accounts', me.accounts.length < 2 ? null : me.accounts.map((each) => accountText(each, each.id)).join(', ')],
      ]),
    );
  });
}

/** Longest secret, characters. */
const longest = 1000;

/** Asks on the terminal; typed characters are not shown. @throws {CommandError} if it is cancelled with Ctrl-C or Ctrl-D */
async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // What is typed as soon as the question appears must not be shown either.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.resume();
  try {
    let typed = '';
    for await (const chunk of stdin as AsyncIterable<Buffer>) {
      for (const character of chunk.toString('utf8')) {
        if (character === '\u0003' || character === '\u0004') throw new CommandError('cancelled');
        if (character === '\r' || character === '\n') return typed;
        typed = character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character;
        if (typed.length > longest) throw new CommandError('the key is too long');
      }
    }
    throw new CommandError('cancelled');
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** Everything that stdin contains, without white space around it. */
async function readStdin(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    text += chunk.toString('utf8');
    if (text.length > longest) throw new CommandError('the key on stdin is too long');
  }
  return text.trim();
}
