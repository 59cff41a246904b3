// Actions on the pings of a heartbeat (reference §4.9).
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { availabilityOf, successRatioOf, unknownRatioOf } from '#domain/results/analytics.ts';
import type { PingEvent } from '#domain/checks/heartbeat.ts';
import { emptyRollUp, hourOf, type RollUp } from '#domain/results/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { type HistoryReader, sumByCheck } from '../results/analytics.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, orNotFound } from '../refusal.ts';

/** Results of a period and the one before. Ratios in percent; null if there are none. */
export interface SpanStats {
  readonly current: number | null;
  readonly previous: number | null;
  readonly total: number;
}

/** Percent; null if nothing is known. */
export interface SpanAvailability {
  readonly availability: number | null;
  readonly unknownRatio: number | null;
}

export interface HeartbeatDeps extends Pick<Store, 'pings' | 'checkResults'> {
  readonly checkHistory: HistoryReader;
  readonly clock: Clock;
}

/** All actions refuse (`not-found`) a check that is not a heartbeat of the account. */
export type HeartbeatActions = ReturnType<typeof createHeartbeatActions>;

const dayMs = 86_400_000;

export function createHeartbeatActions({ pings, checkResults, checkHistory, clock }: HeartbeatDeps) {
  const requireHeartbeat = async (caller: Caller, checkId: string): Promise<void> => {
    requirePermission(caller, 'read');
    const subject = await checkResults.subject(caller.accountId, checkId);
    if (subject?.checkType !== 'HEARTBEAT') throw notFound('heartbeat check', checkId);
  };
  /** The previous period and the current one. */
  const sums = async ({ accountId }: Caller, checkId: string, days: number): Promise<[RollUp, RollUp]> => {
    const to = clock.now();
    const middle = hourOf(to - days * dayMs);
    const spans = [
      { from: middle - days * dayMs, to: middle },
      { from: middle, to },
    ];
    const found = (await sumByCheck(checkHistory, accountId, [{ checkId }], spans))(checkId);
    return [found[0] ?? emptyRollUp(), found[1] ?? emptyRollUp()];
  };
  const statsOf = async (caller: Caller, checkId: string, days: number): Promise<SpanStats> => {
    const [previous, current] = await sums(caller, checkId, days);
    const { passed, degraded, failed } = current;
    return {
      current: successRatioOf(current),
      previous: successRatioOf(previous),
      total: passed + degraded + failed,
    };
  };
  return {
    /** Newest first, with the availability of the last day and week. */
    async events(caller: Caller, checkId: string, limit: number) {
      await requireHeartbeat(caller, checkId);
      const events = await pings.list(caller.accountId, checkId, limit);
      return { events, day: await statsOf(caller, checkId, 1), week: await statsOf(caller, checkId, 7) };
    },
    async event(caller: Caller, checkId: string, id: string): Promise<PingEvent> {
      await requireHeartbeat(caller, checkId);
      return orNotFound(await pings.find(caller.accountId, checkId, id), 'ping', id);
    },
    /** Results of the last days. */
    async availability(caller: Caller, checkId: string, days: readonly number[]): Promise<SpanAvailability[]> {
      await requireHeartbeat(caller, checkId);
      const found: SpanAvailability[] = [];
      for (const each of days) {
        const [, current] = await sums(caller, checkId, each);
        found.push({ availability: availabilityOf(current), unknownRatio: unknownRatioOf(current) });
      }
      return found;
    },
  };
}
