// Probes leased runs with their kind of check and passes the findings on for recording (docs/decisions/0004).
import type { CallOptions } from '#domain/checks/batch.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';
import { type EnvironmentVariable, mergeVariables } from '#domain/accounts/environment-variable.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { CheckContext, EndedAttempt } from '#domain/results/recording.ts';
import { missedReason } from '#domain/results/missed-reason.ts';
import { bareFinding, type Finding, type Reason } from '#domain/results/result.ts';
import { retryOf, type Run, type RunClaim } from '#domain/checks/run.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Clock } from '#lib/clock.ts';
import type { FollowedClock } from '#lib/followed-clock.ts';
import { errorMessage, isTemporary } from '#lib/errors.ts';
import { createOutages, type Outages } from '#lib/outages.ts';

interface RunStore {
  claimRuns(claim: RunClaim): Promise<{
    readonly runs: readonly { readonly run: Run; readonly context: CheckContext | null }[];
    readonly nextAvailableAt: number | null;
  }>;
  renewRuns(runs: readonly Run[], lease: Pick<RunClaim, 'owner' | 'now' | 'leaseMs'>): Promise<void>;
  returnRuns(runs: readonly Run[], owner: string): Promise<void>;
  /** The current check of a run; null if it was deleted. */
  contextOf(run: Run): Promise<CheckContext | null>;
}

export interface RunChecksOptions {
  readonly store: RunStore;
  readonly clock: Clock & Partial<Pick<FollowedClock, 'lastSet' | 'setBackMs'>>;
  readonly owner: string;
  readonly location: string;
  /** The account that alone may run checks at the location; null or absent = all may. */
  readonly locationOwner?: () => string | null;
  /** Codes of the available run locations, this server's own first. */
  readonly locations: () => readonly string[];
  /**
   * Waits for a slot if checks of the kind have bounded concurrency; resolves with a function that frees it. null =
   * none needed.
   */
  readonly enter?: (context: CheckContext) => Promise<() => void> | null;
  /** Options of the trigger call that started a run; null = none. */
  readonly optionsOf?: (accountId: string, batchId: string) => Promise<CallOptions | null>;
  /** Probes a target once; never rejects. */
  readonly probe: (input: ProbeInput) => Promise<Finding>;
  /** Records a finding; resolves once it is durable. */
  readonly record: (attempt: EndedAttempt) => Promise<unknown>;
  /** Start time of this process, epoch ms: slots that ended before it are `downtime`. */
  readonly startedAt: number;
  /** Wakes this step when there is capacity again. */
  readonly wake: () => void;
  readonly onStarted?: (delayMs: number) => void;
}

const leaseMs = 10_000;
const runsPerTick = 500;
/**
 * Maximum number of runs in progress per process, including those whose result is not durable yet. Further runs wait,
 * and are missed when their slot ends.
 */
export const maxInProgress = 4000;
/** Maximum per account, so that hanging targets of one leave capacity for others. */
export const maxPerAccount = 3000;

/** The step: its tick, and its shutdown. */
export interface RunChecks {
  tick(): Promise<number>;
  /** Numbers of leased runs. */
  readonly inProgress: number;
  /** Waits for runs in progress up to `graceMs`, then releases the rest. */
  stop(graceMs: number): Promise<void>;
}

export function createRunChecks(options: RunChecksOptions): RunChecks {
  const { store, clock, owner, location } = options;
  const inProgress = createRunsInProgress<EndedAttempt | null>();
  const outages = createOutages(clock);
  let renewedAt = clock.now();
  let isBacklog = false;

  const renew = async (now: number): Promise<void> => {
    if (now - renewedAt < leaseMs / 3 && now >= renewedAt) return;
    const runs = inProgress.runs();
    // If this fails, no run is claimed: an outage starts here, and runs that it delayed report it as their reason.
    if (runs.length > 0) await outages.watch(() => store.renewRuns(runs, { owner, now, leaseMs }));
    // Set only after success: without renewed leases, a claim could take deliveries that this process is sending.
    renewedAt = now;
  };
  const start = (run: Run, context: CheckContext): void => {
    const attempted = runWhenFree(run, context, options, outages, inProgress.before(run)).catch((cause: unknown) =>
      internalFailure(run, context, options, cause),
    );
    const done = attempted
      .then((attempt) => (attempt === null ? null : options.record(attempt)))
      .finally(() => {
        const wasFull = inProgress.size >= maxInProgress || inProgress.ofAccount(run.accountId) >= maxPerAccount;
        inProgress.remove(run);
        if (wasFull) options.wake();
      });
    inProgress.add(run, attempted, done);
  };

  return {
    get inProgress() {
      return inProgress.size;
    },
    async tick() {
      const now = clock.now();
      await renew(now);
      const without = inProgress.accountsWith(maxPerAccount);
      const max = Math.min(runsPerTick, maxInProgress - inProgress.size);
      if (max <= 0) return leaseMs / 3;
      const { runs, nextAvailableAt } = await outages.watch(() =>
        store.claimRuns({ location, owner, now, leaseMs, max, isBacklog, ...(without.length > 0 && { without }) }),
      );
      isBacklog = runs.length === max;
      for (const { run, context } of runs) {
        if (context !== null && !inProgress.has(run)) start(run, context);
      }
      if (isBacklog) return 0;
      const pauseMs = nextAvailableAt === null ? leaseMs / 3 : nextAvailableAt - clock.now();
      return Math.max(0, Math.min(pauseMs, leaseMs / 3));
    },
    async stop(graceMs) {
      const all = inProgress.ended();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([all, late]);
      clearTimeout(timer);
      const left = inProgress.runs();
      if (left.length > 0) await store.returnRuns(left, owner);
    },
  };
}

