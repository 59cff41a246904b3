// What the steps of the path ask of the store. Each call is one durable piece of work, committed with others.
import type { Delivery, Message } from '#domain/alerts/delivery.ts';
import type { CheckContext, EndedAttempt, Judge, Recorded } from '#domain/results/recording.ts';
import type { TemplateVariables } from '#domain/alerts/template-variables.ts';
import type { Run } from '#domain/checks/run.ts';
import type {
  ClaimedDeliveries,
  DeliveryClaim,
  RenderedDelivery,
  SettledAttempt,
  SettleRules,
} from './deliveries/delivery-rows.ts';
import type { JudgedTurn, JudgeRules } from './heartbeats/judge-heartbeats.ts';
import type { JudgedStates, JudgeStatesRules } from './states/judge-states.ts';
import type { PingAnswer, ReceivedPing } from './heartbeats/receive-pings.ts';
import type { RecordRules } from './record/record-attempts.ts';
import type { ClaimedRuns, RunClaim } from './runs/run-rows.ts';
import type { Scheduled, ScheduleRules } from './schedule/schedule-due.ts';

type OwnedId = Pick<Run, 'accountId' | 'id'>;
type Lease = Pick<RunClaim, 'owner' | 'now' | 'leaseMs'>;

/** A run and its check as it stands; null when the check is gone. */
export type ClaimedRun = { readonly run: Run; readonly context: CheckContext | null };

/** The path's statements. Every method rejects with StoreUnavailableError while the database cannot be written. */
export interface Path {
  scheduleDue(rules: ScheduleRules): Promise<Scheduled>;
  claimRuns(claim: RunClaim): Promise<{ runs: readonly ClaimedRun[]; nextAvailableAt: ClaimedRuns['nextAvailableAt'] }>;
  renewRuns(runs: readonly OwnedId[], lease: Lease): Promise<void>;
  returnRuns(runs: readonly OwnedId[], owner: string): Promise<void>;
  /** The check of a run as it stands; null when it is gone. */
  contextOf(run: Pick<Run, 'accountId' | 'checkId'>): Promise<CheckContext | null>;
  /**
   * Records the first of these attempts in one transaction: at least one, and no more than make about `deliveriesAtOnce`
   * deliveries. Answers for those alone. Each is judged by its check as stored in that transaction.
   */
  recordAttempts(
    attempts: readonly EndedAttempt[],
    rules: Omit<RecordRules, 'seal'> & { readonly judge: Judge },
  ): Promise<Recorded[]>;
  /** In the order of the pings; those that are kept are durable. */
  receivePings(pings: readonly ReceivedPing[]): Promise<readonly PingAnswer[]>;
  /** Judges heartbeats whose time has come, in one transaction with what they came to. */
  judgeHeartbeats(rules: Omit<JudgeRules, 'seal'>): Promise<JudgedTurn>;
  /** Judges a slice of the states that are not told as they stand, and opens what is due, in one transaction. */
  judgeStates(rules: Omit<JudgeStatesRules, 'seal'>): Promise<JudgedStates>;
  claimDeliveries(claim: Omit<DeliveryClaim, 'seal' | 'channels' | 'place'>): Promise<ClaimedDeliveries>;
  /**
   * What claimed deliveries are rendered from, the user's variables as they stand included; in their order, null = nothing is
   * stored.
   */
  readContents(deliveries: readonly OwnedId[]): Promise<readonly (TemplateVariables | null)[]>;
  /**
   * Stores what claimed deliveries send, before their first attempt; those that could not be rendered end as failed. Answers
   * with the requests to send, in order; null = it ended.
   */
  saveRendered(rendered: readonly RenderedDelivery[], owner: string): Promise<readonly (Message | null)[]>;
  renewDeliveries(deliveries: readonly OwnedId[], lease: Lease): Promise<void>;
  settleAttempts(settled: readonly SettledAttempt[], rules: SettleRules): Promise<boolean[]>;
  /** A delivery that no alert caused: a test message, a replay. */
  addDelivery(delivery: Delivery): Promise<void>;
  /**
   * What a process does at its start: what waits for a time that the clock was set back from comes back. Where one process
   * owns the database, leases left by the one before it end now; elsewhere they run out by themselves.
   */
  takeOver(now: number): Promise<void>;
  /**
   * The clock was set by `byMs`: what waits keeps its distance. Meanwhile the machine slept for `slept.ms`, and pings that were
   * sent then are lost: timers of heartbeats went on (docs/decisions/0091), but for those that began later than `slept.after`
   * by the clock as it was. A server that keeps the time does not sleep with it.
   */
  moveWithClock(byMs: number, now: number, slept?: { readonly ms: number; readonly after: number }): Promise<void>;
}
