// Scripts run for real, contained as well as this machine can: what tests of the runner share.
import { spawnSync } from 'node:child_process';
import type { ScriptLimits, ScriptOutcome, ScriptWork } from '#domain/checks/script.ts';
import { chmod, chown } from 'node:fs/promises';
import { join } from 'node:path';
import { openGateway as openAt } from '#egress/gateway.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';
import { createPlaceBoard, type Place } from '#egress/closed-places.ts';
import { type Containment, containments, hasGateway } from '#sandbox/containment/containment.ts';
import { type ChosenContainment, chooseContainment, whyNotContained } from '#sandbox/containment/choose-containment.ts';
import { type OpenGateway, runScript, type ScriptDeps } from '#sandbox/run-script.ts';
import type { TrustedCas } from '#sandbox/trusted-cas.ts';

const isRoot = process.getuid?.() === 0;

/** The CURRENT runtime of this checkout. */
export const currentRuntime = {
  folder: join(import.meta.dirname, '../../../runtimes', '2026.10'),
  nodeBinary: process.execPath,
};

export const roomyLimits: ScriptLimits = {
  wallClockMs: 60_000,
  memoryBytes: 512 << 20,
  processes: 64,
  outputBytes: 4 << 20,
  diskBytes: 64 << 20,
};

/** A policy that lets scripts reach what listens on this machine. */
const open: EgressPolicy = { mode: 'any', allow: [] };

/** Gateways as a process opens them, in the thread of the test. */
export function gatewaysOf(policy: EgressPolicy, closed: readonly Place[] = []): OpenGateway {
  const guard = createGuard({ ...policy, closed: createPlaceBoard(closed) });
  return async (path, owner) => {
    const opened = await openAt(path, guard);
    await chmod(path, 0o600);
    if (owner !== null) await chown(path, owner, owner);
    return opened;
  };
}

let chosen: Promise<ChosenContainment> | null = null;

/** How scripts are contained on this machine; tried once. */
export function containmentHere(): Promise<ChosenContainment> {
  return (chosen ??= chooseContainment(process.execPath, isRoot, gatewaysOf(open)));
}

/** A level that keeps scripts in. */
export interface StrongContainment {
  readonly level: Containment;
  /** Why it does not hold on this machine; null = it does. */
  readonly problem: string | null;
  /** Whether its program makes namespaces here by itself: what Tocsin makes of it then has to hold. */
  readonly isPossible: boolean;
}

/** All of them, not the strongest alone: what is tested on one machine may run on another. */
export function strongContainments(): Promise<readonly StrongContainment[]> {
  return Promise.all(
    containments.filter(hasGateway).map(async (level) => ({
      level,
      problem: await whyNotContained(level, process.execPath, isRoot, gatewaysOf(open)),
      isPossible: spawnSync(...plainWords(level)).status === 0,
    })),
  );
}

function plainWords(level: Containment): [string, string[]] {
  if (level === 'bubblewrap') {
    return ['bwrap', ['--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--proc', '/proc', 'true']];
  }
  const user = isRoot ? [] : ['--user', '--map-root-user'];
  const mounts = 'mount -t proc proc /proc && mount --bind /usr /usr';
  return ['unshare', [...user, '--mount', '--pid', '--net', '--fork', 'sh', '-c', mounts]];
}

/** What is particular to a run, and how it is made. */
export interface RunOptions extends Partial<Omit<ScriptWork, 'limits'>> {
  readonly limits?: Partial<ScriptLimits>;
  readonly signal?: AbortSignal;
  readonly egress?: EgressPolicy;
  /** Where scripts may not connect, whatever the policy says. */
  readonly closed?: readonly Place[];
  /** CAs to be trusted besides the usual ones. */
  readonly trustedCas?: TrustedCas | null;
  /** As far as this machine can by default. */
  readonly level?: Containment;
}

/** A run of a plain script in the CURRENT runtime, but for what is said otherwise. */
export async function plainRun(
  content: string,
  { limits = {}, egress = open, closed = [], level, trustedCas = null, ...work }: Omit<RunOptions, 'signal'> = {},
): Promise<{ work: ScriptWork; deps: ScriptDeps }> {
  const containment = level ?? (await containmentHere()).containment;
  const files = [{ path: 'script.mjs', content }];
  return {
    work: {
      runtime: currentRuntime,
      sort: 'plain',
      files,
      entry: 'script.mjs',
      environment: {},
      hide: (text) => text,
      hidden: [],
      keeps: { screenshots: 'on-failure', trace: 'on-failure', video: 'on-failure' },
      browser: null,
      ...work,
      limits: { ...roomyLimits, ...limits },
    },
    deps: { containment, isRoot, openGateway: gatewaysOf(egress, closed), trustedCas },
  };
}

/** Runs a plain script in the CURRENT runtime. */
export async function runPlain(
  content: string,
  { signal = new AbortController().signal, ...options }: RunOptions = {},
): Promise<ScriptOutcome> {
  const { work, deps } = await plainRun(content, options);
  return runScript(work, signal, deps);
}

/** What it printed on stdout. */
export function printed({ log }: ScriptOutcome): string {
  return log.map(({ stream, text }) => (stream === 'stdout' ? text : '')).join('');
}
