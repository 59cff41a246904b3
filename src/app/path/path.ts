// Starts the steps of this process and runs the loops of its roles.
import type { RecordResults } from '#pipeline/record-results.ts';
import { createScheduleRuns } from '#pipeline/schedule-runs.ts';
import type { SendDeliveries } from '#pipeline/send-deliveries.ts';
import type { Loop } from '#lib/loop.ts';
import { createFollowClock } from '#upkeep/follow-clock.ts';
import { createRecordReception } from '#upkeep/record-reception.ts';
import { createRollUp } from '#upkeep/roll-up.ts';
import type { FoundBroken } from '#upkeep/keep-templates.ts';
import { createProcessHeartbeat } from '#upkeep/process-heartbeat.ts';
import { keepTemplates } from './templates.ts';
import { type Holds, servedCodes } from '../process.ts';
import { joinSendNotices } from './notices.ts';
import { joinCallWatchdog } from './watchdog.ts';
import { joinCloseUnservedRuns } from './unserved.ts';
import { joinRemoveOldRows } from './upkeep.ts';
import { type LoopName, recordStep } from '#config/roles.ts';
import { idleMs, startLoops } from './loops.ts';
import { type Joint, type PathDeps } from './joint.ts';
import {
  joinJudgeStorms,
  joinReportFailingChannels,
  joinSendAccountReports,
  joinSendDeliveries,
} from './deliveries.ts';
import { joinJudgeHeartbeats, joinJudgeStates, joinRecordResults, joinRunChecks } from './results.ts';

/** The running steps of this process. */
export interface RunningPath {
  /** false = the loop does not run here. */
  wake(name: LoopName): boolean;
  /** What this process has leased. */
  holds(): Holds;
  /** Channels of an account that were found unable to send. */
  brokenChannels(accountId: string): readonly FoundBroken[];
  /** Names of steps that make no progress. */
  stalled(): readonly string[];
  /** Why the steps cannot do their work now, a sentence each; empty = they can. */
  faults(): readonly string[];
  /** Stops taking work, and finishes or releases leased work. */
  stop(): Promise<void>;
}

/** How long work in progress may take to finish at shutdown, ms; with the rest, shutdown takes less than 10 s. */
const graceMs = 6000;

export async function startPath(deps: PathDeps): Promise<RunningPath> {
  const { config, store, clock, ownProcess, pingFailures: failures } = deps;
  const startedAt = clock.now();
  await store.path.takeOver(startedAt);
  const rollback = await store.gaps.rollback().catch(() => null);
  const joint: Joint = { ...deps, owner: ownProcess.id, startedAt, rollback };
  const records = joinRecordResults(joint);
  const runs = config.roles.includes('runner') ? joinRunChecks(joint, records) : null;
  const deliveries = config.roles.includes('deliverer') ? joinSendDeliveries(joint) : null;
  const templates = keepTemplates(deps);
  const recordReception = createRecordReception({ store: store.receptions, ownProcess, failures, clock });
  // Before anything is evaluated, finds out since when no ping could be received.
  if (config.roles.includes('api')) await recordReception().catch(() => undefined);
  const idle = (): Promise<number> => Promise.resolve(idleMs);
  const ticks: Record<LoopName, () => Promise<number>> = {
    'follow-clock': joinFollowClock(deps),
    'schedule-runs': joinScheduleRuns(joint),
    'judge-heartbeats': joinJudgeHeartbeats(joint),
    'judge-states': joinJudgeStates(joint),
    'record-reception': recordReception,
    'run-checks': () => runs?.tick() ?? idle(),
    'close-unserved-runs': joinCloseUnservedRuns(joint, records),
    'send-deliveries': () => deliveries?.tick() ?? idle(),
    'roll-up': createRollUp({ store: store.rollUps, clock, retentionDays: config.retentionDays }),
    'remove-old-rows': joinRemoveOldRows(joint),
    'judge-storms': joinJudgeStorms(joint),
    'send-account-reports': joinSendAccountReports(joint),
    'report-failing-channels': joinReportFailingChannels(joint),
    'process-heartbeat': createProcessHeartbeat({ ownProcess }),
    'call-watchdog': joinCallWatchdog(joint, idleMs),
    'send-notices': joinSendNotices(joint, idleMs),
    'keep-templates': () => templates.tick(),
  };
  const loops = startLoops(config.roles, ticks, deps);
  const askTime = async (): Promise<void> => {
    await deps.measureTime?.().catch(() => undefined);
    loops.get('follow-clock')?.wake();
  };
  return {
    wake(name) {
      const loop = loops.get(name);
      if (name === 'follow-clock') void askTime();
      else loop?.wake();
      return loop !== undefined;
    },
    holds: () => ({ runs: runs?.inProgress ?? 0, deliveries: deliveries?.inProgress ?? 0 }),
    brokenChannels: (accountId) => templates.broken(accountId),
    ...healthOf(loops, records, deliveries),
    async stop() {
      deps.scripts?.deferRuns();
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
      await Promise.all([runs?.stop(graceMs), deliveries?.stop(graceMs)]);
      await records.stop(graceMs / 3);
      await deps.scripts?.close();
    },
  };
}

/** Which steps work. */
function healthOf(
  loops: ReadonlyMap<LoopName, Loop>,
  records: RecordResults,
  deliveries: SendDeliveries | null,
): Pick<RunningPath, 'stalled' | 'faults'> {
  const stalled = (): readonly string[] => [
    ...[...loops].flatMap(([name, loop]) => (loop.isStalled ? name : [])),
    ...(deliveries?.isStalled === true ? ['send-deliveries'] : []),
    ...(records.isStalled ? [recordStep] : []),
  ];
  const failing = (): readonly string[] => [...loops].flatMap(([name, loop]) => (loop.isHealthy ? [] : name));
  return {
    stalled,
    faults: () => [
      ...failing().map((name) => `the step ${name} fails`),
      ...stalled()
        .filter((name) => !failing().includes(name))
        .map((name) => `the step ${name} has made no progress for more than a minute`),
      ...(records.isHealthy ? [] : [`results waiting for the database: ${records.waiting}`]),
    ],
  };
}

function joinFollowClock({ store, clock, measureTime, log, onClockSet }: PathDeps): () => Promise<number> {
  return createFollowClock({
    store: store.path,
    clock,
    measureTime,
    onClockSet: (byMs) => {
      log.warn('clock.set', { byMs });
      onClockSet();
    },
  });
}

function joinScheduleRuns({
  store,
  clock,
  ownProcess,
  startedAt,
  rollback,
  metrics,
  wake,
}: Joint): () => Promise<number> {
  return createScheduleRuns({
    store: store.path,
    firstRuns: store.firstRuns,
    clock,
    locations: servedCodes(ownProcess),
    startedAt,
    rollback,
    wake: () => wake('run-checks'),
    onScheduled: (done) => metrics.onScheduled(done),
  });
}
