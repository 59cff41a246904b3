// Builds the steps from the store, the kinds of checks and the channels, and runs the loops of this process's roles.
import { acknowledgeLinkOf, type AcknowledgeLinks } from '#actions/alerts/acknowledge-links.ts';
import type { ResultLinks } from '#actions/results/result-links.ts';
import { channelRules } from '#channels/rules.ts';
import { overdueFinding, pingFinding } from '#checks/kinds/heartbeat/finding.ts';
import { kindOf } from '#checks/check-kinds.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { alertVariables } from '#domain/alerts/delivery-variables.ts';
import { reportVariables } from '#domain/alerts/failing-channel.ts';
import type { DeliveryFacts, EndedAttempt, Prepared, Recorded, Rendered } from '#domain/results/recording.ts';
import { type RandomSource, randomValues } from '#domain/alerts/random-values.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import type { FollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import { createAdmitDeliveries } from '#pipeline/parts/admit-deliveries.ts';
import { createJudgeHeartbeats } from '#pipeline/judge-heartbeats.ts';
import { createKeepAssets } from '#pipeline/keep-assets.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import { createRecordResults, type RecordResults } from '#pipeline/record-results.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import { createScheduleRuns } from '#pipeline/schedule-runs.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import type { WaitingPing } from '#store/path/heartbeats/heartbeat-rows.ts';
import type { OpenedAlert, StateKey } from '#store/path/states/judge-states.ts';
import type { Store } from '#store/store.ts';
import { createFollowClock } from '#upkeep/follow-clock.ts';
import { createRecordReception, type PingFailures } from '#upkeep/record-reception.ts';
import { createReportFailingChannels } from '#upkeep/report-failing-channels.ts';
import { createRollUp } from '#upkeep/roll-up.ts';
import type { FoundBroken } from '#upkeep/keep-templates.ts';
import { createWatchHold } from '#upkeep/watch-hold.ts';
import { createProcessHeartbeat } from '#upkeep/process-heartbeat.ts';
import { keepTemplates } from './templates.ts';
import { type Holds, type OwnProcess, servedCodes } from './process.ts';
import type { ScriptProber } from './scripts.ts';
import { joinCloseUnservedRuns } from './unserved.ts';
import { joinRemoveOldRows } from './upkeep.ts';
import type { Config } from '#config/config.ts';
import type { Metrics } from '#metrics/metrics.ts';
import type { Prober } from '#checks/runner/probe-threads.ts';
import type { LoopName } from '#config/roles.ts';
import { idleMs, startLoops } from './loops.ts';
import { createFindIdentity } from './client-identities.ts';
import { loggedReason } from './redaction.ts';
import type { ChannelSender } from '#channels/kind.ts';

/** Dependencies of the steps. */
export interface PathDeps {
  readonly config: Config;
  readonly store: Store;
  /** null without the role `runner`. */
  readonly prober: Prober | null;
  /** null without the role `runner`. */
  readonly scripts: ScriptProber | null;
  /** null without the role `deliverer`. */
  readonly sender: ChannelSender | null;
  readonly ownProcess: OwnProcess;
  readonly pingFailures: PingFailures;
  readonly metrics: Metrics;
  readonly clock: FollowedClock;
  readonly random: RandomSource;
  /** Reads the time of the database's clock, if that is used. */
  readonly measureTime: (() => Promise<void>) | null;
  readonly log: Log;
  readonly userAgent: string;
  /** RESULT_LINK of a result. */
  readonly links: Pick<ResultLinks, 'link'>;
  /** ACK_LINK of an incident. */
  readonly acknowledgeLinks: Pick<AcknowledgeLinks, 'link'>;
  /** Wakes a loop, in this process or wherever it runs. */
  readonly wake: (name: LoopName) => void;
  /** Called for a retry in another location, whose next poll may come too late. */
  readonly onRunsElsewhere: () => void;
  /** Called when the clock was set, so that others read the time at once. */
  readonly onClockSet: () => void;
  /** Called for every recorded attempt, to wake requests that wait for a batch. */
  readonly onRecorded: () => void;
  /** Called for every recorded delivery attempt, to wake requests that wait for a test message. */
  readonly onLogged: () => void;
}

