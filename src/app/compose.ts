// Composition root: builds a process from store, runtimes, probes, channels, steps, actions and REST.
import { type Authentication, createAuthentication } from '#actions/accounts/authenticate.ts';
import { holdWords, releaseHint } from '#actions/alerts/held-deliveries.ts';
import { ensureFirstAccount, type FirstAccountOptions, ensureFirstUser, setupUrl } from '#actions/accounts/setup.ts';
import { createKnownDevices } from '#actions/accounts/known-devices.ts';
import { createProviderFlows } from '#actions/accounts/identity-provider.ts';
import { createPasswords, type Passwords } from '#actions/accounts/passwords.ts';
import { Refusal } from '#actions/refusal.ts';
import { createRefusedConnections } from '#actions/operating/refused-connections.ts';
import type { RandomSource } from '#domain/deliveries/delivery-variables.ts';
import { systemClock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import { machineTime } from './store/machine-time.ts';
import { errorMessage, isTemporary } from '#lib/errors.ts';
import { systemRandom } from '#lib/random.ts';
import { createRestServer, type RestOptions } from '#rest/server.ts';
import { createBadgeLinks } from '#actions/badges/badge-links.ts';
import { createAcknowledgeLinks } from '#actions/alerts/acknowledge-links.ts';
import { createSessionLinks, createResultLinks } from '#actions/signed-links.ts';
import { createSubscriptionLinks } from '#actions/status-pages/subscription-links.ts';
import { createPageAccess } from '#actions/status-pages/page-access.ts';
import type { PlaceBoard } from '#egress/closed-places.ts';
import { hasChromium } from '#sandbox/find-chromium.ts';
import type { Store } from '#store/store.ts';
import { composeHints } from './hints.ts';
import type { Notice } from '#actions/operating/notices.ts';
import { sharedNotices } from '#actions/operating/processes.ts';
import { clockSetWhileStopped } from '#domain/results/missed-reason.ts';
import { createWatchdogCaller, refuseOwnWatchdog } from './path/watchdog.ts';
import { noticesOfProcesses } from './path/notices.ts';
import { findBrokenChannels } from './path/templates.ts';
import { createListeners, type Listeners } from './http/listen.ts';
import type { PathDeps } from './path/step-deps.ts';
import { composeLinkMails } from './path/status-pages.ts';
import { type RunningPath, startPath } from './path/path.ts';
import { createPageRenderer } from './pages/page-renderer.ts';
import { createOwnProcess, type OwnProcess } from './process.ts';
import { composeInvitations, type Invitations } from './http/people-actions.ts';
import { composeRoutes, metricsRoutes } from './http/rest.ts';
import { type LoadedRuntimes, loadRuntimes } from './scripts/installed-runtimes.ts';
import { createScriptProber, scriptsRefusedBy, trustedCasOf } from './scripts/scripts.ts';
import { type Clocks, openConfiguredStore, whenDatabaseIsThere } from './store/store.ts';
import { type Config, ConfigError, publicUrlOf } from '#config/config.ts';
import { connectionsFor, descriptorLimit, metricsConnections } from '#metrics/descriptors.ts';
import { createMetrics, type Metrics } from '#metrics/metrics.ts';
import type { OpenedStore } from './store/opened-store.ts';
import { createKnownPlaces, listenersOf } from './store/own-addresses.ts';
import { createProber } from '#checks/runner/probe-threads.ts';
import { createSender } from '#channels/sender/sender.ts';
import { readSecretKey } from '#config/secret-key.ts';
import { version } from '#config/version.ts';

/** A running process. */
export interface Tocsin {
  /** Base URL of the listener: `http://host:port`. */
  readonly address: string;
  /** Whether the API and the pages are served, not only health and metrics. */
  readonly servesApi: boolean;
  /** The first API key, if this start created the first account. Shown once; `text` is null if the operator chose it. */
  readonly firstKey: { readonly text: string | null } | null;
  /** URL of the page that creates the first user, if there is none; works once. */
  readonly setupUrl: string | null;
  /** Stops taking work, finishes or releases leased work, and closes everything. */
  stop(why: string): Promise<void>;
}

/** The open store and other external inputs. */
type Opened = OpenedStore & { readonly random: RandomSource } & Pick<RestOptions, 'checkResponses'>;

const machineClocks: Clocks = { clock: systemClock, steadyNow: () => performance.now() };

/**
 * Builds and starts one process. Throws StartError, DatabaseOpenError, NewerDatabaseError, StoreUnavailableError or
 * ConfigError.
 *
 * @param checkResponses validates every response against the contract, for tests
 */
export async function compose(
  config: Config,
  log: Log,
  clocks: Clocks = machineClocks,
  random: RandomSource = systemRandom,
  checkResponses = false,
): Promise<Tocsin> {
  await refuseOwnWatchdog(config);
  const secretKey = readSecretKey(config);
  const opened = await openConfiguredStore(config, secretKey, clocks, log);
  try {
    return await composeOn({ ...opened, random, checkResponses }, secretKey, config, log);
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function composeOn(opened: Opened, secretKey: Uint8Array, config: Config, log: Log): Promise<Tocsin> {
  const { store, clock } = opened;
  await noteStart(opened, config, log);
  const runtimes = await whenDatabaseIsThere(log, () => loadRuntimes(store, clock, log));
  let path: RunningPath | null = null;
  const listeners = createListeners(config);
  const places = createKnownPlaces(config, listeners);
  const deps = createRoleDeps(config, places.board, runtimes, opened, log);
  const pingFailures = { count: 0 };
  const refused = createRefusedConnections(pingFailures, () => clock.now());
  const ownNotices = (): readonly Notice[] => [...opened.damage.notices(), ...runtimes.notices(), ...refused.notices()];
  const ownProcess = createOwnProcess({
    config,
    store,
    clock,
    holds: () => path?.holds() ?? { runs: 0, deliveries: 0 },
    stalled: () => path?.stalled() ?? [],
    notices: ownNotices,
    lacksBrowser: () => config.roles.includes('runner') && !hasChromium(config.chromium),
    isResolverDown: () => deps.prober?.isResolverDown === true || deps.scripts?.hasResolverFault === true,
    isListening: () => listeners.isListening,
    publicUrl: () => publicUrlOf(config, listeners.port),
    listeners: () => listenersOf(config.host, listeners.ports),
    onOthers: places.learn,
  });
  // Reads the state of other processes before the first step is built. A full disk is reported by readiness.
  await ownProcess.sign().catch(() => undefined);
  const authentication = createAuthentication({ ...store, clock });
  const metrics = composeMetrics(opened, config, { prober: deps.prober, ownProcess, runtimes });
  const publicUrl = (): string => config.publicUrl ?? ownProcess.publicUrl();
  const hints = composeHints(store, ownProcess, (name) => path?.wake(name), authentication.forget);
  const stopping = new AbortController();
  const plain = { ...opened, config, log, publicUrl, userAgent: `Tocsin/${version}` };
  const joined = { ...plain, authentication, passwords: createPasswords(), runtimes, metrics, ownProcess };
  const invitations = composeInvitations(config, places.board, plain.userAgent, log);
  const processNotices = noticesOfProcesses(opened, config, () => sharedNotices(ownNotices(), ownProcess));
  const pageRenderer = createPageRenderer((error) => log.error('pages.thread-ended', { error: error.message }));
  const ofProcess = { stopping: stopping.signal, processNotices, pingFailures, pageRenderer };
  const shared = { ...joined, ...createSigned(publicUrl, secretKey), ...ofProcess };
  const { steps, ...api } = await composeRoutes({
    ...shared,
    ...hints,
    mails: invitations,
    scriptsRefused: scriptsRefusedBy(deps.scripts, ownProcess, config),
    brokenChannels: findBrokenChannels(store, config, (accountId) => path?.brokenChannels(accountId) ?? []),
    notes: async () => holdNotes(store),
    readiness: () => faultsOf(path, ownProcess, opened),
  });
  const options = restOptions(config, log, opened, authentication, publicUrl);
  const servers = createServers(api, metricsRoutes(metrics, config), options, refused.note);
  const address = await listeners.start(servers, refused.note);
  await ownProcess.sign().catch(() => places.learn([]));
  const running = (path = await whenDatabaseIsThere(log, () => startPath({ ...shared, ...deps, ...hints, ...steps })));
  hints.listen();
  return {
    address,
    servesApi: config.roles.includes('api'),
    // Last, so that a start that fails earlier creates no key, and a created key is always shown.
    ...(await makeFirstAccess(shared)),
    stop: createStop({ ...shared, ...deps, invitations, stopping, running, listeners }),
  };
}

/** The servers of the API and of metrics, with the connections that the limit on open files allows. */
function createServers(
  api: Pick<RestOptions, 'routes' | 'operations' | 'webFiles' | 'audit' | 'mqtt'>,
  ofMetrics: Pick<RestOptions, 'routes' | 'operations'>,
  options: Omit<RestOptions, 'routes' | 'operations'>,
  onRefused: () => void,
): ReturnType<typeof createRestServer>[] {
  return [
    { ...api, ...options, connections: { max: connectionsFor(descriptorLimit()), onRefused } },
    { ...ofMetrics, ...options, connections: { max: metricsConnections } },
  ].map(createRestServer);
}

/** What is signed with the key of the installation. */
function createSigned(publicUrl: () => string, secret: Uint8Array) {
  return {
    links: createResultLinks({ publicUrl, secret }),
    sessionLinks: createSessionLinks({ publicUrl, secret }),
    acknowledgeLinks: createAcknowledgeLinks({ publicUrl, secret }),
    badgeLinks: createBadgeLinks({ publicUrl, secret }),
    pageAccess: createPageAccess(secret),
    subscriptionLinks: createSubscriptionLinks({ publicUrl, secret }),
    knownDevices: createKnownDevices(secret),
    providerFlows: createProviderFlows(secret),
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
  ...connected
}: Pick<PathDeps, 'log' | 'ownProcess' | 'sender' | 'prober' | 'watchdog' | 'linkMails' | 'pageRenderer'> & {
  readonly store: Store;
  readonly metrics: Metrics;
  readonly stopping: AbortController;
  readonly running: RunningPath;
  readonly listeners: Listeners;
  readonly invitations: Pick<Invitations, 'close'> | null;
}): Tocsin['stop'] {
  return async (why) => {
    log.info('process.stopping', { why });
    stopping.abort();
    await running.stop();
    const { sender, prober, watchdog, linkMails, invitations, pageRenderer } = connected;
    await Promise.all([listeners, sender, prober, watchdog, linkMails, invitations].map(async (each) => each?.close()));
    await pageRenderer.close();
    metrics.stop();
    await ownProcess.leave();
    await store.close();
    log.info('process.stopped');
  };
}

function composeMetrics(
  { store, clock }: Opened,
  config: Config,
  { prober, ownProcess, runtimes }: Pick<PathDeps, 'prober' | 'ownProcess'> & { readonly runtimes: LoadedRuntimes },
): Metrics {
  return createMetrics(store.figures, {
    probeLoopDelayMs: () => prober?.loopDelayMs ?? 0,
    now: () => clock.now(),
    ownProcess: () => ownProcess.known().find(({ id }) => id === ownProcess.id) ?? null,
    runtimeEnds: runtimes.ends,
    // With many processes on one database, those that serve the API are enough to check all templates.
    showsChecks: config.roles.includes('api'),
  });
}

/** Parts that only some roles need: probe threads, scripts, the sending thread. */
function createRoleDeps(
  config: Config,
  closed: PlaceBoard,
  runtimes: LoadedRuntimes,
  { store, clock }: OpenedStore,
  log: Log,
): Pick<PathDeps, 'closedPlaces' | 'prober' | 'scripts' | 'sender' | 'watchdog' | 'linkMails'> {
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
    closedPlaces: closed,
    linkMails: composeLinkMails(config, closed),
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
            readScriptFile: store.scriptFiles.read,
            prober,
          }),
    prober,
    watchdog:
      config.watchdogUrl !== null && roles.includes('upkeep')
        ? createWatchdogCaller(config.watchdogUrl, egress, config, `Tocsin/${version}`)
        : null,
    sender: roles.includes('deliverer')
      ? createSender({ egress, gateways: config.gateways, ...trusting, onThreadEnd: logEnd('sender.thread-ended') })
      : null,
  };
}

