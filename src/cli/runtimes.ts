// `runtimes`: lists, installs and tries runtimes.
import { spawnSync } from 'node:child_process';
import { join, dirname } from 'node:path';
import type { Command } from 'commander';
import { endedWords } from '#domain/checks/runtime.ts';
import { systemClock } from '#lib/clock.ts';
import { readInstalled } from '#app/scripts/installed-runtimes.ts';
import { commandName, packageFolder } from '#lib/package-files.ts';
import { suggestion } from '#lib/nearest.ts';
import { UsageError, CommandError } from './exits.ts';
import { triedText, type TryDeps, tryRuntime } from './try-runtime.ts';
import { createPlaceBoard } from '#egress/closed-places.ts';
import type { Log } from '#lib/log.ts';
import { probeInputOf } from '#pipeline/run-checks.ts';
import type { InstalledRuntime, InstalledRuntimes } from '#sandbox/runtimes/read-runtimes.ts';
import { isWithScripts } from '#app/scripts/script-rules.ts';
import { createScriptProber, trustedCasOf } from '#app/scripts/scripts.ts';
import { type Config, readConfig } from '#config/config.ts';
import { readScriptFile } from '#store/accounts/script-files.ts';
import { opened } from './move-sides.ts';
import { ownAddresses } from '#app/store/own-addresses.ts';
import { createProber } from '#checks/runner/probe-threads.ts';
import { findSecretKey } from '#config/secret-key.ts';
import { version } from '#config/version.ts';

const installer = join(packageFolder, 'tooling', 'install-runtimes.mjs');

