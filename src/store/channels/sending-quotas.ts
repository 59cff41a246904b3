// How much accounts have sent in the current hour through services of the operator, and the deliveries that wait for the next.
import { sql } from 'kysely';
import { hourOf, quotaEndsAt, quotaReason, type SendingQuota } from '#domain/alerts/sending-quota.ts';
import { idBytes } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import { settledColumns } from '../path/deliveries/cancel-reminders.ts';

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
  /**
   * Counts an attempt; false = the limit is reached, and the delivery waits for the next hour without a lease. A
   * reminder that was cancelled meanwhile ends instead.
   */
  take(claim: QuotaClaim): Promise<boolean>;
}

/** A counter holds the hour and, in its last six digits, the attempts in it: no row has to be removed. */
const perHour = 1_000_000;
const pending = deliveryStatusCodes.encode('pending');

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
        const waiting = settledColumns('', String(pending), String(until), `'${quotaReason(quota, limit, until)}'`);
        await sql`UPDATE deliveries SET ${sql.raw(waiting)}, leased_by = NULL, attempt_started_at = NULL
          WHERE account_id = ${account} AND id = ${idBytes(deliveryId)} AND leased_by = ${owner}
            AND status = ${pending}`.execute(tx);
        return false;
      }),
  };
}
