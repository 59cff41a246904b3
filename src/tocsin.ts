// `npm run tocsin -- <command>`: the one entry for commands on this machine's own data.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keyHash, keyPrefix, newKeyText } from '#actions/key-text.ts';
import { systemClock } from '#lib/clock.ts';
import { suggestion } from '#lib/nearest.ts';
import { backUp } from '#commands/backup.ts';
import { CommandError } from '#commands/command-error.ts';
import { findPing, pingProblem } from '#checks/icmp/ping.ts';
import { type DoctorDatabase, examine } from '#commands/doctor.ts';
import { addAdminKey, addAdminKeyOnPostgres } from '#commands/new-key.ts';
import { type ChosenContainment, chooseContainment } from '#scripts/choose-containment.ts';
import { hasGateway } from '#scripts/containment.ts';
import { findChromium } from '#scripts/find-chromium.ts';
import { StoreUnavailableError } from '#store/unavailable.ts';
import { readInstalled } from './compose-runtimes.ts';
import { nearestVariable } from './config-variables.ts';
import { type Config, ConfigError, publicUrlOf, readConfig } from './config.ts';
import { isLoopbackHost } from './config.ts';
import { migrateDatabase, restoreBackup } from './move-commands.ts';
import { receive } from './receive-command.ts';
import { runtimesCommand } from './runtimes-command.ts';
import { createScriptGateway } from './script-gateway.ts';
import { UsageError } from './usage-error.ts';

/** 0 done · 1 done, and something is wrong · 2 the command line is wrong · 78 the configuration is wrong. */
const exitCodes = { ok: 0, failed: 1, usage: 2, config: 78 } as const;

const help = `Usage: npm run tocsin -- <command>

  serve             run the service (the same as npm start); stops on Ctrl-C or SIGTERM
  backup <file>     copy the database while the service runs, verified
  restore <file>    put a backup in the place of the database, verified; the service must be stopped; what was there
                    is kept beside it
  migrate           copy the whole installation: --from <database> --to <database>, each sqlite:<file> or postgres://…;
                    both stopped; verified; goes on after a kill; --overwrite removes what stands in the target
                    with --account <id> --redirect-to <url>: one account, both running; --to-secret-key-file <file>
                    where the keys differ
  new-key           make and print an admin key for every account here, for when the last one is lost; the service may
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

const commands: Readonly<Record<string, (words: string[]) => Promise<number>>> = {
  serve,
  backup,
  restore: restoreBackup,
  migrate: migrateDatabase,
  'new-key': newKey,
  receive,
  runtimes: runtimesCommand,
  doctor,
  help: showHelp,
};

process.exitCode = await run(process.argv.slice(2));

async function run([name = 'help', ...words]: string[]): Promise<number> {
  const wanted = name === '--help' || name === '-h' ? 'help' : name;
  const command = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined;
  try {
    if (command === undefined) {
      throw new UsageError(`there is no command ${name}${suggestion(name, Object.keys(commands))}`);
    }
    return await command(words);
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

async function serve(words: string[]): Promise<number> {
  parseArgs({ args: words, options: {} });
  await import('./main.ts');
  return exitCodes.ok;
}

function showHelp(): Promise<number> {
  process.stdout.write(help);
  return Promise.resolve(exitCodes.ok);
}

function backup(words: string[]): Promise<number> {
  const { positionals } = parseArgs({ args: words, options: {}, allowPositionals: true });
  const [target] = positionals;
  if (target === undefined || positionals.length > 1) throw new UsageError('backup takes one file name');
  const { database } = readConfig();
  if (database.kind === 'postgres') {
    throw new CommandError('a PostgreSQL is backed up with its own tools: see docs/operating.md, "PostgreSQL"');
  }
  const made = backUp(database.path, target);
  const megabytes = (made.bytes / 1e6).toFixed(1);
  process.stdout.write(
    `${made.path}: ${megabytes} MB, ${made.tables} tables, verified, ${made.durationMs.toFixed(0)} ms\n`,
  );
  return Promise.resolve(exitCodes.ok);
}

async function newKey(words: string[]): Promise<number> {
  const { values } = parseArgs({ args: words, options: { name: { type: 'string', default: 'Made with new-key' } } });
  const name = values.name.trim();
  if (name === '' || name.length > 200) throw new UsageError('--name takes a text of 1 to 200 characters');
  const text = newKeyText();
  const key = { name, hash: keyHash(text), prefix: keyPrefix(text), createdAt: systemClock.now() };
  const { database } = readConfig();
  const reached =
    database.kind === 'sqlite' ? addAdminKey(database.path, key) : await addAdminKeyOnPostgres(database.address, key);
  process.stdout.write(
    `An admin key for ${reached} account${reached === 1 ? '' : 's'}, shown only this once:\n\n  export TOCSIN_API_KEY=${text}\n\n`,
  );
  return exitCodes.ok;
}

function doctorDatabaseOf({ database, listen }: Config): DoctorDatabase {
  if (database.kind === 'sqlite') return database;
  return { ...database, listen: listen === 'off' ? null : (listen ?? database.address) };
}

function chromiumPath(found: ReturnType<typeof findChromium>): string | null {
  return found === null ? null : join(found.folder, found.program);
}

async function triedContainment({ egress }: Config): Promise<ChosenContainment> {
  const gateway = createScriptGateway({ egress });
  try {
    return await chooseContainment(process.execPath, process.getuid?.() === 0, gateway.open);
  } catch (error) {
    return { containment: 'process', refused: [error instanceof Error ? error.message : String(error)] };
  } finally {
    await gateway.close();
  }
}

async function doctor(words: string[]): Promise<number> {
  const { values } = parseArgs({ args: words, options: { json: { type: 'boolean' } } });
  const config: Config = readConfig();
  const { runtimes, problems, notInstalled } = await readInstalled(systemClock, new Map());
  const { containment, refused } = await triedContainment(config);
  const findings = await examine({
    nodeVersion: process.version,
    dataDir: config.dataDir,
    database: doctorDatabaseOf(config),
    hasConfiguredKey: config.secretKey !== null,
    unknownVariables: config.unknownVariables.map((name) => ({ name, nearest: nearestVariable(name) })),
    address: publicUrlOf({ host: config.host, publicUrl: null }, config.port),
    egress: { mode: config.egress.mode, proxy: config.egress.proxy, isLoopback: isLoopbackHost(config.host) },
    pingProblem: await pingProblem(findPing()),
    runtimes: {
      names: runtimes.map((runtime) => runtime.name),
      notInstalled,
      problems: problems.map(({ runtime, message }) => `${runtime}: ${message}`),
    },
    containment: { level: containment, refused, holdsEgress: hasGateway(containment) },
    chromium: chromiumPath(findChromium(config.chromium)),
  });
  if (values.json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  const marks = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const;
  if (!values.json) {
    for (const { grade, what, message } of findings) {
      process.stdout.write(`${marks[grade]}  ${what.padEnd(12)} ${message}\n`);
    }
  }
  return findings.some(({ grade }) => grade === 'problem') ? exitCodes.failed : exitCodes.ok;
}