/** Defines `runtimes` and its subcommands. */
export function defineRuntimes(command: Command): void {
  command.description('List, install or try runtimes. Without a subcommand, lists them.');
  command
    .command('list', { isDefault: true })
    .description('List runtimes.')
    .addHelpText('after', `\nExample:\n  ${commandName} runtimes list`)
    .allowExcessArguments()
    .action(async (_, { args: [unknown] }: Command) => {
      // The default subcommand also receives misspelled names.
      if (unknown !== undefined) {
        throw new UsageError(`unknown command '${unknown}'${suggestion(unknown, ['list', 'install', 'try'])}`);
      }
      process.exitCode = await list();
    });
  command
    .command('install')
    .description('Install the packages of runtimes.')
    .argument('[name...]', 'runtimes to install, or all; default: the CURRENT runtime')
    .addHelpText('after', `\nExample:\n  ${commandName} runtimes install 2026.04`)
    .action((names: string[]) => void (process.exitCode = install(names)));
  command
    .command('try')
    .description(
      'Run checks with scripts in their current runtime and in another one, and compare. Sends real requests; ' +
        'records nothing and sends no alerts. Exits with 1 if a check gets worse.',
    )
    .argument('<name>', 'runtime to try')
    .option('--checks <ids>', 'only these check ids, separated by commas', (text, ids: string[] | undefined) => [
      ...(ids ?? []),
      text,
    ])
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ${commandName} runtimes try 2026.10`)
    .action(async (name: string, values: TryWords) => void (process.exitCode = await tryCommand(name, values)));
}

/** Runs the script that `npm ci` also runs, as a separate process. */
function install(names: readonly string[]): number {
  const { status, error } = spawnSync(process.execPath, [installer, ...names], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status ?? 1;
}

async function list(): Promise<number> {
  const { runtimes, notInstalled, ended, problems } = await readInstalled(systemClock, new Map());
  for (const { name, stage, nodeJsVersion, dependencies, runtimeEndOfLife } of runtimes) {
    const playwright = dependencies['@playwright/test'];
    const facts = [
      stage,
      `Node.js ${nodeJsVersion}`,
      ...(playwright === undefined ? [] : [`Playwright ${playwright}`]),
      `${Object.keys(dependencies).length} packages`,
      ...(runtimeEndOfLife === null ? [] : [`until ${runtimeEndOfLife}`]),
    ];
    process.stdout.write(`${name}  ${facts.join(', ')}\n`);
  }
  for (const name of notInstalled) {
    process.stdout.write(`${name}  not installed: ${commandName} runtimes install ${name}\n`);
  }
  for (const runtime of ended) process.stdout.write(`${runtime.name}  ${endedWords(runtime, systemClock.now())}\n`);
  for (const { runtime, message } of problems) process.stdout.write(`${runtime}  PROBLEM: ${message}\n`);
  return problems.length > 0 ? 1 : 0;
}

/** Prints warnings, e.g. that scripts are not isolated here. */
const reported = (event: string, fields: Readonly<Record<string, unknown>> = {}): void =>
  void process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
const toScreen: Log = { debug() {}, info() {}, warn: reported, error: reported };

/** Signals that stop the command, with the exit codes shells expect. */
const endings = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Options of `runtimes try`. */
interface TryWords {
  readonly checks?: string[];
  readonly json?: true;
}

/**
 * @returns the exit code: 1 if a check gets worse; 128 plus the signal number if a signal stopped the command. All
 *   started processes have ended by then. Throws UsageError, ConfigError and CommandError.
 */
async function tryCommand(runtime: string, values: TryWords): Promise<number> {
  const found = await readInstalled(systemClock, new Map());
  requireInstalled(runtime, found);
  const config = readConfig();
  const { database, dataDir } = config;
  const beside = database.kind === 'sqlite' ? [dirname(database.path)] : [];
  const order = {
    database,
    secretKey: findSecretKey(config, [...new Set([dataDir, ...beside])]),
    runtime,
    checks: values.checks === undefined ? null : parseIds(values.checks),
  };
  const { deps, stop, close } = composeDeps(config, found.runtimes);
  let ended: keyof typeof endings | null = null;
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    // Further signals are ignored: shutdown is in progress, and interrupting it would leave files behind.
    process.on(signal, () => {
      ended ??= signal;
      stop();
    });
  }
  const screen = {
    write: (text: string) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
    now: () => performance.now(),
  };
  try {
    const tried = await tryRuntime(order, deps, screen);
    process.stdout.write(values.json ? `${JSON.stringify(tried, null, 2)}\n` : triedText(tried, runtime));
    return tried.checks.some(({ change }) => change === 'worse') ? 1 : 0;
  } catch (error) {
    if (ended === null || !(error instanceof CommandError)) throw error;
    process.stderr.write(`tocsin: ${error.message}\n`);
    return endings[ended];
  } finally {
    await close();
  }
}

/** Assembles what runs the checks, as in the service. */
function composeDeps(config: Config, runtimes: readonly InstalledRuntime[]) {
  const { scriptsAtOnce, scriptMs, chromium, caCertificates } = config;
  const egress = { ...config.egress, closed: createPlaceBoard(ownAddresses(config, [config.port])) };
  const stopping = new AbortController();
  const prober = createProber({ threads: 1, egress, version, extraCertificates: caCertificates });
  const scripts = createScriptProber({
    runtimes: { list: () => runtimes },
    clock: systemClock,
    log: toScreen,
    egress,
    atOnce: scriptsAtOnce,
    mayBeUncontained: config.scriptsUncontained,
    wallClockMs: scriptMs,
    // No prewarmed processes, so that both runtimes start equally.
    warm: 0,
    chromium,
    trustedCas: trustedCasOf(config),
    async readScriptFile(accountId, key) {
      await using from = await opened(config.database, 'read');
      return readScriptFile(from.side.reader, accountId, key);
    },
    prober,
  });
  const deps: TryDeps = {
    signal: stopping.signal,
    installed: runtimes,
    inputOf: probeInputOf,
    isScripted: isWithScripts,
    probe: (input) => scripts.probe(input),
    atOnce: scriptsAtOnce,
    now: () => systemClock.now(),
  };
  return {
    deps,
    stop: () => {
      stopping.abort();
      void scripts.close();
    },
    close: async () => {
      await scripts.close();
      await prober.close();
    },
  };
}

function requireInstalled(name: string, { runtimes, notInstalled }: InstalledRuntimes): void {
  const names = runtimes.map((runtime) => runtime.name);
  if (names.includes(name)) return;
  if (notInstalled.includes(name))
    throw new CommandError(`runtime ${name} is not installed: run ${commandName} runtimes install ${name}`);
  const known = [...names, ...notInstalled];
  throw new CommandError(`unknown runtime ${name}${suggestion(name, known)}. Available: ${known.join(', ')}`);
}

function parseIds(texts: readonly string[]): string[] {
  const ids = texts.flatMap((text) => text.split(',')).map((id) => id.trim());
  if (ids.includes('')) throw new UsageError('--checks must be a comma-separated list of check ids');
  return ids;
}