/** The running steps of this process. */
export interface RunningPath {
  /** false = the loop does not run here. */
  wake(name: LoopName): boolean;
  /** What this process has leased. */
  holds(): Holds;
  /** Channels of an account that were found unable to send. */
  brokenChannels(accountId: string): readonly FoundBroken[];
  /** Why the steps cannot do their work now, a sentence each; empty = they can. */
  faults(): readonly string[];
  /** Stops taking work, and finishes or releases leased work. */
  stop(): Promise<void>;
}

/** How long work in progress may take to finish at shutdown, ms; with the rest, shutdown takes less than 10 s. */
const graceMs = 6000;

export async function startPath(deps: PathDeps): Promise<RunningPath> {
  const { config, store, clock, log, ownProcess } = deps;
  const startedAt = clock.now();
  await store.path.takeOver(startedAt);
  const rollback = await store.gaps.rollback().catch(() => null);
  const joint: Joint = { ...deps, owner: ownProcess.id, startedAt, rollback };
  const records = joinRecordResults(joint);
  const runs = config.roles.includes('runner') ? joinRunChecks(joint, records) : null;
  const deliveries = config.roles.includes('deliverer') ? joinSendDeliveries(joint) : null;
  const templates = keepTemplates(deps);
  const recordReception = createRecordReception({
    store: store.receptions,
    ownProcess,
    failures: deps.pingFailures,
    clock,
  });
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
    'report-failing-channels': joinReportFailingChannels(joint),
    'process-heartbeat': createProcessHeartbeat({ ownProcess }),
    'keep-templates': () => templates.tick(),
  };
  const loops = startLoops(config.roles, ticks, log);
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
    faults: () => [
      ...[...loops].flatMap(([name, loop]) => (loop.isHealthy ? [] : [`the step ${name} fails`])),
      ...(records.isHealthy ? [] : [`results waiting for the database: ${records.waiting}`]),
    ],
    async stop() {
      deps.scripts?.deferRuns();
      await Promise.all([...loops.values()].map((loop) => loop.stop()));
      await Promise.all([runs?.stop(graceMs), deliveries?.stop(graceMs)]);
      await records.stop(graceMs / 3);
      await deps.scripts?.close();
    },
  };
}

