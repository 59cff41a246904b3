// Starts one process of Tocsin: reads the configuration, composes, runs its roles, stops on a signal.
import { errorMessage } from '#lib/errors.ts';
import { mkdirSync } from 'node:fs';
import { createLog } from '#lib/log.ts';
import { WrongKeyError } from '#store/base/key-check.ts';
import type { Tocsin } from '#app/compose.ts';
import { nearestVariable } from '#config/variables.ts';
import { type Config, ConfigError, readConfig } from '#config/config.ts';
import { exitCodes } from '#cli/exits.ts';
import { firstMinutes } from '#app/first-minutes.ts';

/** The longest a stop may take before it is cut short, ms. */
const maxStopMs = 9500;
/** A second signal this soon is the terminal's echo of the first, not impatience (npm hands Ctrl-C on). */
const echoMs = 1000;

await serve();

async function serve(): Promise<void> {
  let tocsin: Tocsin;
  try {
    const config = readConfig();
    makeDataDir(config);
    const log = createLog(config.logLevel, process.stdout.isTTY);
    for (const name of config.unknownVariables) {
      const nearest = nearestVariable(name);
      const hint = nearest === null ? 'see docs/configuration.md' : `did you mean ${nearest}?`;
      log.warn('config.unknown', { name, hint });
    }
    // Loaded after the configuration was validated, so that its errors are reported without delay.
    const { compose } = await import('#app/compose.ts');
    tocsin = await compose(config, log);
    process.stdout.write(firstMinutes(tocsin));
    log.info('process.ready', {
      address: tocsin.address,
      roles: config.roles.join(','),
      egress: config.egress.proxy === null ? config.egress.mode : 'proxy',
    });
  } catch (error) {
    const isConfig = error instanceof ConfigError || error instanceof WrongKeyError;
    process.stderr.write(`tocsin: ${error instanceof Error ? formatLine(error) : String(error)}\n`);
    process.exit(isConfig ? exitCodes.config : exitCodes.failed);
  }
  stopOnSignals(tocsin);
}

function makeDataDir({ dataDir }: Config): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = errorMessage(cause);
    throw new ConfigError(
      `TOCSIN_DATA_DIR ${dataDir} cannot be created (${why}); use a folder that this user can write`,
    );
  }
}

/** One line for startup errors that the operator can fix, the stack for unexpected ones. */
function formatLine(error: Error): string {
  const foreseen = [
    'ConfigError',
    'DatabaseOpenError',
    'NewerDatabaseError',
    'UnfinishedCopyError',
    'WrongKeyError',
    'StartError',
    'StoreUnavailableError',
    'OldServerError',
  ];
  return foreseen.includes(error.name) ? error.message : (error.stack ?? error.message);
}

function stopOnSignals(tocsin: Tocsin): void {
  let stoppedAt: number | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    if (stoppedAt !== null) {
      if (performance.now() - stoppedAt > echoMs) process.exit(exitCodes.failed);
      return;
    }
    stoppedAt = performance.now();
    setTimeout(() => process.exit(exitCodes.failed), maxStopMs).unref();
    void tocsin.stop(signal).then(
      () => process.exit(exitCodes.ok),
      () => process.exit(exitCodes.failed),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
