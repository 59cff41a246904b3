// Check statuses (reference §4.7).
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { StatusOfCheck } from '#domain/checks/status-of-check.ts';
import { nextSlot } from '#domain/checks/schedule.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { orNotFound } from '../refusal.ts';

/** A status. The days until certificate expiry are relative to now. */
export interface ShownStatus extends Omit<StatusOfCheck, 'certificateValidTo' | 'slots'> {
  /** Next scheduled run, epoch ms; null = none. */
  readonly nextRunAt: number | null;
  /** Whole days, negative after expiry; null = no certificate was seen. */
  readonly sslDaysRemaining: number | null;
}

export interface CheckStatusDeps extends Pick<Store, 'checkStatuses'> {
  readonly clock: Clock;
}

export type CheckStatusActions = ReturnType<typeof createCheckStatusActions>;

const dayMs = 86_400_000;

/** A chunk and its validity: until a check is scheduled again, or its certificate has a day less. */
interface ShownPiece {
  readonly statuses: readonly ShownStatus[];
  readonly after: number;
  readonly until: number;
}

export function createCheckStatusActions({ checkStatuses, clock }: CheckStatusDeps) {
  const pieces = new WeakMap<readonly StatusOfCheck[], ShownPiece>();
  const shownPiece = (stored: readonly StatusOfCheck[], now: number): readonly ShownStatus[] => {
    const before = pieces.get(stored);
    if (before !== undefined && now > before.after && now <= before.until) return before.statuses;
    const statuses = stored.map((status) => shownStatus(status, now));
    const spans = stored.flatMap(({ certificateValidTo, slots }, index) => {
      const { sslDaysRemaining, nextRunAt } = statuses[index] ?? { sslDaysRemaining: null, nextRunAt: null };
      const dayEndsAt = (certificateValidTo ?? 0) - (sslDaysRemaining ?? 0) * dayMs;
      const slotEndsAt = (nextRunAt ?? 0) - 1;
      return [
        ...(certificateValidTo === null ? [] : [{ after: dayEndsAt - dayMs, until: dayEndsAt }]),
        ...(slots === null ? [] : [{ after: slotEndsAt - slots.intervalMs, until: slotEndsAt }]),
      ];
    });
    const [after, until] = [Math.max(...spans.map((span) => span.after)), Math.min(...spans.map((span) => span.until))];
    pieces.set(stored, { statuses, after, until });
    return statuses;
  };
  return {
    /**
     * All checks of the account, including those without a result, in chunks. A chunk is the same array while its content
     * is unchanged, so that it is serialized to JSON only once.
     */
    async list(caller: Caller): Promise<(readonly ShownStatus[])[]> {
      requirePermission(caller, 'read');
      const stored = await checkStatuses.list(caller.accountId);
      const now = clock.now();
      return stored.map((piece) => shownPiece(piece, now));
    },
    /** Refuses with `not-found`. */
    async find(caller: Caller, checkId: string): Promise<ShownStatus> {
      requirePermission(caller, 'read');
      const status = orNotFound(await checkStatuses.find(caller.accountId, checkId), 'check', checkId);
      return shownStatus(status, clock.now());
    },
  };
}

function shownStatus({ certificateValidTo, slots, ...status }: StatusOfCheck, now: number): ShownStatus {
  return {
    ...status,
    nextRunAt: slots === null ? null : nextSlot(now + 1, slots.intervalMs, slots.phaseMs),
    sslDaysRemaining: certificateValidTo === null ? null : Math.floor((certificateValidTo - now) / dayMs),
  };
}
