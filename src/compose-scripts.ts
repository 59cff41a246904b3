// The scripts of this process: checks that are scripts or have some around them, joined with what runs them, a few at a time.
import { checkKinds } from '#checks/registry.ts';
import type { AroundProbeMeans } from '#checks/kind.ts';
import type { Exchange, Probe, ProbeInput } from '#domain/probe.ts';
import type { Finding } from '#domain/result.ts';
import type { Clock } from '#lib/clock.ts';
import type { EgressPolicy } from '#egress/guard.ts';
import { createLanes } from '#lib/lanes.ts';
import type { Log } from '#lib/log.ts';
import { type ChosenContainment, chooseContainment } from '#scripts/choose-containment.ts';
import { hasGateway } from '#scripts/containment.ts';
import { findChromium } from '#scripts/find-chromium.ts';
import { runScript } from '#scripts/run-script.ts';
import type { LoadedRuntimes } from './compose-runtimes.ts';
import { isWithScripts } from './compose-script-rules.ts';
import { crashed } from './probe-lanes.ts';
import { createScriptGateway } from './script-gateway.ts';

/** Probes with scripts. */
export interface ScriptProber {
  /** Whether the check is a script, or has some around what it measures. */
  isScripted(input: Pick<ProbeInput, 'check' | 'group'>): boolean;
  /** Waits for room; answers with how to leave it. */
  enter(): Promise<() => void>;
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
  /** Scripts that run at once. */
  readonly atOnce: number;
  /** The program that is to be used; null = whichever is found. */
  readonly chromium: string | null;
  /** Does half a probe, for checks with scripts around their request. */
  readonly exchange: Exchange;
}

/** Whether this process may be anybody: scripts are then given to nobody. */
export const isRoot = process.getuid?.() === 0;

export function createScriptProber(options: ScriptProberOptions): ScriptProber {
  const { runtimes, clock, log, egress, atOnce, chromium, exchange } = options;
  const onThreadEnd = (error: Error): void => log.error('scripts.gateway-ended', { error: error.message });
  const gateway = createScriptGateway({ egress, onThreadEnd });
  const lanes = createLanes(atOnce);
  const closing = new AbortController();
  let chosen: Promise<ChosenContainment> | null = null;
  // Tried at the first script: who has none need not know.
  const containment = async (): Promise<ChosenContainment['containment']> => {
    chosen ??= chooseContainment(process.execPath, isRoot, gateway.open).then((found) => {
      const { containment: level, refused } = found;
      const holds = hasGateway(level);
      const network = holds ? 'by the egress policy' : 'the machine’s: the egress policy does not hold';
      log[holds ? 'info' : 'warn']('scripts.contained', { level, network, refused });
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
  const means: AroundProbeMeans = {
    exchange,
    runtimes: runtimes.list,
    chromium: () => findChromium(chromium),
    now: () => clock.now(),
    runScript: async (work, signal) =>
      runScript(work, signal, { containment: await containment(), isRoot, openGateway: gateway.open }),
  };
  const probes = scriptProbes(means);
  return {
    isScripted: isWithScripts,
    enter: () => lanes.enter(),
    async probe(input) {
      try {
        const probe = probes.get(input.check.checkType);
        if (probe === undefined) return crashed(`${input.check.checkType} checks are not scripts`);
        return await probe(input, closing.signal);
      } catch (error) {
        return crashed(`the script failed by our fault: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    holdBack: () => lanes.close(),
    async close() {
      closing.abort();
      await gateway.close();
    },
  };
}

function scriptProbes(means: AroundProbeMeans): ReadonlyMap<string, Probe> {
  return new Map(
    Object.entries(checkKinds).flatMap(([type, kind]): [string, Probe][] => {
      if (kind.isScripted === true) return [[type, kind.createProbe(means)]];
      return kind.around === undefined ? [] : [[type, kind.around.createProbe(means)]];
    }),
  );
}
