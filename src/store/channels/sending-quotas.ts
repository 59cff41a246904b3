// How much accounts have sent in the current hour through services of the operator, and the deliveries that wait for the next.
import { hourOf, quotaEndsAt, quotaReason, type SendingQuota } from '#domain/alerts/sending-quota.ts';
import { idBytes } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';

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

export interface SendingQuotas {
  /** Counts an attempt; false = the limit is reached, and the delivery waits for the next hour without a lease. */
  take(claim: QuotaClaim): Promise<boolean>;
}

/** A counter holds the hour and, in its last six digits, the attempts in it: no row has to be removed. */
const perHour = 1_000_000;

export function createSendingQuotas({ transaction }: Database): SendingQuotas {
  return {
    take: ({ accountId, deliveryId, owner, quota, limit, now }) =>
      transaction(async (tx) => {
        const base = hourOf(now) * perHour;
        const account = idBytes(accountId);
        const counted = await tx
          .insertInto('counters')
          .values({ account_id: account, noun: `sent-${quota}`, last: base + 1 })
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'noun'])
              .doUpdateSet((row) => ({
                last: row
                  .case()
                  .when(row.between('counters.last', base, base + perHour - 1))
                  .then(row('counters.last', '+', 1))
                  .else(base + 1)
                  .end(),
              }))
              // A later hour is one from before the clock was set back.
              .where((row) =>
                row.or([row('counters.last', '<', base + limit), row('counters.last', '>=', base + perHour)]),
              ),
          )
          .returning('last')
          .executeTakeFirst();
        if (counted !== undefined) return true;
        const until = quotaEndsAt(now);
        await tx
          .updateTable('deliveries')
          .set({
            next_attempt_at: until,
            leased_by: null,
            attempt_started_at: null,
            error: quotaReason(quota, limit, until),
          })
          .where('account_id', '=', account)
          .where('id', '=', idBytes(deliveryId))
          .where('leased_by', '=', owner)
          .where('status', '=', deliveryStatusCodes.encode('pending'))
          .execute();
        return false;
      }),
  };
}