/** The key of the first account if this start created it, and a setup link while there is no user. */
async function makeFirstAccess({
  config,
  store,
  passwords,
  clock,
  log,
  publicUrl,
}: Pick<PathDeps, 'config' | 'store' | 'clock' | 'log'> & {
  readonly passwords: Passwords;
  readonly publicUrl: () => string;
}): Promise<Pick<Tocsin, 'firstKey' | 'setupUrl'>> {
  if (!config.roles.includes('api')) return { firstKey: null, setupUrl: null };
  const deps = { ...store, passwords, clock };
  const made = await whenDatabaseIsThere(log, () => ensureFirstAccount(deps, firstAccountOptions(config)));
  const token = await whenDatabaseIsThere(log, () => ensureFirstUser(deps, config.bootstrapUser)).catch((error) => {
    throw error instanceof Refusal ? new ConfigError(error.message) : error;
  });
  const firstKey = made === null ? null : { text: config.bootstrapApiKey === null ? made.key : null };
  return { firstKey, setupUrl: token === null ? null : setupUrl(publicUrl(), token) };
}

function firstAccountOptions({ bootstrapApiKey, bootstrapAccountId }: Config): FirstAccountOptions {
  return {
    ...(bootstrapApiKey !== null && { key: bootstrapApiKey }),
    ...(bootstrapAccountId !== null && { accountId: bootstrapAccountId }),
  };
}