/** Dependencies of all steps. */
interface Joint extends PathDeps {
  /** Owner of this process's leases. */
  readonly owner: string;
  readonly startedAt: number;
  /** The period whose data a restore removed. */
  readonly rollback: Awaited<ReturnType<Store['gaps']['rollback']>>;
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

function joinJudgeHeartbeats(joint: Joint): () => Promise<number> {
  const { store, clock, owner, config, metrics } = joint;
  return createJudgeHeartbeats<WaitingPing>({
    store: store.path,
    clock,
    owner,
    location: config.location.code,
    pingFinding,
    overdueFinding,
    render: prepareWith(joint),
    statusOf: statusCodeOf,
    onRecorded: (attempt, recorded) => noteRecorded(attempt, recorded, joint),
    onOverdue: ({ outcome }, delayMs) => metrics.onOverdue(outcome, delayMs),
  });
}

function joinJudgeStates(joint: Joint): () => Promise<number> {
  const { store, clock, ownProcess, log, wake } = joint;
  return createJudgeStates<StateKey, OpenedAlert>({
    store: store.path,
    clock,
    locations: servedCodes(ownProcess),
    render: prepareWith(joint),
    statusOf: statusCodeOf,
    onOpened: ({ context: { check }, alertTypes, deliveries }) => {
      log.info('alert.opened', { check: check.name, id: check.id, alerts: alertTypes.join() });
      if (deliveries > 0) wake('send-deliveries');
    },
  });
}

function joinRunChecks(
  { store, clock, owner, config, prober, scripts, ownProcess, startedAt, metrics, wake, log }: Joint,
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

function joinRecordResults(joint: Joint): RecordResults {
  const { store, clock, owner, ownProcess, log } = joint;
  return createRecordResults({
    store: store.path,
    clock,
    owner,
    locations: servedCodes(ownProcess),
    render: prepareWith(joint),
    statusOf: statusCodeOf,
    onRecorded: (attempt, recorded) => noteRecorded(attempt, recorded, joint),
    onError: (error, waiting) => log.error('result.record-failed', { error: messageOf(error), waiting }),
  });
}

function joinSendDeliveries(joint: Joint) {
  const { store, clock, owner, ownProcess, sender, metrics, log, wake, onLogged } = joint;
  const { sendingLimits } = joint.config;
  // Sequential: a receiver that is down ends many deliveries at once.
  let logging = Promise.resolve();
  const findIdentity = createFindIdentity((accountId) => store.clientCertificates.all(accountId));
  return createSendDeliveries({
    store: store.path,
    clock,
    owner,
    isHeld: createWatchHold(store.heldDeliveries),
    isShared: () => ownProcess.known().some(({ id, roles }) => id !== owner && roles.includes('deliverer')),
    send: async ({ accountId, id: deliveryId, createdAt, replayOf, request }, { type, secrets }, attempt) =>
      required(sender, 'sender').send({
        type,
        accountId,
        request,
        startedAt: clock.now(),
        identity: await findIdentity(accountId, request.url),
        deliveryId,
        createdAt,
        attempt,
        replayOf,
        secrets,
      }),
    render: renderWith(joint),
    admit: createAdmitDeliveries({ ...channelRules, ...store.sendingQuotas, limits: sendingLimits, clock, owner }),
    wake: () => wake('send-deliveries'),
    onSettled: ({ accountId, id, alertChannelId, checkId }, attempt, { status }) => {
      metrics.onSettled(status);
      if (status !== 'exhausted' && status !== 'failed') return;
      logging = logging.then(async () => {
        const error = await loggedReason(store, accountId, id, attempt);
        const event = status === 'failed' ? 'delivery.failed' : 'delivery.exhausted';
        log.warn(event, { id, channel: alertChannelId, check: checkId, error });
      });
    },
    onLogged,
    onError: (error) => log.error('attempt.log-failed', { error: messageOf(error) }),
  });
}

function joinReportFailingChannels(joint: Joint): () => Promise<number> {
  const { store, clock, links, log, wake } = joint;
  const render = renderWith(joint);
  return createReportFailingChannels({
    store: store.failingChannels,
    clock,
    render: (report, through, deliveryId, createdAt) => {
      const { accountId, check, checkResultId } = report;
      const link =
        check === null || checkResultId === null
          ? undefined
          : links.link(accountId, check.id, checkResultId, createdAt);
      const variables = reportVariables(report, deliveryId, link);
      return render(through, variables, createdAt);
    },
    onReported: async ({ kind, accountId, alertChannelId, name, deliveryId }, deliveries) => {
      if (deliveries > 0) wake('send-deliveries');
      const reason = deliveryId === null ? null : await loggedReason(store, accountId, deliveryId);
      log.warn(`channel.${kind}`, { id: alertChannelId, name, told: deliveries, ...(reason !== null && { reason }) });
    },
  });
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

/** Where the sending process finds the input for rendering a delivery. */
export function prepareWith({
  config,
  links,
  acknowledgeLinks,
}: Pick<PathDeps, 'config' | 'links' | 'acknowledgeLinks'>): (facts: DeliveryFacts) => Prepared {
  return (facts) => {
    const { context, createdAt, isViaGroup } = facts;
    const { check } = context;
    const variables = alertVariables(facts, {
      ...kindOf(check.checkType).alertFacts(check, facts.finding.details),
      locationName: facts.location === config.location.code ? config.location.name : facts.location,
      link: links.link(check.accountId, check.id, facts.resultId, createdAt),
      ...acknowledgeLinkOf(facts, acknowledgeLinks),
    });
    return { content: { variables, groupId: isViaGroup ? check.groupId : null } };
  };
}

/** Renders with what a process knows; an error ends the delivery. */
function renderWith({ random, userAgent, config: { gateways } }: Joint) {
  return (channel: AlertChannel, variables: TemplateVariables, createdAt: number): Rendered => {
    const facts = { createdAt, ...randomValues(random), userAgent, channelId: channel.id };
    try {
      return { request: channelRules.render(channel, variables, facts, gateways) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  };
}

function statusCodeOf({ context, finding }: EndedAttempt): number | null {
  return kindOf(context.check.checkType).alertFacts(context.check, finding.details).status;
}

/** Asserts a dependency that exists whenever the role of a step is active. */
function required<Thing>(thing: Thing | null, what: string): Thing {
  if (thing === null) throw new Error(`${what} is missing`);
  return thing;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
