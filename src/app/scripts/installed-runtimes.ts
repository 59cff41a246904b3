// The runtimes of this installation, read once and evaluated against their last known stages.
import { join } from 'node:path';
import type { Notice } from '#actions/operating/notices.ts';
import type { EndedRuntime } from '#actions/checks/runtime-ends.ts';
import { endOfLifeAt, endsSoon, type RuntimeLife, type RuntimeStage, stageAt } from '#domain/checks/runtime.ts';
import { commandName, packageFolder } from '#lib/package-files.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import {
  type InstalledRuntime,
  type InstalledRuntimes,
  readRuntimes,
  type RuntimeProblem,
} from '#sandbox/runtimes/read-runtimes.ts';
import type { Store } from '#store/store.ts';
import { StartError } from '#config/start-error.ts';

/** Where the runtimes are installed. */
const here = join(packageFolder, 'runtimes');

/** Runtimes installed under runtimes/ or another folder, evaluated against their last known stages. */
export function readInstalled(
  clock: Clock,
  lastStages: ReadonlyMap<string, RuntimeStage>,
  folder = here,
): Promise<InstalledRuntimes> {
  return readRuntimes(folder, { now: clock.now(), projectNode: process.execPath, lastStages });
}

/** Runtimes in their current stage. */
export interface LoadedRuntimes {
  /** Runtimes that can be selected now, newest first. The same array until one of them ends. */
  readonly list: () => readonly InstalledRuntime[];
  /** Runtimes that have ended, newest first, except those whose folder was removed before this start. */
  readonly ended: () => readonly EndedRuntime[];
  /** When each of them ends or ended, epoch ms. Runtimes without an end are omitted. */
  readonly ends: () => readonly { readonly runtime: string; readonly at: number }[];
  /** Broken runtimes. */
  readonly notices: () => readonly Notice[];
}

/** Reads the runtimes and stores their stages. Throws StartError if a stage moves backwards. */
export async function loadRuntimes(
  store: Pick<Store, 'runtimeStages'>,
  clock: Clock,
  log: Log,
  folder = here,
): Promise<LoadedRuntimes> {
  const found = await readInstalled(clock, await store.runtimeStages.all(), folder);
  const { runtimes, problems, stages } = found;
  for (const { runtime, message } of problems) log.warn('runtime.unusable', { runtime, message });
  const fatal = problems.find(({ refusesStart }) => refusesStart);
  if (fatal !== undefined) throw new StartError(`runtime ${fatal.runtime}: ${fatal.message}`);
  await store.runtimeStages.remember(stages);
  const startedAt = clock.now();
  const warnOfEnds = createEndWarning(log);
  warnOfEnds(runtimes, startedAt);
  let listed: readonly InstalledRuntime[] = runtimes;
  let ended = found.ended.map((runtime) => endedOf(runtime, startedAt));
  const reread = (): void => {
    const now = clock.now();
    warnOfEnds(listed, now);
    const over = listed.filter((runtime) => stageAt(runtime, now) === 'REMOVED');
    if (over.length === 0) return;
    listed = listed.filter((runtime) => !over.includes(runtime));
    const all = [...ended, ...over.map((runtime) => endedOf(runtime, now))];
    ended = all.toSorted((one, other) => (one.name < other.name ? 1 : -1));
    for (const { name, runtimeEndOfLife } of over) {
      const message = `The runtime ${name} ended on ${runtimeEndOfLife}: checks that use it no longer run.`;
      log.warn('runtime.ended', { runtime: name, message });
    }
  };
  return {
    list() {
      reread();
      return listed;
    },
    ended() {
      reread();
      return ended;
    },
    ends() {
      reread();
      const dated = [...listed, ...ended].map((runtime) => ({ runtime: runtime.name, at: endOfLifeAt(runtime) }));
      return dated.flatMap(({ runtime, at }) => (at === null ? [] : [{ runtime, at }]));
    },
    notices: () => problems.map(brokenNotice(startedAt)),
  };
}

/** @param foundAt epoch ms: when the end was detected */
function endedOf({ name, stage, runtimeEndOfLife }: RuntimeLife, foundAt: number): EndedRuntime {
  return { name, stage, runtimeEndOfLife, endedAt: Math.min(endOfLifeAt({ runtimeEndOfLife }) ?? foundAt, foundAt) };
}

/** How often the stages are updated at most, ms: every script run reads the runtimes. */
const warnEachMs = 3_600_000;

/**
 * Logs once for each runtime that is about to end, also in a long-running process. Users are informed by notices
 * (decisions: Runtimes).
 */
export function createEndWarning(log: Pick<Log, 'warn'>): (runtimes: readonly RuntimeLife[], now: number) => void {
  const logged = new Set<string>();
  let readAt = Number.NEGATIVE_INFINITY;
  return (runtimes, now) => {
    if (Math.abs(now - readAt) < warnEachMs) return;
    readAt = now;
    for (const runtime of runtimes) {
      const { name, runtimeEndOfLife } = runtime;
      if (logged.has(name) || !endsSoon(runtime, now)) continue;
      logged.add(name);
      const message = `The runtime ${name} ends on ${runtimeEndOfLife}: checks that use it will not run after that.`;
      log.warn('runtime.ends', { runtime: name, message });
    }
  };
}

function brokenNotice(since: number) {
  return ({ runtime, message }: RuntimeProblem): Notice => ({
    id: `runtime-broken:${runtime}`,
    kind: 'runtime-broken',
    since,
    subject: runtime,
    message: `The runtime ${runtime} cannot be used: ${message}`,
    action: `Fix its folder under runtimes/ or run ${commandName} runtimes install, then restart.`,
  });
}
