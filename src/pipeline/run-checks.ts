// Probes leased runs by their kind of check and passes the findings on for recording (docs/decisions/0004).
import type { CallOptions } from '#domain/checks/batch.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';
import { type EnvironmentVariable, mergeVariables } from '#domain/accounts/environment-variable.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { CheckContext, EndedAttempt } from '#domain/results/recording.ts';
import { bareFinding, type Finding, type Reason } from '#domain/results/result.ts';
import { retryOf, type Run } from '#domain/checks/run.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Clock } from '#lib/clock.ts';
import { isPassing } from '#lib/passing.ts';
import { createOutages, type Outages } from '#lib/outages.ts';
import { createRunsUnderWay } from './parts/runs-under-way.ts';

/** What this step needs of the store. */
interface RunStore {
  claimRuns(claim: {
    readonly location: string;
    readonly owner: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly most: number;
    readonly without?: readonly string[];
    readonly isBacklog?: boolean;
  }): Promise<{
    readonly runs: readonly { readonly run: Run; readonly context: CheckContext | null }[];
    readonly nextAvailableAt: number | null;
  }>;
  renewRuns(
    runs: readonly Run[],
    lease: { readonly owner: string; readonly now: number; readonly leaseMs: number },
  ): Promise<void>;
  returnRuns(runs: readonly Run[], owner: string): Promise<void>;
  /** The check of a run as it stands; null when it is gone. */
  contextOf(run: Run): Promise<CheckContext | null>;
}

/** What the step is joined with. */
export interface RunChecksOptions {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly owner: string;
  readonly location: string;
  /** Codes of the run locations that are served, this server's own first. */
  readonly locations: () => readonly string[];
  /**
   * Waits until a check may begin, where such checks are let in a few at a time; answers with how to leave. null = at
   * once.
   */
  readonly enter?: (context: CheckContext) => Promise<() => void> | null;
  /** What the call of a trigger that started a run asked for; null = nothing special. */
  readonly optionsOf?: (accountId: string, batchId: string) => Promise<CallOptions | null>;
  /** Looks at a target once; never rejects. */
  readonly probe: (input: ProbeInput) => Promise<Finding>;
  /** Takes what was found; resolves when it is recorded. */
  readonly record: (attempt: EndedAttempt) => Promise<unknown>;
  /** When this process began, epoch ms: slots that ended before it are `downtime`. */
  readonly startedAt: number;
  /** Wakes this step when there is room again. */
  readonly wake: () => void;
  readonly onStarted?: (delayMs: number) => void;
}

const leaseMs = 10_000;
const runsPerTurn = 500;
/**
 * Runs under way in one process at most, those whose result waits to be durable included; more than that waits, and is
 * missed when its slot ends.
 */
export const underWayMost = 4000;
/** Runs of one account among them at most: targets that hang leave room for the checks of others. */
export const ofAccountMost = 3000;

/** The step: its turn, and its end. */
export interface RunChecks {
  turn(): Promise<number>;
  /** Runs that are held. */
  readonly underWay: number;
  /** Waits for what is under way up to `graceMs`, then gives the rest back. */
  stop(graceMs: number): Promise<void>;
}

export function createRunChecks(options: RunChecksOptions): RunChecks {
  const { store, clock, owner, location } = options;
  const underWay = createRunsUnderWay<EndedAttempt | null>();
  const outages = createOutages(clock);
  let renewedAt = clock.now();
  let isBacklog = false;

  const renew = async (now: number): Promise<void> => {
    if (now - renewedAt < leaseMs / 3 && now >= renewedAt) return;
    const runs = underWay.runs();
    // While it fails no run is asked for: an outage begins here, and runs that it kept waiting say so.
    if (runs.length > 0) await outages.watch(() => store.renewRuns(runs, { owner, now, leaseMs }));
    // Set only after success: without renewed leases, a claim could take deliveries that this process is sending.
    renewedAt = now;
  };
  const start = (run: Run, context: CheckContext): void => {
    const attempted = letIn(run, context, options, outages, underWay.before(run)).catch((cause: unknown) =>
      failedOurselves(run, context, options, cause),
    );
    const done = attempted
      .then((attempt) => (attempt === null ? null : options.record(attempt)))
      .finally(() => {
        const wasFull = underWay.size >= underWayMost || underWay.ofAccount(run.accountId) >= ofAccountMost;
        underWay.remove(run);
        if (wasFull) options.wake();
      });
    underWay.add(run, attempted, done);
  };

  return {
    get underWay() {
      return underWay.size;
    },
    async turn() {
      const now = clock.now();
      await renew(now);
      const without = underWay.accountsWith(ofAccountMost);
      const most = Math.min(runsPerTurn, underWayMost - underWay.size);
      if (most <= 0) return leaseMs / 3;
      const { runs, nextAvailableAt } = await outages.watch(() =>
        store.claimRuns({ location, owner, now, leaseMs, most, isBacklog, ...(without.length > 0 && { without }) }),
      );
      isBacklog = runs.length === most;
      for (const { run, context } of runs) {
        if (context !== null && !underWay.has(run)) start(run, context);
      }
      if (isBacklog) return 0;
      const pauseMs = nextAvailableAt === null ? leaseMs / 3 : nextAvailableAt - clock.now();
      return Math.max(0, Math.min(pauseMs, leaseMs / 3));
    },
    async stop(graceMs) {
      const all = underWay.ended();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([all, late]);
      clearTimeout(timer);
      const left = underWay.runs();
      if (left.length > 0) await store.returnRuns(left, owner);
    },
  };
}

