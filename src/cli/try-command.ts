// `runtimes try <name>`: assembles configuration, runtimes, scripts and probe threads.
import { dirname } from 'node:path';
import { CommandError, UsageError } from './exits.ts';
import { triedText, type TryDeps, tryRuntime } from './try-runtime.ts';
import { systemClock } from '#lib/clock.ts';
import { createPlaceBoard } from '#egress/place-board.ts';
import type { Log } from '#lib/log.ts';
import { suggestion } from '#lib/nearest.ts';
import { probeInputOf } from '#pipeline/run-checks.ts';
import type { InstalledRuntime, InstalledRuntimes } from '#sandbox/runtimes/read-runtimes.ts';
import { readInstalled } from '#app/scripts/installed-runtimes.ts';
import { isWithScripts } from '#app/scripts/script-rules.ts';
import { createScriptProber, trustedCasOf } from '#app/scripts/scripts.ts';
import { type Config, readConfig } from '#config/config.ts';
import { readScriptFile } from '#store/accounts/script-files.ts';
import { opened } from './move-sides.ts';
import { ownAddresses } from '#app/store/own-addresses.ts';
import { createProber } from '#checks/runner/probe-threads.ts';
import { findSecretKey } from '#config/secret-key.ts';
import { version } from '#config/version.ts';
import { commandName } from '#lib/package-files.ts';

/** Prints warnings, e.g. that scripts are not isolated here. */
const reported = (event: string, fields: Readonly<Record<string, unknown>> = {}): void =>
  void process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
const toScreen: Log = { debug() {}, info() {}, warn: reported, error: reported };

/** Signals that stop the command, with the exit codes shells expect. */
const endings = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Options of `runtimes try`. */
export interface TryWords {
  readonly checks?: string[];
  readonly json?: true;
}

/**
 * @returns the exit code: 1 if a check gets worse; 128 plus the signal number if a signal stopped the command. All
 *   started processes have ended by then. Throws UsageError, ConfigError and CommandError.
 */
export async function tryCommand(runtime: string, values: TryWords): Promise<number> {
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
