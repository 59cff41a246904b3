// `npm run tocsin -- <command>`: the entry point of all commands.
import { errorMessage } from '#lib/errors.ts';
import { Command, CommanderError } from 'commander';
import { CommandError, exitCodes, UsageError } from '#cli/exits.ts';
import { ConfigError } from '#config/config.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { commandName } from '#lib/package-files.ts';

type Define = (command: Command) => unknown;

type Listed = Readonly<Record<string, readonly [summary: string, load: () => Promise<Define>]>>;

/** A command's file is loaded only when the command is named, so that help does not wait for database drivers. */
const groups: Readonly<Record<string, Listed>> = {
  'Commands of this installation': {
    serve: ['Run the service, like npm start', () => Promise.resolve(defineServe)],
    backup: ['Back up the SQLite database', async () => (await import('#cli/backup.ts')).defineBackup],
    restore: ['Restore a backup of the SQLite database', async () => (await import('#cli/restore.ts')).defineRestore],
    migrate: [
      'Copy an installation or an account to another database',
      async () => (await import('#cli/migrate.ts')).defineMigrate,
    ],
    'new-key': ['Create an operator key', async () => (await import('#cli/new-key.ts')).defineNewKey],
    'new-user': ['Print a link that creates an operator', async () => (await import('#cli/people.ts')).defineNewUser],
    'reset-password': [
      'Print a link that sets another password',
      async () => (await import('#cli/people.ts')).defineResetPassword,
    ],
    'reset-second-factor': [
      'Remove the lost second factor of a person',
      async () => (await import('#cli/people.ts')).defineResetSecondFactor,
    ],
    receive: ['Run a test receiver for webhooks', async () => (await import('#cli/receive.ts')).defineReceive],
    runtimes: ['List, install or try runtimes', async () => (await import('#cli/runtimes.ts')).defineRuntimes],
    doctor: ['Diagnose this installation', async () => (await import('#cli/doctor/doctor-command.ts')).defineDoctor],
  },
  'Commands that talk to a server': {
    login: ['Store a server and an API key', async () => (await import('#cli/client/login.ts')).defineLogin],
    logout: ['Delete a stored server', async () => (await import('#cli/client/login.ts')).defineLogout],
    mcp: ['Let an AI assistant use a server', async () => (await import('#cli/client/mcp.ts')).defineMcp],
    whoami: ['Show the account and rights of the key', async () => (await import('#cli/client/login.ts')).defineWhoami],
    import: [
      'Import monitors of other products',
      async () => (await import('#cli/client/import/import-command.ts')).defineImport,
    ],
    apply: ['Apply resource files to a server', async () => (await import('#cli/client/files/apply.ts')).defineApply],
    diff: ['Compare resource files with a server', async () => (await import('#cli/client/files/apply.ts')).defineDiff],
    export: [
      'Write an account as resource files',
      async () => (await import('#cli/client/files/export.ts')).defineExport,
    ],
    checks: ['List, show, run or delete checks', async () => (await import('#cli/client/checks.ts')).defineChecks],
    trigger: [
      'Run checks and wait, as a deploy gate',
      async () => (await import('#cli/client/trigger.ts')).defineTrigger,
    ],
    top: ['Watch all checks live', async () => (await import('#cli/client/top/top-command.ts')).defineTop],
    logs: ['Print the results of a check', async () => (await import('#cli/client/logs.ts')).defineLogs],
    keys: ['List, create or revoke API keys', async () => (await import('#cli/client/keys.ts')).defineKeys],
    users: ['List, invite or remove people', async () => (await import('#cli/client/users.ts')).defineUsers],
    completion: [
      'Print a completion script for your shell',
      async () => (await import('#cli/client/completion.ts')).defineCompletion,
    ],
  },
};

/** Commands that only print, until they are stopped. */
const printers = ['receive', 'logs', 'top'];

process.exitCode = await run(process.argv.slice(2));

async function run(words: string[]): Promise<number> {
  const asked = (words[0] === 'help' ? words[1] : words[0]) ?? 'help';
  process.stdout.on('error', (error: NodeJS.ErrnoException) => onBrokenPipe(error, asked));
  const program = new Command(commandName)
    .usage('<command>')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'tocsin:')) })
    .showHelpAfterError(`Run ${commandName} help to list all commands.`)
    .addHelpText(
      'after',
      `\nExamples:\n  PORT=8080 ${commandName} serve\n  ${commandName} login https://tocsin.example.com\n` +
        `  ${commandName} checks ls --status failing\n  ${commandName} trigger --group Shop\n` +
        '\nConfiguration comes from the environment: see docs/configuration.md.\n' +
        'Exit codes: 0 success, 1 failure or problem found, 2 invalid command line, 78 invalid configuration.',
    );
  for (const [group, commands] of Object.entries(groups)) {
    program.commandsGroup(`${group}:`);
    for (const [name, [summary, load]] of Object.entries(commands)) {
      const command = program.command(name).summary(summary).description(`${summary}.`);
      // A completion script contains the options of every command.
      if (name === asked || asked === 'completion') (await load())(command);
    }
  }
  program.helpCommand('help [command]', 'Show the help of a command');
  try {
    await program.parseAsync(words.length === 0 ? ['help'] : words, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    process.stderr.write(`tocsin: ${errorMessage(error)}\n`);
    if (error instanceof UsageError) return exitCodes.usage;
    if (error instanceof ConfigError) return exitCodes.config;
    if (error instanceof CommandError || error instanceof StoreUnavailableError) return exitCodes.failed;
    throw error;
  }
}

/** A pipe's reader may exit early, as `head` does. The command continues, except one that only prints. */
function onBrokenPipe(error: NodeJS.ErrnoException, command: string): void {
  if (error.code !== 'EPIPE') throw error;
  if (printers.includes(command)) process.exit(exitCodes.ok);
}

function defineServe(command: Command): void {
  command
    .description('Run the service, like npm start. It stops on Ctrl-C or SIGTERM.')
    .addHelpText('after', `\nExample:\n  PORT=8080 ${commandName} serve`)
    .action(async () => void (await import('./main.ts')));
}
