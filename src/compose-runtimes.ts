// The runtimes of this installation: read once, judged by the stages last seen, kept for those who ask.
import { join } from 'node:path';
import type { Notice } from '#actions/notices.ts';
import { endOfLifeAt, type Runtime, type RuntimeStage, stageAt, toldBeforeMs } from '#domain/runtime.ts';
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
  /** Broken runtimes, and those whose end is near. */
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
    notices: () => [...problems.map(brokenNotice(startedAt)), ...listed.flatMap(endNotice(clock.now()))],
  };
}

/** Looked at no more often than this, ms: whoever runs a script asks for the runtimes. */
const warnEachMs = 3_600_000;

/** Says of each runtime once that its end is near, also in a process that has run for months (decisions: Runtimes). */
export function createEndWarning(log: Pick<Log, 'warn'>): (runtimes: readonly Runtime[], now: number) => void {
  const told = new Set<string>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  return (runtimes, now) => {
    if (Math.abs(now - lookedAt) < warnEachMs) return;
    lookedAt = now;
    for (const { subject, message } of runtimes.flatMap(endNotice(now))) {
      if (told.has(subject)) continue;
      told.add(subject);
      log.warn('runtime.ends', { runtime: subject, message });
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

/** Thirty days before a runtime ends, whoever uses it is told (decisions: Runtimes). */
function endNotice(now: number) {
  return (runtime: Runtime): Notice[] => {
    const endsAt = endOfLifeAt(runtime);
    const since = endsAt === null ? null : endsAt - toldBeforeMs;
    if (since === null || now < since) return [];
    const message = `The runtime ${runtime.name} ends on ${runtime.runtimeEndOfLife}: checks on it will not run after that.`;
    const action = 'Choose another runtimeId for the checks, groups and accounts that name it.';
    return [
      { id: `runtime-ends:${runtime.name}`, kind: 'runtime-ends', since, subject: runtime.name, message, action },
    ];
  };
}
