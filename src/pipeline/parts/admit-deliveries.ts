// Applies the limits of accounts on what they send through services of the operator.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { DueDelivery } from '#domain/alerts/delivery.ts';
import type { SendingLimits, SendingQuota } from '#domain/alerts/sending-quota.ts';
import type { Clock } from '#lib/clock.ts';

/** What this is joined with. */
export interface AdmitOptions {
  /** null = channels of this type have no limit. */
  readonly quotaOf: (type: string) => SendingQuota | null;
  readonly limits: SendingLimits;
  readonly take: (claim: {
    readonly accountId: string;
    readonly deliveryId: string;
    readonly owner: string;
    readonly quota: SendingQuota;
    readonly limit: number;
    readonly now: number;
  }) => Promise<boolean>;
  readonly clock: Clock;
  readonly owner: string;
}

/** Creates the `admit` of `SendDeliveriesOptions`. */
export function createAdmitDeliveries({ quotaOf, limits, take, clock, owner }: AdmitOptions) {
  return (delivery: Pick<DueDelivery, 'accountId' | 'id'>, { type }: AlertChannel): Promise<boolean> | null => {
    const quota = quotaOf(type);
    const limit = quota === null ? 0 : limits[quota];
    if (quota === null || limit === 0) return null;
    return take({ accountId: delivery.accountId, deliveryId: delivery.id, owner, quota, limit, now: clock.now() });
  };
}
