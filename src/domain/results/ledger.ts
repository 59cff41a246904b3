// The ledger of an account: whether every run, alert and delivery of a period is accounted for (docs/decisions/0149).
// The left sides are counters that are written when something is due or added; the right sides are what became of it.
import { type DeliveryStatus, deliveryStatuses } from '../deliveries/delivery.ts';
import { type Outcome, outcomes } from './result.ts';

export type OutcomeCounts = Readonly<Record<Outcome, number>>;
export type StatusCounts = Readonly<Record<DeliveryStatus, number>>;

export const noOutcomes = zerosOf(outcomes);
export const noStatuses = zerosOf(deliveryStatuses);

/** Counters of runs, and runs without an outcome. */
export interface RunCounts {
  /** Slots that the scheduler planned, and pings of heartbeats that were judged. */
  readonly scheduled: number;
  /** Runs that were triggered, or started by saving a check. */
  readonly onDemand: number;
  readonly outcomes: OutcomeCounts;
  readonly running: number;
  readonly waiting: number;
}

/** Counters of alerts, and the stored alerts. */
export interface AlertCounts {
  /** Alerts that were added, those that are no longer stored included. */
  readonly raised: number;
  /** Alerts that were not raised because of a mute or maintenance. */
  readonly muted: number;
  /** Of those raised, older than the retention. */
  readonly expired: number;
  readonly notified: number;
  readonly suppressed: number;
  /** No channel was notified. */
  readonly unsubscribed: number;
}

/** Counters of deliveries, and the stored deliveries. */
export interface DeliveryCounts {
  readonly added: number;
  /** Of those, older than the retention. */
  readonly expired: number;
  readonly statuses: StatusCounts;
}

/** What an account, or all of them, did in a period. */
export interface LedgerCounts {
  readonly runs: RunCounts;
  readonly alerts: AlertCounts;
  readonly deliveries: DeliveryCounts;
}

/** How much each left side exceeds its right side; 0 = it adds up. */
export interface LedgerDifferences {
  readonly runs: number;
  readonly alerts: number;
  readonly deliveries: number;
}

export const noLedger: LedgerCounts = {
  runs: { scheduled: 0, onDemand: 0, outcomes: noOutcomes, running: 0, waiting: 0 },
  alerts: { raised: 0, muted: 0, expired: 0, notified: 0, suppressed: 0, unsubscribed: 0 },
  deliveries: { added: 0, expired: 0, statuses: noStatuses },
};

export function differencesOf({ runs, alerts, deliveries }: LedgerCounts): LedgerDifferences {
  const { notified, suppressed, unsubscribed } = alerts;
  return {
    runs: runs.scheduled + runs.onDemand - sumOf(runs.outcomes) - runs.running - runs.waiting,
    alerts: alerts.raised - alerts.expired - notified - suppressed - unsubscribed,
    deliveries: deliveries.added - deliveries.expired - sumOf(deliveries.statuses),
  };
}

/** Whether every sum adds up. */
export function isBalanced({ runs, alerts, deliveries }: LedgerDifferences): boolean {
  return runs === 0 && alerts === 0 && deliveries === 0;
}

export function addLedgers(one: LedgerCounts, other: LedgerCounts): LedgerCounts {
  const { outcomes: ended, ...runs } = one.runs;
  const { outcomes: otherEnded, ...otherRuns } = other.runs;
  const { statuses, ...deliveries } = one.deliveries;
  const { statuses: otherStatuses, ...otherDeliveries } = other.deliveries;
  return {
    runs: { ...added(runs, otherRuns), outcomes: added(ended, otherEnded) },
    alerts: added(one.alerts, other.alerts),
    deliveries: { ...added(deliveries, otherDeliveries), statuses: added(statuses, otherStatuses) },
  };
}

/**
 * A counter at the time when its rows were found one by one, as exactly as it is known: rows are added meanwhile.
 * @param before read before the rows, and `after` read afterwards
 */
export function countedMeanwhile(before: number, found: number, after: number): number {
  return Math.min(Math.max(found, before), after);
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function added<Key extends string>(
  one: Readonly<Record<Key, number>>,
  other: Readonly<Record<Key, number>>,
): Record<Key, number> {
  const keys = Object.keys(one) as Key[];
  return Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as Record<Key, number>;
}

function zerosOf<Key extends string>(keys: readonly Key[]): Readonly<Record<Key, number>> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
}