/**
 * An attempt, once the previous run of its check has ended and there is room for it: what waits longer than its slot lasts
 * is missed. null = its check was deleted while it waited, and the run with it.
 */
async function letIn(
  run: Run,
  context: CheckContext,
  options: RunChecksOptions,
  outages: Outages,
  before: Promise<EndedAttempt | null> | null,
): Promise<EndedAttempt | null> {
  const earlier = before === null ? null : await before;
  const room = options.enter?.(context) ?? null;
  if (room === null && before === null) return attemptOf(run, context, options, outages, run.wasHeldBack === true);
  const leave = await room;
  const isOverlap = run.wasHeldBack === true || (earlier !== null && earlier.outcome !== 'missed');
  try {
    // Edits and windows that came while it waited hold for it (docs/decisions/0103); what cannot be read is as it was.
    const standing = await outages
      .watch(() => options.store.contextOf(run))
      .catch((error: unknown) => {
        if (isPassing(error)) return context;
        throw error;
      });
    return standing === null ? null : await attemptOf(run, standing, options, outages, isOverlap);
  } finally {
    leave?.();
  }
}

async function attemptOf(
  run: Run,
  context: CheckContext,
  options: RunChecksOptions,
  outages: Outages,
  isOverlap: boolean,
): Promise<EndedAttempt> {
  const { clock, startedAt } = options;
  const now = clock.now();
  const check = effectiveCheck(context.check, context.group);
  const maintenance = maintenanceOf(context, now);
  const rules = stateRulesOf(context, options.locations(), maintenance);
  const endsAt = run.slotAt === null || run.intervalMs === null ? null : run.slotAt + run.intervalMs;
  if (run.attempt === 1 && endsAt !== null && now >= endsAt) {
    const isOutage = outages.touches(run.slotAt ?? endsAt, endsAt);
    const ours: Reason = isOutage ? 'store' : 'overload';
    const reason: Reason = endsAt <= startedAt ? 'downtime' : isOverlap ? 'overlap' : ours;
    return { run, context, finding: notRun(reason, now), outcome: 'missed', retry: null, rules };
  }
  if (run.attempt === 1 && run.source !== 'TRIGGER_API') {
    const reason = !check.activated ? 'deactivated' : maintenance.isPaused ? 'maintenance' : null;
    if (reason !== null) return { run, context, finding: notRun(reason, now), outcome: 'missed', retry: null, rules };
  }
  const call = await callOf(run, options, outages);
  options.onStarted?.(Math.max(0, now - run.dueAt));
  const finding = await options.probe(probeInputOf(context, call?.variables));
  const retry = retryOf(run, finding, check, options.locations());
  const isQuiet = call?.isQuiet === true;
  return { run, context, finding, outcome: finding.verdict, retry, rules, ...(isQuiet && { isQuiet }) };
}

function callOf(
  { accountId, source, batchId }: Run,
  { optionsOf }: RunChecksOptions,
  outages: Outages,
): Promise<CallOptions | null> | null {
  if (source !== 'TRIGGER_API' || batchId === null || optionsOf === undefined) return null;
  return outages.watch(() => optionsOf(accountId, batchId));
}

/** A fault of our own is a gap that says so: neither a failure of the target nor a run that never ends. */
function failedOurselves(run: Run, context: CheckContext, options: RunChecksOptions, cause: unknown): EndedAttempt {
  const why = cause instanceof Error ? cause.message : String(cause);
  const finding: Finding = {
    ...notRun('crashed', options.clock.now()),
    message: `no verdict because of an error in Tocsin: ${why}`,
  };
  const rules = stateRulesOf(context, options.locations(), maintenanceOf(context, options.clock.now()));
  return { run, context, finding, outcome: 'unknown', retry: null, rules };
}

/** What the probe of a check needs. @param ofCall variables of this run alone, which win */
export function probeInputOf(context: CheckContext, ofCall: readonly EnvironmentVariable[] = []): ProbeInput {
  const { check, group, variables, revision, accountRuntimeId, clientCertificates = [] } = context;
  const merged = mergeVariables(variables, group?.environmentVariables ?? [], check.environmentVariables, ofCall);
  return { check, group, variables: merged, revision, accountRuntimeId, clientCertificates };
}

const notRunMessages: Partial<Record<Reason, string>> = {
  downtime: 'not run: Tocsin was not running',
  store: 'not run: the database could not be written',
  maintenance: 'not run: a maintenance window pauses the check',
  deactivated: 'not run: the check was deactivated first',
  overlap: 'not run: the previous run of the check was still in progress',
};

function notRun(reason: Reason, now: number): Finding {
  const message = notRunMessages[reason] ?? 'not run: Tocsin was too busy to start it within its interval';
  return bareFinding(now, { verdict: 'unknown', reason, message });
}
