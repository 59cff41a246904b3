// Where each check stands, and the alerts that came of it (reference §4.7).
import type { Caller } from '#domain/api-key.ts';
import type { CheckStatus } from '#domain/check-state.ts';
import type { Outcome } from '#domain/result.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from './permission.ts';
import { notFound } from './refusal.ts';

/** As the store keeps it. Instants are epoch ms, times in ms. */
export interface StatusOfCheck {
  readonly checkId: string;
  readonly name: string;
  readonly status: CheckStatus | null;
  readonly lastOutcome: Outcome | null;
  readonly lastLocation: string | null;
  readonly lastResultId: string | null;
  readonly longestMs: number | null;
  readonly shortestMs: number | null;
  readonly certificateValidTo: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** What is shown: the certificate's days are counted from now. */
export interface ShownStatus extends Omit<StatusOfCheck, 'certificateValidTo'> {
  /** Whole days, negative once it has expired; null = the check saw none. */
  readonly sslDaysRemaining: number | null;
}

/** What these actions need. */
export interface CheckStatusMeans {
  readonly checkStatuses: {
    list(accountId: string): Promise<StatusOfCheck[]>;
    find(accountId: string, checkId: string): Promise<StatusOfCheck | null>;
  };
  readonly clock: Clock;
}

export interface CheckStatusActions {
  /**
   * Of every check of the account, those without a result too. What is shown of a check is the same object as long as
   * it is the same, so that it is written to JSON once.
   */
  list(caller: Caller): Promise<ShownStatus[]>;
  /** Refuses with `not-found`. */
  find(caller: Caller, checkId: string): Promise<ShownStatus>;
}

const dayMs = 86_400_000;

export function createCheckStatusActions({ checkStatuses, clock }: CheckStatusMeans): CheckStatusActions {
  const shown = new WeakMap<StatusOfCheck, ShownStatus>();
  const shownStatus = (stored: StatusOfCheck): ShownStatus => {
    const { certificateValidTo } = stored;
    const sslDaysRemaining =
      certificateValidTo === null ? null : Math.floor((certificateValidTo - clock.now()) / dayMs);
    const before = shown.get(stored);
    if (before?.sslDaysRemaining === sslDaysRemaining) return before;
    const { certificateValidTo: _, ...status } = stored;
    const now = { ...status, sslDaysRemaining };
    shown.set(stored, now);
    return now;
  };
  return {
    async list(caller) {
      requirePermission(caller, 'read');
      return (await checkStatuses.list(caller.accountId)).map(shownStatus);
    },
    async find(caller, checkId) {
      requirePermission(caller, 'read');
      const status = await checkStatuses.find(caller.accountId, checkId);
      if (status === null) throw notFound('check', checkId);
      return shownStatus(status);
    },
  };
}
