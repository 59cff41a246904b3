// Store interface of the pipeline steps. Each call is one durable write, committed with others.
import type { Delivery, Message, RenderInput } from '#domain/deliveries/delivery.ts';
import type { CheckContext, EndedAttempt, Judge, Recorded } from '#domain/results/recording.ts';
import type { Run, RunClaim } from '#domain/checks/run.ts';
import type {
  ClaimedDeliveries,
  DeliveryClaim,
  RenderedDelivery,
  SettledAttempt,
  SettleRules,
} from '../channels/delivery-rows.ts';
import type { JudgedBatch, JudgeRules } from './heartbeats/judge-heartbeats.ts';
import type { JudgedStates, JudgeStatesRules } from './states/judge-states.ts';
import type { PingAnswer, ReceivedPing } from './heartbeats/receive-pings.ts';
import type { RecordRules } from './record/record-attempts.ts';
import type { ClaimedRuns } from './runs/run-rows.ts';
import type { Scheduled, ScheduleRules } from '../schedules/schedule-due.ts';

type OwnedId = Pick<Run, 'accountId' | 'id'>;
type Lease = Pick<RunClaim, 'owner' | 'now' | 'leaseMs'>;

/** A run and its current check; null if the check was deleted. */
export type ClaimedRun = { readonly run: Run; readonly context: CheckContext | null };

/** Statements of the pipeline. Every method rejects with StoreUnavailableError while the database cannot be written. */
export interface Path {
  scheduleDue(rules: ScheduleRules): Promise<Scheduled>;
  claimRuns(claim: RunClaim): Promise<{ runs: readonly ClaimedRun[]; nextAvailableAt: ClaimedRuns['nextAvailableAt'] }>;
  renewRuns(runs: readonly OwnedId[], lease: Lease): Promise<void>;
  returnRuns(runs: readonly OwnedId[], owner: string): Promise<void>;
  /** The current check of a run; null if it was deleted. */
  contextOf(run: Pick<Run, 'accountId' | 'checkId'>): Promise<CheckContext | null>;
  /**
   * Records the first of these attempts in one transaction: at least one, and no more than create about
   * `deliveriesAtOnce` deliveries. Returns the outcomes of the recorded ones. Each is evaluated with its check as
   * stored in that transaction.
   */
  recordAttempts(
    attempts: readonly EndedAttempt[],
    rules: Omit<RecordRules, 'seal'> & { readonly judge: Judge },
  ): Promise<Recorded[]>;
  /** In the order of the pings; stored ones are durable. */
  receivePings(pings: readonly ReceivedPing[]): Promise<readonly PingAnswer[]>;
  /** Evaluates due heartbeats and records their outcomes in one transaction. */
  judgeHeartbeats(rules: Omit<JudgeRules, 'seal'>): Promise<JudgedBatch>;
  /** Evaluates a slice of the states whose alert was not sent yet, and raises due alerts, in one transaction. */
  judgeStates(rules: Omit<JudgeStatesRules, 'seal'>): Promise<JudgedStates>;
  claimDeliveries(claim: Omit<DeliveryClaim, 'seal' | 'channels' | 'place'>): Promise<ClaimedDeliveries>;
  /**
   * Input for rendering claimed deliveries, including the current user variables; in order, null = nothing is stored.
   */
  readContents(deliveries: readonly OwnedId[]): Promise<readonly (RenderInput | null)[]>;
  /**
   * Stores the content of claimed deliveries before their first attempt; those that could not be rendered fail. Returns
   * the requests in order; null = it failed.
   */
  saveRendered(rendered: readonly RenderedDelivery[], rules: SettleRules): Promise<readonly (Message | null)[]>;
  renewDeliveries(deliveries: readonly OwnedId[], lease: Lease): Promise<void>;
  settleAttempts(settled: readonly SettledAttempt[], rules: SettleRules): Promise<boolean[]>;
  /** Adds a delivery without an alert: a test message or a replay. */
  addDelivery(delivery: Delivery): Promise<void>;
  /**
   * Called at the start of a process: moves future due times back if the clock was set back. If one process owns the
   * database, leases of its predecessor end now; otherwise they expire.
   */
  takeOver(now: number): Promise<void>;
  /**
   * The clock was set by `byMs`: waiting work keeps its distance. The machine was suspended for `slept.ms`, and pings
   * sent meanwhile are lost: timers of heartbeats continued (docs/decisions/0091), except those started later than
   * `slept.after` by the previous time. A server's clock does not stop with this machine.
   */
  moveWithClock(byMs: number, now: number, slept?: { readonly ms: number; readonly after: number }): Promise<void>;
}
