// The alerts that were raised, whether or not a channel was notified (reference §4.7: check-alert).
import type { Page, Slice } from '#store/base/database.ts';
import type { StoredAlert } from '#store/history/check-alerts.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound } from '../refusal.ts';

export type { StoredAlert };

/** A time range, epoch ms, inclusive. Default: from six hours before `to`, to now. */
export interface AlertSpan {
  readonly from?: number;
  readonly to?: number;
}

export interface CheckAlertDeps extends Pick<Store, 'checkAlerts' | 'checkResults'> {
  readonly clock: Clock;
}

export type CheckAlertActions = ReturnType<typeof createCheckAlertActions>;

const spanMs = 6 * 3_600_000;

export function createCheckAlertActions({ checkAlerts, checkResults, clock }: CheckAlertDeps) {
  return {
    /** Newest first; of all checks if `checkId` is null. Refuses (`not-found`) an unknown check. */
    async list(caller: Caller, checkId: string | null, span: AlertSpan, page: Slice): Promise<Page<StoredAlert>> {
      requirePermission(caller, 'read');
      if (checkId !== null && (await checkResults.subject(caller.accountId, checkId)) === null) {
        throw notFound('check', checkId);
      }
      const to = span.to ?? clock.now();
      const from = span.from ?? to - spanMs;
      if (from > to) throw invalidField('from', 'must not be after to');
      return checkAlerts.list(caller.accountId, { from, to, checkId }, page);
    },
  };
}
