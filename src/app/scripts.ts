// The scripts of this process: checks that are scripts or have some around them, joined with what runs them, a few at a time.
import { getCACertificates } from 'node:tls';
import { checkKinds } from '#checks/check-kinds.ts';
import type { AroundProbeMeans } from '#checks/kind.ts';
import type { Check } from '#domain/checks/check.ts';
import type { Probe, ProbeInput } from '#domain/checks/probe.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import type { ScriptOutcome, ScriptWork } from '#domain/checks/script.ts';
import type { Clock } from '#lib/clock.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import type { Log } from '#lib/log.ts';
import { type ChosenContainment, chooseContainment } from '#sandbox/containment/choose-containment.ts';
import { hasGateway } from '#sandbox/containment/containment.ts';
import { findChromium } from '#sandbox/find-chromium.ts';
import { removeOldRunFolders } from '#sandbox/run-folder.ts';
import { type OpenGateway, runScript, type ScriptMeans } from '#sandbox/run-script.ts';
import { createTrustedCas, type TrustedCas } from '#sandbox/trusted-cas.ts';
import { createWarmScripts, type WarmScripts } from '#sandbox/warm-scripts.ts';
import type { LoadedRuntimes } from './installed-runtimes.ts';
import { isWithScripts, scriptRules } from './script-rules.ts';
import type { OwnProcess } from './process.ts';
import type { Config } from '#config/config.ts';
import { crashed } from '#checks/runner/probe-lanes.ts';
import type { Prober } from '#checks/runner/probe-threads.ts';
import { createScriptGateway } from '#sandbox/script-gateway.ts';
import { createScriptLanes, type ScriptLanes } from '#sandbox/script-lanes.ts';

/** Probes with scripts. */
export interface ScriptProber {
  /** Whether the check is a script, or has some around what it measures. */
  isScripted(input: Pick<ProbeInput, 'check' | 'group'>): boolean;
  /** Why no script runs in this process, in a sentence; null = they do. Never rejects. */
  refusal(): Promise<string | null>;
  /** Waits for room in the lane of the check's type; answers with how to leave it. */
  enter(input: Pick<ProbeInput, 'check'>): Promise<() => void>;
  /** Never rejects. */
  probe(input: ProbeInput): Promise<Finding>;
  /** Lets none begin any more; those that wait are given back with their leases. */
  holdBack(): void;
  /** Ends every script that runs, and what it is connected to. */
  close(): Promise<void>;
}

export interface ScriptProberOptions {
  readonly runtimes: Pick<LoadedRuntimes, 'list'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where scripts may connect, as far as their containment lets us see to it. */
  readonly egress: EgressPolicy;
  /** Whether they may run where nothing contains them. */
  readonly mayBeUncontained: boolean;
  /** Scripts of one type of check that run at once. */
  readonly atOnce: number;
  /** How long a script that is a check may take, by its type, ms. */
  readonly wallClockMs: Config['scriptMs'];
  /** Processes of scripts that are begun before they are needed, and wait; 0 = none. */
  readonly warm: number;
  /** The program that is to be used; null = whichever is found. */
  readonly chromium: string | null;
  /** CAs that scripts trust besides the usual ones; null = none. */
  readonly trustedCas?: TrustedCas | null;
  /** Does what is no script: halves of probes with scripts around them, and looks beside a script. */
  readonly prober: Pick<Prober, 'exchange' | 'probe'>;
}

const uncontained =
  'this machine cannot contain scripts with bubblewrap or namespaces. Install bubblewrap, allow user namespaces, or set TOCSIN_SCRIPTS_UNCONTAINED=yes to run them uncontained (docs/security.md, "Scripts")';

/** The CAs of `NODE_EXTRA_CA_CERTS` and `TOCSIN_CA_FILE`, for scripts; null = there are none. */
export function trustedCasOf({ caCertificates }: Pick<Config, 'caCertificates'>): TrustedCas | null {
  return createTrustedCas([...getCACertificates('extra'), ...caCertificates]);
}

/** Whether this process may be anybody: scripts are then given to nobody. */
export const isRoot = process.getuid?.() === 0;

