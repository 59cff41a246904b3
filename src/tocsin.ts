// `npm run tocsin -- <command>`: the one entry for commands on this machine's own data.
import { parseArgs } from 'node:util';
import { CommandError } from '#cli/command-error.ts';
import { suggestion } from '#lib/nearest.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { ConfigError } from '#config/config.ts';
import { exitCodes } from '#cli/exit-codes.ts';
import { UsageError } from '#cli/usage-error.ts';

const help = `Usage: npm run tocsin -- <command>

  serve             run the service (the same as npm start); stops on Ctrl-C or SIGTERM
  backup <file>     copy the database while the service runs, verified
  restore <file>    put a backup in the place of the database, verified; the service must be stopped; what was there
                    is kept beside it
  migrate           copy the whole installation: --from <database> --to <database>, each sqlite:<file> or postgres://…;
                    both stopped; verified; goes on after a kill; --overwrite removes what stands in the target
                    with --account <id>: moves one account; --to-secret-key-file <file> if the target has another key
  new-key           make and print an operator key for every account here, for when the last one is lost; the service may
                    run meanwhile; --name <text> says what it is called
  receive           be a receiver to try channels with: shows what comes and whether it is genuine; --secret <text> (again
                    for a second one), --port <8095>, --host <127.0.0.1>; --answer <200|404|500|hang|reset>, apart by
                    commas one for each attempt of a delivery; --wait <s> before the answer; --json
  runtimes          list those there are; install <name>… or all fetches their packages and says what they take on disk;
                    without a name the CURRENT one; try <name> runs the checks that have scripts here, each in its present
                    runtime and in that one, and says what would change: nothing is recorded, nobody is told, their requests
                    are real; --checks <id,id…>, --json; exits 1 when a check would get worse,
                    130 after Ctrl-C, which ends all that it started
  doctor            say what is wrong with this installation and what to do; exits 1 when there is a problem
  help              this page

Configuration comes from the environment: see docs/configuration.md.
Exit codes: 0 done, 1 something is wrong, 2 the command line is wrong, 78 the configuration is wrong.
`;

type Command = (words: string[]) => Promise<number>;

/** Each is loaded when it is asked for: help need not wait for drivers of databases. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: () => Promise.resolve(serve),
  backup: async () => (await import('#cli/backup-command.ts')).backup,
  restore: async () => (await import('#cli/move-commands.ts')).restoreBackup,
  migrate: async () => (await import('#cli/move-commands.ts')).migrateDatabase,
  'new-key': async () => (await import('#cli/new-key-command.ts')).newKey,
  receive: async () => (await import('#cli/receive-command.ts')).receive,
  runtimes: async () => (await import('#cli/runtimes-command.ts')).runtimesCommand,
  doctor: async () => (await import('#cli/doctor/doctor-command.ts')).doctor,
  help: () => Promise.resolve(showHelp),
};

process.exitCode = await run(process.argv.slice(2));

async function run([name = 'help', ...words]: string[]): Promise<number> {
  const wanted = name === '--help' || name === '-h' ? 'help' : name;
  const command = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => onBrokenPipe(error, wanted));
  try {
    if (command === undefined) {
      throw new UsageError(`there is no command ${name}${suggestion(name, Object.keys(commands))}`);
    }
    const work = await command();
    return await work(words);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isUsage = error instanceof UsageError || (error instanceof TypeError && 'code' in error);
    process.stderr.write(`tocsin: ${message}\n`);
    if (isUsage) process.stderr.write('Try: npm run tocsin -- help\n');
    if (isUsage) return exitCodes.usage;
    if (error instanceof ConfigError) return exitCodes.config;
    if (error instanceof CommandError || error instanceof StoreUnavailableError) return exitCodes.failed;
    throw error;
  }
}

/** The reader of a pipe may leave early, as `head` does: the command goes on, but `receive` exists only to print. */
function onBrokenPipe(error: NodeJS.ErrnoException, command: string): void {
  if (error.code !== 'EPIPE') throw error;
  if (command === 'receive') process.exit(exitCodes.ok);
}

async function serve(words: string[]): Promise<number> {
  parseArgs({ args: words, options: {} });
  await import('./main.ts');
  return exitCodes.ok;
}

function showHelp(): Promise<number> {
  process.stdout.write(help);
  return Promise.resolve(exitCodes.ok);
}
