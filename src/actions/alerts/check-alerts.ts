// The alerts that were raised, whether or not a channel was told (reference §4.7: check-alert).
import type { Alert } from '#domain/alerts/alert.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound } from '../refusal.ts';

/** As the store keeps it. Instants are epoch ms, times in ms. */
export interface StoredAlert extends Alert {
  readonly checkName: string;
  readonly checkType: string;
  readonly location: string;
  readonly responseTimeMs: number | null;
  readonly error: string | null;
  readonly statusCode: number | null;
  readonly startedAt: number;
}

/** A span of time, epoch ms, both ends included; absent: to now, from six hours before. */
export interface AlertSpan {
  readonly from?: number;
  readonly to?: number;
}

type Page = { readonly limit: number; readonly offset: number };

/** What these actions need. */
export interface CheckAlertMeans {
  readonly checkAlerts: {
    list(
      accountId: string,
      filter: { from: number; to: number; checkId: string | null },
      page: Page,
    ): Promise<{ rows: StoredAlert[]; total: number }>;
  };
  readonly checkResults: { subject(accountId: string, checkId: string): Promise<object | null> };
  readonly clock: Clock;
}

export interface CheckAlertActions {
  /** Newest first; of all checks when `checkId` is null. Refuses with `not-found` a check that is not there. */
  list(
    caller: Caller,
    checkId: string | null,
    span: AlertSpan,
    page: Page,
  ): Promise<{ rows: StoredAlert[]; total: number }>;
}

const spanMs = 6 * 3_600_000;

export function createCheckAlertActions({ checkAlerts, checkResults, clock }: CheckAlertMeans): CheckAlertActions {
  return {
    async list(caller, checkId, span, page) {
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
