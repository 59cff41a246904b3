// How much an account may send through services that the operator pays or answers for.

/** What is limited; channels of several types may share one. */
export type SendingQuota = 'telephone' | 'email' | 'status';

/** Attempts allowed per account and clock hour; 0 = unlimited. */
export type SendingLimits = Readonly<Record<SendingQuota, number>>;

const hourMs = 3_600_000;

/** Number of the clock hour of an instant (epoch ms). */
export function hourOf(now: number): number {
  return Math.floor(now / hourMs);
}

/** When a delivery that exceeds a quota may be sent, epoch ms: new failures at the start of the next hour. */
export function quotaEndsAt(now: number, isNews = true): number {
  return (hourOf(now) + 1) * hourMs + (isNews ? 0 : othersAfterMs);
}

const othersAfterMs = 10_000;

/** How much of a limit recoveries, reminders and reports may use: the rest is for new failures, which subscribers of status pages never get. */
export function limitOfOthers(limit: number, quota: SendingQuota): number {
  return quota === 'status' ? limit : limit - Math.floor(limit / 4);
}

/** Maximum time that a delivery waits for a quota, ms. */
export const maxQuotaWaitMs = 24 * hourMs;

/** An attempt that is about to be made. */
export interface QuotaClaim {
  readonly accountId: string;
  /** A delivery leased by `owner`. */
  readonly deliveryId: string;
  readonly owner: string;
  readonly quota: SendingQuota;
  /** Attempts per hour, at least 1. */
  readonly limit: number;
  /** Epoch ms. */
  readonly now: number;
}

/** Whether an attempt may be made: `expired` = its delivery has waited too long and has ended. */
export type QuotaAnswer = 'admitted' | 'waits' | 'expired';

const words: Readonly<Record<SendingQuota, string>> = {
  telephone: 'SMS messages and calls',
  email: 'emails',
  status: 'emails to subscribers of status pages',
};

/** How the reason of every delivery begins that waits. */
export const quotaReasonStart = 'the account has reached its limit of';

/** Why a delivery waits. */
export function quotaReason(quota: SendingQuota, limit: number, until: number): string {
  return `${quotaReasonStart} ${limit} ${words[quota]} per hour; continues at ${new Date(until).toISOString()}`;
}

/** Why a delivery that waited too long has ended. */
export function quotaExpiredReason(quota: SendingQuota, limit: number): string {
  const hours = maxQuotaWaitMs / hourMs;
  return `not sent within ${hours} hours: the account kept reaching its limit of ${limit} ${words[quota]} per hour`;
}
