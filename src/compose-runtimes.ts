// The runtimes of this installation: read once, judged by the stages last seen, kept for those who ask.
import { join } from 'node:path';
import type { Notice } from '#actions/notices.ts';
import { endsSoon, type Runtime, type RuntimeStage, stageAt } from '#domain/runtime.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import {
  type InstalledRuntime,
  type InstalledRuntimes,
  readRuntimes,
  type RuntimeProblem,
} from '#runtimes/read-runtimes.ts';
import type { Store } from '#store/store.ts';
import { StartError } from './start-error.ts';

const root = join(import.meta.dirname, '..');

/** What is installed under runtimes/, judged by the stages last seen. */
export function readInstalled(clock: Clock, lastStages: ReadonlyMap<string, RuntimeStage>): Promise<InstalledRuntimes> {
  return readRuntimes(join(root, 'runtimes'), { now: clock.now(), projectNode: process.execPath, lastStages });
}

/** Runtimes as they stand now. */
export interface LoadedRuntimes {
  /** Those that can be chosen now, newest first; the same list until one of them ends. */
  readonly list: () => readonly InstalledRuntime[];
  /** Broken runtimes. */
  readonly notices: () => readonly Notice[];
}

/** Reads the runtimes and remembers their stages. Throws StartError when a stage steps back. */
export async function loadRuntimes(store: Store, clock: Clock, log: Log): Promise<LoadedRuntimes> {
  const { runtimes, problems, stages } = await readInstalled(clock, await store.runtimeStages.all());
  for (const { runtime, message } of problems) log.warn('runtime.unusable', { runtime, message });
  const fatal = problems.find(({ refusesStart }) => refusesStart);
  if (fatal !== undefined) throw new StartError(`runtime ${fatal.runtime}: ${fatal.message}`);
  await store.runtimeStages.remember(stages);
  const startedAt = clock.now();
  const warnOfEnds = createEndWarning(log);
  warnOfEnds(runtimes, startedAt);
  let listed: readonly InstalledRuntime[] = runtimes;
  return {
    list() {
      const now = clock.now();
      warnOfEnds(listed, now);
      const isEnded = listed.some((runtime) => stageAt(runtime, now) === 'REMOVED');
      if (isEnded) listed = listed.filter((runtime) => stageAt(runtime, now) !== 'REMOVED');
      return listed;
    },
    notices: () => problems.map(brokenNotice(startedAt)),
  };
}

/** Looked at no more often than this, ms: whoever runs a script asks for the runtimes. */
const warnEachMs = 3_600_000;

/**
 * Tells the operator once of each runtime that its end is near, also in a process that has run for months; its users are
 * told by their notices (decisions: Runtimes).
 */
export function createEndWarning(log: Pick<Log, 'warn'>): (runtimes: readonly Runtime[], now: number) => void {
  const told = new Set<string>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  return (runtimes, now) => {
    if (Math.abs(now - lookedAt) < warnEachMs) return;
    lookedAt = now;
    for (const runtime of runtimes) {
      const { name, runtimeEndOfLife } = runtime;
      if (told.has(name) || !endsSoon(runtime, now)) continue;
      told.add(name);
      const message = `The runtime ${name} ends on ${runtimeEndOfLife}: checks on it will not run after that.`;
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
    action: 'Mend its folder under runtimes/, or run npm run tocsin -- runtimes install; then restart.',
  });
}
