// Starts the steps of this process and runs the loops of its roles.
import { heartbeatIntervalMs } from '#domain/accounts/process.ts';
import type { RecordResults } from '#pipeline/record-results.ts';
import { createScheduleRuns } from '#pipeline/schedule-runs.ts';
import type { SendDeliveries } from '#pipeline/send-deliveries.ts';
import type { Loop } from '#lib/loop.ts';
import { createFollowClock } from '#upkeep/follow-clock.ts';
import { createRemoveOldRows } from '#upkeep/remove-old-rows.ts';
import { createRecordReception } from '#upkeep/record-reception.ts';
import { createRollUp } from '#upkeep/roll-up.ts';
import type { FoundBroken } from '#upkeep/keep-templates.ts';
import { keepTemplates } from './templates.ts';
import { type Holds, servedCodes } from '../process.ts';
import { composeSendNotices } from './notices.ts';
import { composeSubscriberSteps, composePublishPages } from './status-pages.ts';
import { composeCopyPages } from './page-copies.ts';
import { composeRunTests, composeRunTrials } from './trials.ts';
import { composeCallWatchdog } from './watchdog.ts';
import { type LoopName, recordStep } from '#config/roles.ts';
import { idleMs, startLoops } from './loops.ts';
import { type StepDeps, type PathDeps } from './step-deps.ts';
import {
  composeJudgeStorms,
  composeReportFailingChannels,
  composeSendAccountReports,
  composeSendDeliveries,
} from './deliveries.ts';
import {
  composeCloseUnservedRuns,
  composeJudgeHeartbeats,
  composeJudgeStates,
  composeRecordResults,
  composeRunChecks,
} from './results.ts';

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

/** The tick of a step that this process does not have. */
const idle = (): Promise<number> => Promise.resolve(idleMs);

export async function startPath(pathDeps: PathDeps): Promise<RunningPath> {
  const { config, store, clock, ownProcess, pingFailures: failures } = pathDeps;
  const startedAt = clock.now();
  await store.path.takeOver(startedAt);
  const rollback = await store.gaps.rollback().catch(() => null);
  const deps: StepDeps = { ...pathDeps, owner: ownProcess.id, startedAt, rollback };
  const records = composeRecordResults(deps);
  const runs = config.roles.includes('runner') ? composeRunChecks(deps, records) : null;
  const [trials, tests] = config.roles.includes('runner') ? [composeRunTrials(deps), composeRunTests(deps)] : [];
  const deliveries = config.roles.includes('deliverer') ? composeSendDeliveries(deps) : null;
  const templates = keepTemplates(deps);
  const recordReception = createRecordReception({ store: store.receptions, ownProcess, failures, clock });
  // Before anything is evaluated, finds out since when no ping could be received.
  if (config.roles.includes('api')) await recordReception().catch(() => undefined);
  const ticks: Record<LoopName, () => Promise<number>> = {
    'follow-clock': composeFollowClock(deps),
    'schedule-runs': composeScheduleRuns(deps),
    'judge-heartbeats': composeJudgeHeartbeats(deps),
    'judge-states': composeJudgeStates(deps),
    'record-reception': recordReception,
    'apply-check-changes': deps.applyCheckChanges ?? idle,
    'apply-folder': deps.applyFolder ?? idle,
    'take-up-pages': deps.takeUpPages ?? idle,
    'run-checks': () => runs?.tick() ?? idle(),
    'run-trials': () => trials?.tick() ?? idle(),
    'run-tests': () => tests?.tick() ?? idle(),
    'close-unserved-runs': composeCloseUnservedRuns(deps, records),
    'send-deliveries': () => deliveries?.tick() ?? idle(),
    'roll-up': createRollUp({ store: store.rollUps, clock, retentionDays: config.retentionDays }),
    'remove-old-rows': composeRemoveOldRows(deps),
    'judge-storms': composeJudgeStorms(deps),
    'send-account-reports': composeSendAccountReports(deps),
    'report-failing-channels': composeReportFailingChannels(deps),
    'process-heartbeat': () => ownProcess.sign().then(() => heartbeatIntervalMs),
    'call-watchdog': composeCallWatchdog(deps, idleMs),
    'send-notices': composeSendNotices(deps, idleMs),
    'publish-status-pages': composePublishPages(deps),
    ...composeSubscriberSteps(deps, idleMs),
    ...composeCopyPages(deps, idleMs),
    'keep-templates': () => templates.tick(),
  };
  const loops = startLoops(config.roles, ticks, deps);
  return {
    wake(name) {
      const loop = loops.get(name);
      if (name === 'follow-clock') void askTime(deps, loops);
      else loop?.wake();
      return loop !== undefined;
    },
    holds: () => ({ runs: runs?.inProgress ?? 0, deliveries: deliveries?.inProgress ?? 0 }),
    brokenChannels: (accountId) => templates.broken(accountId),
    ...healthOf(loops, records, deliveries),
    async stop() {
      deps.scripts?.deferRuns();
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
      await Promise.all([runs?.stop(graceMs), trials?.stop(graceMs), tests?.stop(graceMs), deliveries?.stop(graceMs)]);
      await records.stop(graceMs / 3);
      await deps.scripts?.close();
    },
  };
}

async function askTime({ measureTime }: StepDeps, loops: ReadonlyMap<LoopName, Loop>): Promise<void> {
  await measureTime?.().catch(() => undefined);
  loops.get('follow-clock')?.wake();
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

function composeFollowClock({ store, clock, measureTime, log, onClockSet }: PathDeps): () => Promise<number> {
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

function composeScheduleRuns({
  store,
  clock,
  ownProcess,
  startedAt,
  rollback,
  metrics,
  wake,
}: StepDeps): () => Promise<number> {
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

/** Deletes results and related rows after their retention. */
function composeRemoveOldRows({ store, clock, config, log }: StepDeps): () => Promise<number> {
  return createRemoveOldRows({
    store: store.retention,
    rollUps: store.rollUps,
    orphans: store.orphans,
    triggerCalls: store.triggerCalls,
    checkSessions: store.checkSessions,
    pageChanges: store.pageChanges,
    scriptFiles: store.scriptFiles,
    subscribers: store.subscriptionMails,
    auditLog: store.auditLog,
    ledger: store.ledger,
    clock,
    auditDays: config.auditDays,
    retentionDays: config.retentionDays,
    onRemoved: (rows) => log.debug('retention.removed', { rows }),
  });
}
