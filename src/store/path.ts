// What the four steps of the path ask of the store. Each call is one durable piece of work, committed with others.
import type { AlertChannel } from '#domain/alert-channel.ts';
import type { Delivery } from '#domain/delivery.ts';
import type { CheckContext, EndedAttempt, Recorded } from '#domain/recording.ts';
import type { Run } from '#domain/run.ts';
import type { RecordRules } from './record-attempts.ts';
import type { ClaimedRuns, RunClaim } from './run-rows.ts';
import type { Scheduled, ScheduleRules } from './schedule-due.ts';
import type { Seal } from './seal.ts';
import { bringDeliveriesBack, bringSchedulesBack, bringStatesBack, moveWithClock } from './sqlite/clock-jump.ts';
import { type Contexts, createContexts } from './sqlite/contexts.ts';
import {
  claimDeliveries,
  type ClaimedDeliveries,
  type DeliveryClaim,
  endDeliveryLeases,
  renewDeliveries,
  type SettledAttempt,
  settleAttempts,
  type SettleRules,
  walkStart,
} from './sqlite/deliveries.ts';
import { insertDeliveryRow } from './sqlite/delivery-rows.ts';
import type { Connection } from './sqlite/connection.ts';
import type { SqliteFile } from './sqlite/file.ts';
import { recordAttempts } from './sqlite/results.ts';
import { claimRuns, endLeases, renewRuns, returnRuns } from './sqlite/runs.ts';
import { scheduleDue } from './sqlite/schedules.ts';

type OwnedId = Pick<Run, 'accountId' | 'id'>;
type Lease = Pick<RunClaim, 'owner' | 'now' | 'leaseMs'>;

/** A run and its check as it stands; null when the check is gone. */
export type ClaimedRun = { readonly run: Run; readonly context: CheckContext | null };

/** The path's statements. Every method rejects with StoreUnavailableError while the disk cannot be written. */
export interface Path {
  scheduleDue(rules: ScheduleRules): Promise<Scheduled>;
  claimRuns(claim: RunClaim): Promise<{ runs: readonly ClaimedRun[]; nextAvailableAt: ClaimedRuns['nextAvailableAt'] }>;
  renewRuns(runs: readonly OwnedId[], lease: Lease): Promise<void>;
  returnRuns(runs: readonly OwnedId[], owner: string): Promise<void>;
  recordAttempts(attempts: readonly EndedAttempt[], rules: Omit<RecordRules, 'seal'>): Promise<Recorded[]>;
  claimDeliveries(claim: Omit<DeliveryClaim, 'seal' | 'channels' | 'place'>): Promise<ClaimedDeliveries>;
  renewDeliveries(deliveries: readonly OwnedId[], lease: Lease): Promise<void>;
  settleAttempts(settled: readonly SettledAttempt[], rules: Omit<SettleRules, 'seal'>): Promise<boolean[]>;
  /** A delivery that no alert caused: a test message, a replay. */
  addDelivery(delivery: Delivery): Promise<void>;
  /**
   * What a process does at its start: what waits for a time that the clock was set back from comes back. Where one process
   * owns the database, leases left by the one before it end now; elsewhere they run out by themselves.
   */
  takeOver(now: number): Promise<void>;
  /** The clock was set by `byMs`: what waits keeps its distance. */
  moveWithClock(byMs: number, now: number): Promise<void>;
}

export function createPath(file: SqliteFile, seal: Seal): Path {
  const contexts = createContexts(seal);
  const channels = new Map<string, AlertChannel>();
  const place = walkStart();
  const group = <Answer>(work: (connection: Connection) => Answer): Promise<Answer> => file.queue.group(work);
  // What is claimed is late already: it does not wait for others to share its commit.
  const groupNow = <Answer>(work: (connection: Connection) => Answer): Promise<Answer> => file.queue.groupNow(work);
  return {
    scheduleDue: (rules) => group((connection) => scheduleDue(connection, rules)),
    claimRuns: (claim) => groupNow((connection) => claimWithContexts(connection, claim, contexts)),
    renewRuns: (runs, lease) => group((connection) => renewRuns(connection, runs, lease)),
    returnRuns: (runs, owner) => group((connection) => returnRuns(connection, runs, owner)),
    recordAttempts: (attempts, rules) =>
      group((connection) => recordAttempts(connection, attempts, { ...rules, seal })),
    claimDeliveries: (claim) =>
      groupNow((connection) => claimDeliveries(connection, { ...claim, seal, channels, place })),
    renewDeliveries: (deliveries, lease) => group((connection) => renewDeliveries(connection, deliveries, lease)),
    settleAttempts: (settled, rules) => group((connection) => settleAttempts(connection, settled, { ...rules, seal })),
    addDelivery: (delivery) => group((connection) => insertDeliveryRow(connection, delivery)),
    takeOver: (now) =>
      group((connection) => {
        endLeases(connection, now);
        endDeliveryLeases(connection, now);
        bringSchedulesBack(connection, now);
        bringStatesBack(connection, now);
        bringDeliveriesBack(connection, now);
      }),
    moveWithClock: (byMs, now) => group((connection) => moveWithClock(connection, byMs, now)),
  };
}

function claimWithContexts(connection: Connection, claim: RunClaim, contexts: Contexts) {
  const { runs, nextAvailableAt } = claimRuns(connection, claim);
  contexts.begin();
  return {
    runs: runs.map((run) => ({ run, context: contexts.read(connection, run.accountId, run.checkId) })),
    nextAvailableAt,
  };
}
