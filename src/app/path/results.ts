// Joins the steps that judge and record: runs, results, heartbeats and states.
import { errorMessage } from '#lib/errors.ts';
import { channelRules } from '#channels/rules.ts';
import { overdueFinding, pingFinding } from '#checks/kinds/heartbeat/finding.ts';
import { kindOf } from '#checks/check-kinds.ts';
import type { EndedAttempt, NotificationRules, Recorded } from '#domain/results/recording.ts';
import { createCloseUnservedRuns } from '#pipeline/close-unserved-runs.ts';
import { createJudgeHeartbeats } from '#pipeline/judge-heartbeats.ts';
import { createKeepAssets } from '#pipeline/keep-assets.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import { createRecordResults, type RecordResults } from '#pipeline/record-results.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import type { WaitingPing } from '#store/schedules/heartbeat-rows.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import { servedCodes } from '../process.ts';
import { idleMs } from './loops.ts';
import { type StepDeps, required, type PathDeps } from './step-deps.ts';
import { prepareWith } from './deliveries.ts';

export function composeJudgeHeartbeats(deps: StepDeps): () => Promise<number> {
  const { store, clock, owner, config, metrics } = deps;
  return createJudgeHeartbeats<WaitingPing>({
    store: store.path,
    clock,
    owner,
    location: config.location.code,
    pingFinding,
    overdueFinding,
    serverTimeZone: config.serverTimeZone,
    ...notificationRules(deps),
    onRecorded: (attempt, recorded) => noteRecorded(attempt, recorded, deps),
    onOverdue: ({ outcome }, delayMs) => metrics.onOverdue(outcome, delayMs),
  });
}

export function composeJudgeStates(deps: StepDeps): () => Promise<number> {
  const { store, clock, ownProcess, log, wake } = deps;
  return createJudgeStates<StateKey, OpenedAlert>({
    store: store.path,
    clock,
    locations: servedCodes(ownProcess),
    ...notificationRules(deps),
    endGroupMutes: () => store.checkGroups.endMutes(),
    onOpened: ({ context: { check }, alertTypes, deliveries }) => {
      log.info('alert.opened', { check: check.name, id: check.id, alerts: alertTypes.join() });
      if (deliveries > 0) wake('send-deliveries');
    },
  });
}

export function composeRunChecks(
  { store, clock, owner, config, prober, scripts, ownProcess, startedAt, metrics, wake, log }: StepDeps,
  records: RecordResults,
) {
  const record = createKeepAssets({
    store: store.resultAssets,
    record: (attempt) => records.record(attempt),
    onLost: ({ run }, why) => log.warn('assets.lost', { check: run.checkId, run: run.id, why }),
  });
  return createRunChecks({
    store: store.path,
    clock,
    owner,
    location: config.location.code,
    locationOwner: () => ownProcess.owner(),
    locations: servedCodes(ownProcess),
    enter: (context) => (scripts?.isScripted(context) === true ? scripts.enter(context) : null),
    probe: (input) =>
      scripts?.isScripted(input) === true ? scripts.probe(input) : required(prober, 'prober').probe(input),
    optionsOf: (accountId, batchId) => store.triggerCalls.optionsOf(accountId, batchId),
    record,
    startedAt,
    wake: () => wake('run-checks'),
    onStarted: (delayMs) => metrics.onStarted(delayMs),
  });
}

/** A tick of the step, whose results are recorded like all others. */
export function composeCloseUnservedRuns(
  { store, clock, ownProcess, owner, log }: StepDeps,
  records: RecordResults,
): () => Promise<number> {
  const served = servedCodes(ownProcess);
  return createCloseUnservedRuns({
    store: { runQueue: (now) => store.figures.runQueue(now), claimRuns: (claim) => store.path.claimRuns(claim) },
    clock,
    steadyNow: () => performance.now(),
    owner,
    // A process that cannot publish its own heartbeat may have missed those of others.
    locations: () => (ownProcess.known().some(({ id }) => id === owner) ? served() : null),
    record: (attempt) => records.record(attempt),
    onClosed: (location, closed) => log.warn('runs.unserved', { location, closed }),
  });
}

export function composeRecordResults(deps: StepDeps): RecordResults {
  const { store, clock, owner, ownProcess, log } = deps;
  return createRecordResults({
    store: store.path,
    clock,
    owner,
    locations: servedCodes(ownProcess),
    ...notificationRules(deps),
    onRecorded: (attempt, recorded) => noteRecorded(attempt, recorded, deps),
    onError: (error, waiting) => log.error('result.record-failed', { error: errorMessage(error), waiting }),
  });
}

function notificationRules(deps: StepDeps): NotificationRules {
  const { isDigested, isBrief } = channelRules;
  return {
    render: prepareWith(deps),
    statusOf: ({ context, finding }) =>
      kindOf(context.check.checkType).alertFacts(context.check, finding.details).status,
    isDigested,
    isBrief,
  };
}

function noteRecorded(
  attempt: EndedAttempt,
  { isRecorded, change, deliveries }: Recorded,
  { metrics, log, clock, wake, onRecorded, onRunsElsewhere }: PathDeps,
): void {
  if (!isRecorded) return;
  metrics.onRecorded(attempt);
  if (change !== null) {
    log.info('check.changed', { check: attempt.context.check.name, id: attempt.run.checkId, ...change });
  }
  if (deliveries > 0) wake('send-deliveries');
  const { run, retry } = attempt;
  if (retry?.location === run.location) wake('run-checks');
  else if (retry !== null && retry.at < clock.now() + idleMs) onRunsElsewhere();
  onRecorded();
}