/**
 * Runs an attempt once the previous run of its check has ended and there is capacity. A run that waits longer than its
 * slot is missed. null = its check was deleted meanwhile, and the run with it.
 */
async function runWhenFree(
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
    // Edits and windows during the wait apply (docs/decisions/0103); if reading fails, the earlier settings are used.
    const standing = await outages
      .watch(() => options.store.contextOf(run))
      .catch((error: unknown) => {
        if (isTemporary(error)) return context;
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
    const { lastSet: clockSet = null, setBackMs = 0 } = clock;
    const facts = { startedAt: startedAt - setBackMs, clockSet, isOverlap, isStoreAway: outages.touches };
    const reason = missedReason({ from: run.slotAt ?? endsAt, to: endsAt }, facts);
    return { run, context, finding: notRun(reason, now), outcome: 'missed', retry: null, rules };
  }
  if (run.attempt === 1 && run.source !== 'TRIGGER_API') {
    const reason = !check.activated ? 'deactivated' : maintenance.isPaused ? 'maintenance' : null;
    if (reason !== null) return { run, context, finding: notRun(reason, now), outcome: 'missed', retry: null, rules };
  }
  const only = options.locationOwner?.() ?? null;
  if (only !== null && only !== run.accountId) {
    const message = `not run: location ${run.location} belongs to another account`;
    const finding = bareFinding(now, { verdict: 'unknown', reason: 'downtime', message });
    const outcome = run.attempt === 1 && run.slotAt !== null ? 'missed' : 'unknown';
    return { run, context, finding, outcome, retry: null, rules };
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

/** An internal error is an explained gap: neither a failure of the target nor a run that never ends. */
function internalFailure(run: Run, context: CheckContext, options: RunChecksOptions, cause: unknown): EndedAttempt {
  const why = errorMessage(cause);
  const finding: Finding = {
    ...notRun('crashed', options.clock.now()),
    message: `no verdict because of an error in Tocsin: ${why}`,
  };
  const rules = stateRulesOf(context, options.locations(), maintenanceOf(context, options.clock.now()));
  return { run, context, finding, outcome: 'unknown', retry: null, rules };
}

/** Input of a probe. @param ofCall variables of this run only, which override all others */
export function probeInputOf(context: CheckContext, ofCall: readonly EnvironmentVariable[] = []): ProbeInput {
  const { check, group, variables, revision, accountRuntimeId, clientCertificates = [], snippets = [] } = context;
  const merged = mergeVariables(variables, group?.environmentVariables ?? [], check.environmentVariables, ofCall);
  return { check, group, variables: merged, revision, accountRuntimeId, clientCertificates, snippets };
}

const notRunMessages: Partial<Record<Reason, string>> = {
  downtime: 'not run: Tocsin was not running',
  store: 'not run: the database could not be written',
  clock: "not run: this machine's clock was set, or the machine was suspended, while the run waited",
  maintenance: 'not run: a maintenance window pauses the check',
  deactivated: 'not run: the check was deactivated first',
  overlap: 'not run: the previous run of the check was still in progress',
};

function notRun(reason: Reason, now: number): Finding {
  const message = notRunMessages[reason] ?? 'not run: Tocsin was too busy to start it within its interval';
  return bareFinding(now, { verdict: 'unknown', reason, message });
}

/** Runs that this process has leased. Runs of a check at a location are sequential. */
function createRunsInProgress<Attempt>() {
  const all = new Map<string, { readonly run: Run; readonly done: Promise<unknown> }>();
  const countOf = new Map<string, number>();
  const lastOf = new Map<string, Promise<Attempt>>();
  const keyOf = ({ id, attempt }: Run): string => `${id}/${attempt}`;
  const placeOf = ({ checkId, location }: Run): string => `${checkId}@${location}`;
  const ofAccount = (accountId: string): number => countOf.get(accountId) ?? 0;
  return {
    get size() {
      return all.size;
    },
    has: (run: Run) => all.has(keyOf(run)),
    runs: () => [...all.values()].map(({ run }) => run),
    /** Resolves when the current runs have ended. */
    ended: () => Promise.allSettled([...all.values()].map(({ done }) => done)),
    ofAccount,
    /** Accounts with at least that many runs. */
    accountsWith: (count: number) => [...countOf].filter(([, own]) => own >= count).map(([accountId]) => accountId),
    /** The attempt that a run must wait for. */
    before: (run: Run) => lastOf.get(placeOf(run)) ?? null,
    /** @param done resolves when the attempt is recorded */
    add(run: Run, attempted: Promise<Attempt>, done: Promise<unknown>): void {
      const place = placeOf(run);
      const forget = (): void => {
        if (lastOf.get(place) === attempted) lastOf.delete(place);
      };
      lastOf.set(place, attempted);
      void attempted.then(forget, forget);
      all.set(keyOf(run), { run, done });
      countOf.set(run.accountId, ofAccount(run.accountId) + 1);
    },
    remove(run: Run): void {
      if (!all.delete(keyOf(run))) return;
      const count = ofAccount(run.accountId);
      if (count > 1) countOf.set(run.accountId, count - 1);
      else countOf.delete(run.accountId);
    },
  };
}
