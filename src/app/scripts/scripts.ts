// Runs the scripts of this process: script checks, and setup and teardown scripts, with bounded concurrency.
import { errorMessage } from '#lib/errors.ts';
import { getCACertificates } from 'node:tls';
import { checkKinds } from '#checks/check-kinds.ts';
import type { HookProbeDeps } from '#checks/kind.ts';
import type { Check } from '#domain/checks/check.ts';
import type { OnProgress, Probe, ProbeInput } from '#domain/checks/probe.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import type { ScriptOutcome, ScriptWork } from '#domain/checks/script.ts';
import type { Clock } from '#lib/clock.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import type { Log } from '#lib/log.ts';
import { type ChosenContainment, chooseContainment } from '#sandbox/containment/choose-containment.ts';
import { hasGateway } from '#sandbox/containment/containment.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { removeOldRunFolders } from '#sandbox/run-folder.ts';
import { type OpenGateway, runScript, type ScriptDeps } from '#sandbox/run-script.ts';
import { createTrustedCas, type TrustedCas } from '#sandbox/trusted-cas.ts';
import { createWarmScripts, type WarmScripts } from '#sandbox/warm-scripts.ts';
import type { LoadedRuntimes } from './installed-runtimes.ts';
import { isWithScripts, scriptRules } from './script-rules.ts';
import type { OwnProcess } from '../process.ts';
import type { Config } from '#config/config.ts';
import { crashed } from '#checks/runner/probe-lanes.ts';
import type { Prober } from '#checks/runner/probe-threads.ts';
import { createScriptGateway } from '#sandbox/script-gateway.ts';
import { createScriptLanes, type ScriptLanes } from '#sandbox/script-lanes.ts';

/** Probes with scripts. */
export type ScriptProber = ReturnType<typeof createScriptProber>;

export interface ScriptProberOptions {
  readonly runtimes: Pick<LoadedRuntimes, 'list'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where scripts may connect, as far as their containment can enforce it. */
  readonly egress: EgressPolicy;
  /** Whether scripts may run uncontained. */
  readonly mayBeUncontained: boolean;
  /** Maximum number of concurrent scripts per check type. */
  readonly atOnce: number;
  /** Timeout of script checks by type, ms. */
  readonly wallClockMs: Config['scriptMs'];
  /** Number of processes started in advance; 0 = none. */
  readonly warm: number;
  /** Path of Chromium; null = find it. */
  readonly chromium: string | null;
  /** Content of a stored file of an account by its key; null = there is none. */
  readonly readScriptFile: HookProbeDeps['readScriptFile'];
  /** CAs that scripts trust in addition to the usual ones; null = none. */
  readonly trustedCas?: TrustedCas | null;
  /**
   * Runs the parts of a check that are not scripts: requests with scripts around them, and certificate checks of
   * scripts.
   */
  readonly prober: Pick<Prober, 'exchange' | 'probe'>;
}

const uncontained =
  'this machine cannot contain scripts with bubblewrap or namespaces. Install bubblewrap, allow user namespaces, or set TOCSIN_SCRIPTS_UNCONTAINED=yes to run them uncontained (docs/security.md, "Scripts")';

/** The CAs of `NODE_EXTRA_CA_CERTS` and `TOCSIN_CA_FILE` for scripts; null = none. */
export function trustedCasOf({ caCertificates }: Pick<Config, 'caCertificates'>): TrustedCas | null {
  return createTrustedCas([...getCACertificates('extra'), ...caCertificates]);
}

/** Whether this process is root: scripts then run as an unprivileged user. */
export const isRoot = process.getuid?.() === 0;

