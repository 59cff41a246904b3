// Decides whether deliveries are sent now: active hours of channels, and limits of accounts on services of the operator.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { activeFrom, type HoursClaim } from '#domain/alerts/active-hours.ts';
import type { DueDelivery } from '#domain/deliveries/delivery.ts';
import {
  type QuotaAnswer,
  type QuotaClaim,
  quotaExpiredReason,
  type SendingLimits,
  type SendingQuota,
} from '#domain/deliveries/sending-quota.ts';
import type { Clock } from '#lib/clock.ts';

export interface AdmitOptions {
  /** null = channels of this type have no limit. */
  readonly quotaOf: (type: string) => SendingQuota | null;
  readonly limits: SendingLimits;
  readonly take: (claim: QuotaClaim) => Promise<QuotaAnswer>;
  /** Called when a delivery has ended because it waited too long. */
  readonly onExpired: (delivery: Admitted, reason: string) => void;
  readonly clock: Clock;
  readonly owner: string;
}

type Admitted = Pick<DueDelivery, 'accountId' | 'id' | 'alertChannelId' | 'checkId'>;

export interface ActiveHoursOptions extends Pick<HoursClaim, 'isSuperseded' | 'isDigested'> {
  readonly admit: (claim: HoursClaim) => Promise<boolean>;
  readonly clock: Clock;
  readonly owner: string;
}

/** Creates the `admitFirst` of `SendDeliveriesOptions`. */
export function createActiveHours({ admit, isSuperseded, isDigested, clock, owner }: ActiveHoursOptions) {
  return (
    { accountId, id, checkId }: Pick<DueDelivery, 'accountId' | 'id' | 'checkId'>,
    { activeHours }: AlertChannel,
  ) => {
    if (activeHours === null) return null;
    const now = clock.now();
    const from = activeFrom(activeHours, now);
    const { otherChannelId } = activeHours;
    // Only with another channel does it matter where the opening alert went. A digest that waited is updated.
    if (from === now && otherChannelId === null && checkId !== null) return null;
    return admit({ accountId, deliveryId: id, owner, activeFrom: from, otherChannelId, isSuperseded, isDigested, now });
  };
}

/** Creates the `admit` of `SendDeliveriesOptions`. */
export function createAdmitDeliveries({ quotaOf, limits, take, onExpired, clock, owner }: AdmitOptions) {
  return (delivery: Admitted, { type }: Pick<AlertChannel, 'type'>): Promise<boolean> | null => {
    const quota = quotaOf(type);
    const limit = quota === null ? 0 : limits[quota];
    if (quota === null || limit === 0) return null;
    const { accountId, id: deliveryId } = delivery;
    return take({ accountId, deliveryId, owner, quota, limit, now: clock.now() }).then((answer) => {
      if (answer === 'expired') onExpired(delivery, quotaExpiredReason(quota, limit));
      return answer === 'admitted';
    });
  };
}
