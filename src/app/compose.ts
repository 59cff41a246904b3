// The one place where everything is joined: store, runtimes, probes, channels, path, actions, REST.
import { type Authentication, createAuthentication } from '#actions/accounts/authenticate.ts';
import { holdWords, releaseHint } from '#actions/alerts/held-deliveries.ts';
import { ensureFirstAccount, type FirstAccountWishes } from '#actions/accounts/first-account.ts';
import type { RandomSource } from '#domain/alerts/random-values.ts';
import { type Clock, systemClock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import { isPassing } from '#lib/passing.ts';
import { systemRandom } from '#lib/random.ts';
import { createRestServer, type RestOptions } from '#rest/server.ts';
import { createResultLinks } from '#actions/results/result-links.ts';
import type { PlaceBoard } from '#egress/place-board.ts';
import { hasChromium } from '#sandbox/find-chromium.ts';
import type { Store } from '#store/store.ts';
import { joinHints } from './hints.ts';
import { brokenChannelsOf } from './templates.ts';
import { createListeners, type Listeners } from './listen.ts';
import { type PathMeans, type RunningPath, startPath } from './path.ts';
import { createOwnProcess, type OwnProcess } from './process.ts';
import { composeRoutes, metricsRoutes } from './rest.ts';
import { type LoadedRuntimes, loadRuntimes } from './installed-runtimes.ts';
import { createScriptProber, scriptsRefusedBy, trustedCasOf } from './scripts.ts';
import { type Clocks, openConfiguredStore, whenDatabaseIsThere } from './store.ts';
import { type Config, publicUrlOf } from '#config/config.ts';
import { createMetrics, type Metrics } from '#metrics/metrics.ts';
import type { OpenedStore } from './opened-store.ts';
import { createKnownPlaces, listenersOf } from './own-places.ts';
import { createProber } from '#checks/runner/probe-threads.ts';
import { createSender } from '#channels/sender/sender.ts';
import { readSecretKey } from '#config/secret-key.ts';
import { version } from '#config/version.ts';

/** A running process. */
export interface Tocsin {
  /** Where it listens: `http://host:port`. */
  readonly address: string;
  /** Whether the API and the pages are there, and not health and metrics alone. */
  readonly servesApi: boolean;
  /** The first API key, when this start made the first account; to be shown once. */
  readonly firstKey: string | null;
  /** Takes no more work, finishes or gives back what it holds, closes everything. */
  stop(why: string): Promise<void>;
}

/** The open store, and what else comes from outside. */
type Opened = OpenedStore & { readonly random: RandomSource };

const machineClocks: Clocks = { clock: systemClock, steadyNow: () => performance.now() };

/**
 * Builds and starts one process. Throws StartError, DatabaseOpenError, NewerDatabaseError, StoreUnavailableError or
 * ConfigError.
 */
export async function compose(
  config: Config,
  log: Log,
  clocks: Clocks = machineClocks,
  random: RandomSource = systemRandom,
): Promise<Tocsin> {
  const secretKey = readSecretKey(config);
  const opened = await openConfiguredStore(config, secretKey, clocks, log);
  try {
    return await composeOn({ ...opened, random }, secretKey, config, log);
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function composeOn(opened: Opened, secretKey: Uint8Array, config: Config, log: Log): Promise<Tocsin> {
  const { store, clock, random, measureTime } = opened;
  await noteAbsence(store, log);
  await noteHold(opened, config, log);
  const runtimes = await whenDatabaseIsThere(log, () => loadRuntimes(store, clock, log));
  let path: RunningPath | null = null;
  const listeners = createListeners(config);
  const places = createKnownPlaces(config, listeners);
  const ownProcess = createOwnProcess({
    config,
    store,
    clock,
    holds: () => path?.holds() ?? { runs: 0, deliveries: 0 },
    lacksBrowser: () => config.roles.includes('runner') && !hasChromium(config.chromium),
    isListening: () => listeners.isListening,
    publicUrl: () => publicUrlOf(config, listeners.port),
    listeners: () => listenersOf(config.host, listeners.ports),
    onOthers: places.learn,
  });
  // What the others do is known before the first step is made; a full disk says so by the readiness.
  await ownProcess.sign().catch(() => undefined);
  const means = createRoleMeans(config, places.board, runtimes, clock, log);
  const authentication = createAuthentication({ apiKeys: store.apiKeys, clock });
  const metrics = joinMetrics(opened, config, { prober: means.prober, ownProcess, runtimes });
  const publicUrl = (): string => config.publicUrl ?? ownProcess.publicUrl();
  const links = createResultLinks({ publicUrl, secret: secretKey });
  const hints = joinHints(store, ownProcess, (name) => path?.wake(name), authentication.forgetAll);
  const stopping = new AbortController();
  const plain = { config, store, clock, random, measureTime, log, publicUrl, userAgent: `Tocsin/${version}` };
  const shared = { ...plain, authentication, runtimes, metrics, links, ownProcess, pingFailures: { count: 0 } };
  const api = await composeRoutes({
    ...shared,
    ...hints,
    scriptsRefused: scriptsRefusedBy(means.scripts, ownProcess, config),
    stopping: stopping.signal,
    processNotices: () => runtimes.notices(),
    brokenChannels: brokenChannelsOf(store, (accountId) => path?.brokenChannels(accountId) ?? []),
    notes: async () => holdNotes(store),
    readiness: async () => [...(path?.faults() ?? ['the service is starting']), ...(await storeFaults(ownProcess))],
  });
  const options = restOptions(config, log, clock, authentication);
  const servers = [
    { ...api, ...options },
    { ...metricsRoutes(metrics, config), ...options },
  ].map(createRestServer);
  const address = await listeners.start(servers, () => shared.pingFailures.count++);
  await ownProcess.sign().catch(() => places.learn([]));
  const running = (path = await whenDatabaseIsThere(log, () => startPath({ ...shared, ...means, ...hints })));
  hints.listen();
  // Last, so that the key is shown whenever it was made: a start that fails before makes none.
  const firstKey = await makeFirstKey(opened, config, log);
  return {
    address,
    servesApi: config.roles.includes('api'),
    firstKey,
    stop: createStop({ ...shared, ...means, stopping, running, listeners }),
  };
}

function createStop({
  log,
  store,
  metrics,
  ownProcess,
  stopping,
  running,
  listeners,
  sender,
  prober,
}: Pick<PathMeans, 'log' | 'ownProcess' | 'sender' | 'prober'> & {
  readonly store: Store;
  readonly metrics: Metrics;
  readonly stopping: AbortController;
  readonly running: RunningPath;
  readonly listeners: Listeners;
}): Tocsin['stop'] {
  return async (why) => {
    log.info('process.stopping', { why });
    stopping.abort();
    await running.stop();
    await Promise.all([listeners.close(), sender?.close(), prober?.close()]);
    metrics.stop();
    await ownProcess.leave();
    await store.close();
    log.info('process.stopped');
  };
}

function joinMetrics(
  { store, clock }: Opened,
  config: Config,
  { prober, ownProcess, runtimes }: Pick<PathMeans, 'prober' | 'ownProcess'> & { readonly runtimes: LoadedRuntimes },
): Metrics {
  return createMetrics(store.figures, {
    probeLoopDelayMs: () => prober?.loopDelayMs ?? 0,
    now: () => clock.now(),
    ownProcess: () => ownProcess.known().find(({ id }) => id === ownProcess.id) ?? null,
    runtimeEnds: runtimes.ends,
    // Of many processes over one database those that people ask are enough to read every check.
    showsChecks: config.roles.includes('api'),
  });
}

/** What only some roles need: threads that probe, scripts, a thread that sends. */
function createRoleMeans(
  config: Config,
  closed: PlaceBoard,
  runtimes: LoadedRuntimes,
  clock: Clock,
  log: Log,
): Pick<PathMeans, 'prober' | 'scripts' | 'sender'> {
  const { roles, probeThreads, scriptsAtOnce, scriptMs, scriptsWarm, chromium, caCertificates } = config;
  const trusting = { extraCertificates: caCertificates };
  const egress = { ...config.egress, closed };
  const logEnd =
    (event: string) =>
    (error: Error): void =>
      log.error(event, { error: error.message });
  const prober = roles.includes('runner')
    ? createProber({ threads: probeThreads, egress, version, ...trusting, onThreadEnd: logEnd('prober.thread-ended') })
    : null;
  return {
    scripts:
      prober === null
        ? null
        : createScriptProber({
            runtimes,
            clock,
            log,
            egress,
            atOnce: scriptsAtOnce,
            mayBeUncontained: config.scriptsUncontained,
            wallClockMs: scriptMs,
            warm: scriptsWarm,
            chromium,
            trustedCas: trustedCasOf(config),
            prober,
          }),
    prober,
    sender: roles.includes('deliverer')
      ? createSender({ egress, ...trusting, onThreadEnd: logEnd('sender.thread-ended') })
      : null,
  };
}

/** The key of the first account, when this start made it; null otherwise. */
async function makeFirstKey({ store, clock }: OpenedStore, config: Config, log: Log): Promise<string | null> {
  if (!config.roles.includes('api')) return null;
  const means = { apiKeys: store.apiKeys, clock };
  const made = await whenDatabaseIsThere(log, () => ensureFirstAccount(means, firstAccountWishes(config)));
  return made?.key ?? null;
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
  authentication: Authentication,
): Omit<RestOptions, 'routes' | 'operations'> {
  return {
    authenticate: authentication.authenticate,
    log: { error: (fields, message) => log.error(message, fields as Readonly<Record<string, unknown>>) },
    rateLimit: config.rateLimit,
    accountRateLimit: config.accountRateLimit,
    now: () => clock.now(),
    isUnavailable: isPassing,
  };
}

/** How long nothing ran before this start, for the notices; a disk that is full says so by the readiness. */
async function noteAbsence(store: Store, log: Log): Promise<void> {
  if (store.wasCrashed) log.warn('store.recovered', { hint: 'the previous process did not shut down cleanly' });
  const absence = await store.gaps.noteStart().catch(() => null);
  if (absence === null) return;
  log.warn(absence.isRollback ? 'data.rolled-back' : 'process.was-away', {
    from: new Date(absence.from).toISOString(),
    to: new Date(absence.to).toISOString(),
  });
}

/** Holds deliveries where that is set, and says so where they are held. */
async function noteHold({ store, clock }: OpenedStore, { holdsDeliveries }: Config, log: Log): Promise<void> {
  if (holdsDeliveries) {
    const hold = { since: clock.now(), reason: 'setting', backupAt: null } as const;
    await whenDatabaseIsThere(log, () => store.heldDeliveries.hold(hold));
  }
  const [held] = await holdNotes(store).catch(() => []);
  if (held !== undefined) log.warn('deliveries.held', { why: held, hint: releaseHint });
}

async function holdNotes({ heldDeliveries }: Store): Promise<string[]> {
  const hold = await heldDeliveries.find();
  return hold === null ? [] : [holdWords(hold)];
}

/** Whether the store takes a durable write, asked by writing one. */
async function storeFaults(ownProcess: OwnProcess): Promise<string[]> {
  try {
    await ownProcess.sign();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