export function createScriptProber(options: ScriptProberOptions): ScriptProber {
  const { runtimes, clock, log, egress, atOnce, chromium, trustedCas = null, prober } = options;
  const warm = createWarmScripts(options.warm);
  const onThreadEnd = (error: Error): void => log.error('scripts.gateway-ended', { error: error.message });
  const gateway = createScriptGateway({ egress, onThreadEnd });
  const lanes = createScriptLanes(scriptRules.scriptTypes, atOnce);
  const closing = new AbortController();
  const containment = containmentOnce(gateway.open, log);
  const means: AroundProbeMeans = {
    exchange: prober.exchange,
    lookBeside: (input, signal) => prober.probe(input, signal),
    runtimes: runtimes.list,
    wallClockMs: options.wallClockMs,
    chromium: findWithWarning(chromium, log),
    now: () => clock.now(),
    runScript: async (work, signal) => {
      const script = { containment: await containment(), isRoot, openGateway: gateway.open, trustedCas };
      return runWarm(work, signal, script, warm);
    },
  };
  const probes = scriptProbes(means);
  const refusal = async (): Promise<string | null> =>
    options.mayBeUncontained || hasGateway(await containment()) ? null : uncontained;
  return {
    isScripted: isWithScripts,
    // How far they can be contained is tried again when one runs.
    refusal: () => refusal().catch(() => null),
    enter: ({ check }) => letIn(check, lanes),
    async probe(input) {
      try {
        const probe = probes.get(input.check.checkType);
        if (probe === undefined) return crashed(`${input.check.checkType} checks are not scripts`);
        const refused = await refusal();
        if (refused !== null)
          return bareFinding(clock.now(), { verdict: 'unknown', reason: 'runtime', message: `not run: ${refused}` });
        return await probe(input, closing.signal);
      } catch (error) {
        return crashed(
          `the script failed because of an error in Tocsin: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    },
    holdBack: () => lanes.close(),
    async close() {
      closing.abort();
      await warm.close();
      await gateway.close();
    },
  };
}

/**
 * Answers why this installation runs no scripts; null = it does. A process that runs checks judges by itself and tells the
 * others; one that runs none goes by what all of them tell.
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

/** Answers how far scripts are kept apart here: tried at the first of them, because who has none need not know. */
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
      // As on a full disk: the next script tries again.
      chosen = null;
      throw error;
    }
  };
}

/** In a process that waits for it, if one does; and the next one waits for the next script of its shape. */
async function runWarm(
  work: ScriptWork,
  signal: AbortSignal,
  means: ScriptMeans,
  warm: WarmScripts,
): Promise<ScriptOutcome> {
  const outcome = await runScript(work, signal, means, warm.take(work, means));
  // What could not be begun now is not to be tried beside the next.
  if (outcome.ending !== 'crashed' && outcome.ending !== 'stopped') void warm.prepare(work, means);
  return outcome;
}

/** Never resolves for who is not let in any more: its run is given back when the process stops. */
async function letIn({ checkType, accountId }: Check, lanes: ScriptLanes): Promise<() => void> {
  return (await lanes.enter(checkType, accountId)) ?? new Promise(() => undefined);
}

/** Told when a check needs it: who has no browser checks need not know. Again only when it was there meanwhile. */
function findWithWarning(named: string | null, log: Log): AroundProbeMeans['chromium'] {
  let isTold = false;
  return () => {
    const found = findChromium(named);
    if (found === null && !isTold) log.warn('scripts.no-browser', { hint: rightBrowser });
    isTold = found === null;
    return found;
  };
}

const rightBrowser =
  'browser checks end as unknown on this machine: run npm ci, or set TOCSIN_CHROMIUM to the path of Chromium, and restart';

function scriptProbes(means: AroundProbeMeans): ReadonlyMap<string, Probe> {
  return new Map(
    checkKinds.flatMap((kind): [string, Probe][] => {
      const { type } = kind.schema;
      if (kind.isScripted === true) return [[type, kind.createProbe(means)]];
      return kind.around === undefined ? [] : [[type, kind.around.createProbe(means)]];
    }),
  );
}
