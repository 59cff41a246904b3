// The one place where everything is joined: store, runtimes, probes, channels, path, actions, REST.
import { type Authentication, createAuthentication } from '#actions/authenticate.ts';
import { ensureFirstAccount, type FirstAccountWishes } from '#actions/first-account.ts';
import { type Clock, systemClock } from '#lib/clock.ts';
import { createFollowedClock } from '#lib/followed-clock.ts';
import { createHints } from '#lib/hints.ts';
import type { Log } from '#lib/log.ts';
import { isPassing } from '#lib/passing.ts';
import { createRestServer, type RestOptions } from '#rest/server.ts';
import { createResultLinks } from '#actions/result-links.ts';
import { openStore, type Store } from '#store/store.ts';
import { type RunningPath, startPath } from './compose-path.ts';
import { composeRoutes } from './compose-rest.ts';
import { loadRuntimes } from './compose-runtimes.ts';
import { type Config, ConfigError, publicUrlOf } from './config.ts';
import { createMetrics } from './metrics.ts';
import { createProber } from './probe-threads.ts';
import { createSender } from './sender.ts';
import { StartError } from './start-error.ts';
import { readSecretKey } from './secret-key.ts';
import { version } from './version.ts';

/** A running process. */
export interface Tocsin {
  /** Where it listens: `http://host:port`. */
  readonly address: string;
  /** The first API key, when this start made the first account; to be shown once. */
  readonly firstKey: string | null;
  /** Takes no more work, finishes or gives back what it holds, closes everything. */
  stop(why: string): Promise<void>;
}

/** Time as a test may turn it; a process takes the machine's own. */
export interface Clocks {
  readonly clock: Clock;
  /** A clock that is never set, ms. */
  readonly steadyNow: () => number;
}

const machineClocks: Clocks = { clock: systemClock, steadyNow: () => performance.now() };

/** Builds and starts one process. Throws StartError, DatabaseOpenError, NewerDatabaseError or ConfigError. */
export async function compose(config: Config, log: Log, clocks: Clocks = machineClocks): Promise<Tocsin> {
  const clock = createFollowedClock(clocks.clock, clocks.steadyNow);
  const secretKey = readSecretKey(config);
  const store = openStore({ path: config.database.path, secretKey, clock, ownLocation: config.location.code });
  if (store.wasCrashed) log.warn('store.recovered', { hint: 'the process before this one was not closed' });
  await noteAbsence(store, log);
  const runtimes = await loadRuntimes(store, clock, log);
  const userAgent = `Tocsin/${version}`;
  const prober = createProber({ threads: config.probeThreads, egress: config.egress, version });
  const sender = createSender({
    egress: config.egress,
    onThreadEnd: (error) => log.error('sender.thread-ended', { error: error.message }),
  });
  const authentication = createAuthentication({ apiKeys: store.apiKeys, clock });
  const metrics = createMetrics(store.figures, { probeLoopDelayMs: () => prober.loopDelayMs, now: () => clock.now() });
  let address = publicUrlOf(config, config.port);
  const publicUrl = (): string => publicUrlOf(config, portOf(address));
  const links = createResultLinks({ publicUrl, secret: secretKey });
  const [resultHints, attemptHints] = [createHints(), createHints()];
  const stopping = new AbortController();
  let path: RunningPath | null = null;
  const shared = { config, store, clock, runtimes, authentication, metrics, links, userAgent, publicUrl };
  const routes = composeRoutes({
    ...shared,
    stopping: stopping.signal,
    wake: (name) => path?.wake(name),
    resultHints,
    attemptHints,
    processNotices: () => runtimes.notices(),
    readiness: async () => [...(path?.faults() ?? ['the service is starting']), ...(await storeFaults(store))],
  });
  const server = createRestServer({ routes, ...restOptions(config, log, clock, authentication) });
  address = await listen(server, config, store);
  path = await startPath({
    ...shared,
    prober,
    sender,
    log,
    onRecorded: resultHints.hint,
    onLogged: attemptHints.hint,
  });
  // Last, so that the key is shown whenever it was made: a start that fails before makes none.
  const firstAccount = await ensureFirstAccount({ apiKeys: store.apiKeys, clock }, firstAccountWishes(config));
  const running = path;
  return {
    address,
    firstKey: firstAccount?.key ?? null,
    async stop(why) {
      log.info('process.stopping', { why });
      stopping.abort();
      await running.stop();
      await Promise.all([server.close(), sender.close(), prober.close()]);
      metrics.stop();
      await store.close();
      log.info('process.stopped');
    },
  };
}

function firstAccountWishes({ bootstrapApiKey, bootstrapAccountId }: Config): FirstAccountWishes {
  return {
    ...(bootstrapApiKey !== null && { key: bootstrapApiKey }),
    ...(bootstrapAccountId !== null && { accountId: bootstrapAccountId }),
  };
}

function restOptions(
  config: Config,
  log: Log,
  clock: Clock,
  { authenticate }: Authentication,
): Omit<RestOptions, 'routes'> {
  return {
    authenticate,
    log: { error: (fields, message) => log.error(message, fields as Readonly<Record<string, unknown>>) },
    rateLimit: config.rateLimit,
    now: () => clock.now(),
    isUnavailable: isPassing,
  };
}

/** How long nothing ran before this start, for the notices; a disk that is full says so by the readiness. */
async function noteAbsence(store: Store, log: Log): Promise<void> {
  const absence = await store.gaps.noteStart().catch(() => null);
  if (absence === null) return;
  log.warn('process.was-away', { from: new Date(absence.from).toISOString(), to: new Date(absence.to).toISOString() });
}

/** Whether the store takes a durable write, asked by writing one. */
async function storeFaults(store: Store): Promise<string[]> {
  try {
    await store.gaps.signOfLife();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

async function listen(
  server: ReturnType<typeof createRestServer>,
  { host, port }: Config,
  store: Store,
): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (cause) {
    await store.close();
    const code = cause instanceof Error && 'code' in cause ? cause.code : '';
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `port ${port} on ${host} is in use: stop what listens there, or set PORT to a free one (0 = any)`,
      );
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new ConfigError(
        `HOST ${host} is not an address of this machine: right would be 127.0.0.1, or 0.0.0.0 for all`,
      );
    }
    if (code === 'EACCES')
      throw new StartError(`port ${port} may not be used by this user: set PORT to one above 1023`);
    throw cause;
  }
}

function portOf(address: string): number {
  return Number(new URL(address).port || 80);
}