export function createScriptProber(options: ScriptProberOptions) {
  const { runtimes, clock, log, egress, atOnce, chromium, trustedCas = null, prober } = options;
  const warm = createWarmScripts(options.warm);
  const onThreadEnd = (error: Error): void => log.error('scripts.gateway-ended', { error: error.message });
  const gateway = createScriptGateway({ egress, onThreadEnd });
  const lanes = createScriptLanes(scriptRules.scriptTypes, atOnce);
  const closing = new AbortController();
  const containment = containmentOnce(gateway.open, log);
  const deps: HookProbeDeps = {
    exchange: prober.exchange,
    readScriptFile: options.readScriptFile,
    runSideProbe: (input, signal) => prober.probe(input, signal),
    runtimes: runtimes.list,
    wallClockMs: options.wallClockMs,
    chromium: findWithWarning(chromium, log),
    now: () => clock.now(),
    runScript: async (work, signal) => {
      const names = { openGateway: gateway.open, isResolverDown: gateway.isResolverDown };
      const script = { containment: await containment(), isRoot, ...names, trustedCas };
      return runWarm(work, signal, script, warm);
    },
  };
  const probes = scriptProbes(deps);
  const refusal = async (): Promise<string | null> =>
    options.mayBeUncontained || hasGateway(await containment()) ? null : uncontained;
  return {
    /** Whether the check is a script or has setup or teardown scripts. */
    isScripted: isWithScripts,
    // Containment is tested again when a script runs.
    /** Why no script runs in this process, in a sentence; null = they do. Never rejects. */
    refusal: (): Promise<string | null> => refusal().catch(() => null),
    /** Whether no name server of this machine has answered the scripts lately. */
    get hasResolverFault() {
      return gateway.hasResolverFault();
    },
    /** Waits for a slot of the check's type; resolves with a function that frees it. */
    enter: ({ check }: Pick<ProbeInput, 'check'>): Promise<() => void> => waitForLane(check, lanes),
    /** Never rejects. The signal stops the script. */
    async probe(input: ProbeInput, signal?: AbortSignal, onProgress?: OnProgress): Promise<Finding> {
      try {
        const probe = probes.get(input.check.checkType);
        if (probe === undefined) return crashed(`${input.check.checkType} checks are not scripts`);
        const refused = await refusal();
        if (refused !== null)
          return bareFinding(clock.now(), { verdict: 'unknown', reason: 'runtime', message: `not run: ${refused}` });
        const ending = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
        return await probe(input, ending, onProgress);
      } catch (error) {
        return crashed(`the script failed because of an error in Tocsin: ${errorMessage(error)}`);
      }
    },
    /** Starts no more scripts; waiting runs are released with their leases. */
    deferRuns: (): void => lanes.close(),
    /** Stops all running scripts and closes their connections. */
    async close(): Promise<void> {
      closing.abort();
      await warm.close();
      await gateway.close();
    },
  };
}

/**
 * Returns why this installation runs no scripts; null = it does. A process that runs checks decides itself and
 * publishes it; any other relies on what those publish.
 */
export function scriptsRefusedBy(
  scripts: Pick<ScriptProber, 'refusal'> | null,
  ownProcess: Pick<OwnProcess, 'known' | 'refuseScripts'>,
  { roles }: Pick<Config, 'roles'>,
): () => Promise<string | null> {
  const ask = async (): Promise<string | null> => {
    if (scripts === null) {
      const runners = ownProcess.known().filter((one) => one.roles.includes('runner'));
      const reasons = runners.map(({ scriptsRefused }) => scriptsRefused);
      return reasons.includes(null) ? null : (reasons[0] ?? null);
    }
    const why = await scripts.refusal();
    ownProcess.refuseScripts(why);
    return why;
  };
  if (scripts !== null && !roles.includes('api')) void ask();
  return ask;
}

/** Determines how far scripts can be contained, when the first one runs: other installations need not know. */
function containmentOnce(openGateway: OpenGateway, log: Log): () => Promise<ChosenContainment['containment']> {
  let chosen: Promise<ChosenContainment> | null = null;
  return async () => {
    if (chosen === null) void removeOldRunFolders();
    chosen ??= chooseContainment(process.execPath, isRoot, openGateway).then((found) => {
      const { containment, refused } = found;
      const holds = hasGateway(containment);
      const network = holds ? 'by the egress policy' : 'the machine’s: the egress policy does not hold';
      log[holds ? 'info' : 'warn']('scripts.contained', { containment, network, refused });
      return found;
    });
    try {
      return (await chosen).containment;
    } catch (error) {
      // For example on a full disk: the next script tries again.
      chosen = null;
      throw error;
    }
  };
}

/** Uses a process started in advance if there is one; then starts one for the next script of its kind. */
async function runWarm(
  work: ScriptWork,
  signal: AbortSignal,
  deps: ScriptDeps,
  warm: WarmScripts,
): Promise<ScriptOutcome> {
  const outcome = await runScript(work, signal, deps, warm.take(work, deps));
  // A process that could not be started now is not retried for the next script.
  if (outcome.ending !== 'crashed' && outcome.ending !== 'stopped') void warm.prepare(work, deps);
  return outcome;
}

/** Never resolves after stop: the run is released when the process stops. */
async function waitForLane({ checkType, accountId }: Check, lanes: ScriptLanes): Promise<() => void> {
  return (await lanes.enter(checkType, accountId)) ?? new Promise(() => undefined);
}

/** Logged when a check needs it, and again only after Chromium was available in between. */
function findWithWarning(named: string | null, log: Log): HookProbeDeps['chromium'] {
  let isNotified = false;
  return () => {
    const found = findChromium(named);
    if (found === null && !isNotified) log.warn('scripts.no-browser', { hint: rightBrowser });
    isNotified = found === null;
    return found;
  };
}

const rightBrowser =
  'browser checks end as unknown on this machine: run npm ci, or set TOCSIN_CHROMIUM to the path of Chromium, and restart';

function scriptProbes(deps: HookProbeDeps): ReadonlyMap<string, Probe> {
  return new Map(
    checkKinds.flatMap((kind): [string, Probe][] => {
      const { type } = kind.schema;
      if (kind.isScripted === true) return [[type, kind.createProbe(deps)]];
      return kind.hooks === undefined ? [] : [[type, kind.hooks.createProbe(deps)]];
    }),
  );
}
