// The runtimes of this installation: read once, judged by the stages last seen, kept for those who ask.
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

/** Where the runtimes of this installation are. */
const here = join(packageFolder, 'runtimes');

/** What is installed under runtimes/, or in another folder, judged by the stages last seen. */
export function readInstalled(
  clock: Clock,
  lastStages: ReadonlyMap<string, RuntimeStage>,
  folder = here,
): Promise<InstalledRuntimes> {
  return readRuntimes(folder, { now: clock.now(), projectNode: process.execPath, lastStages });
}

/** Runtimes as they stand now. */
export interface LoadedRuntimes {
  /** Those that can be chosen now, newest first; the same list until one of them ends. */
  readonly list: () => readonly InstalledRuntime[];
  /** Those that have ended, newest first; one whose folder was removed before this start is not among them. */
  readonly ended: () => readonly EndedRuntime[];
  /** When each of them ends or has ended, epoch ms; of those without an end nothing. */
  readonly ends: () => readonly { readonly runtime: string; readonly at: number }[];
  /** Broken runtimes. */
  readonly notices: () => readonly Notice[];
}

/** Reads the runtimes and remembers their stages. Throws StartError when a stage steps back. */
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
  const look = (): void => {
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
      look();
      return listed;
    },
    ended() {
      look();
      return ended;
    },
    ends() {
      look();
      const dated = [...listed, ...ended].map((runtime) => ({ runtime: runtime.name, at: endOfLifeAt(runtime) }));
      return dated.flatMap(({ runtime, at }) => (at === null ? [] : [{ runtime, at }]));
    },
    notices: () => problems.map(brokenNotice(startedAt)),
  };
}

/** @param foundAt epoch ms: when it was found to have ended */
function endedOf({ name, stage, runtimeEndOfLife }: RuntimeLife, foundAt: number): EndedRuntime {
  return { name, stage, runtimeEndOfLife, endedAt: Math.min(endOfLifeAt({ runtimeEndOfLife }) ?? foundAt, foundAt) };
}

/** Looked at no more often than this, ms: whoever runs a script asks for the runtimes. */
const warnEachMs = 3_600_000;

/**
 * Tells the operator once of each runtime that its end is near, also in a process that has run for months; its users are
 * told by their notices (decisions: Runtimes).
 */
export function createEndWarning(log: Pick<Log, 'warn'>): (runtimes: readonly RuntimeLife[], now: number) => void {
  const told = new Set<string>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  return (runtimes, now) => {
    if (Math.abs(now - lookedAt) < warnEachMs) return;
    lookedAt = now;
    for (const runtime of runtimes) {
      const { name, runtimeEndOfLife } = runtime;
      if (told.has(name) || !endsSoon(runtime, now)) continue;
      told.add(name);
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