function restOptions(
  config: Config,
  log: Log,
  { clock, damage, checkResponses = false }: Pick<Opened, 'clock' | 'damage' | 'checkResponses'>,
  authentication: Authentication,
  publicUrl: () => string,
): Omit<RestOptions, 'routes' | 'operations'> {
  return {
    authenticate: authentication.authenticate,
    sessions: { authenticate: authentication.authenticateSession, publicUrl },
    log: { error: (fields, message) => log.error(message, fields as Readonly<Record<string, unknown>>) },
    rateLimit: config.rateLimit,
    accountRateLimit: config.accountRateLimit,
    trustedProxies: config.trustedProxies.map(({ address, prefix }) => `${address}/${prefix}`),
    hosts: { publicUrl, allowed: config.allowedHosts },
    now: () => clock.now(),
    checkResponses,
    isUnavailable: (error) => {
      damage.noteError(error);
      return isTemporary(error);
    },
  };
}

/** The downtime before this start, and a hold. */
async function noteStart(opened: OpenedStore, config: Config, log: Log): Promise<void> {
  await noteAbsence(opened, log);
  await noteHold(opened, config, log);
}

/** The downtime before this start, for the notices. A full disk is reported by readiness. */
async function noteAbsence({ store, clock }: OpenedStore, log: Log): Promise<void> {
  if (store.wasCrashed) log.warn('store.recovered', { hint: 'the previous process did not shut down cleanly' });
  const absence = await store.gaps.noteStart(machineTime()).catch(() => null);
  if (absence === null) return;
  const clockSet = clockSetWhileStopped(absence);
  if (clockSet !== null) clock.noteSet(clockSet);
  log.warn(absence.isRollback ? 'data.rolled-back' : 'process.was-away', {
    from: new Date(absence.from).toISOString(),
    to: new Date(absence.to).toISOString(),
  });
}

/** Holds deliveries if configured, and logs a warning while they are held. */
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

/** Why this process is not ready. Tests whether the store accepts a durable write by writing. */
async function faultsOf(
  path: Pick<RunningPath, 'faults'> | null,
  ownProcess: OwnProcess,
  { damage }: Pick<OpenedStore, 'damage'>,
): Promise<string[]> {
  const known = path?.faults() ?? ['the service is starting'];
  try {
    await ownProcess.sign();
    return [...known, ...damage.faults()];
  } catch (error) {
    damage.noteError(error);
    return [...known, errorMessage(error)];
  }
}
