// Whether deliveries are held: after a restore, or for a copy started elsewhere (docs/decisions/0119).
import type { DeliveryHold } from '#domain/delivery-hold.ts';
import { json, parsed } from './codec.ts';
import { deliveryStatusCodes } from './codes.ts';
import type { Database } from './database.ts';

/** The hold of an installation. */
export interface HeldDeliveries {
  /** null = deliveries are sent. */
  find(): Promise<DeliveryHold | null>;
  /** One that exists stays. */
  hold(hold: DeliveryHold): Promise<void>;
  release(): Promise<void>;
  /** Deliveries that wait, of all accounts. */
  waiting(): Promise<number>;
  /** Cancels every delivery that waits, then releases; answers how many were cancelled. */
  discard(): Promise<number>;
}

/** The fact that says so, in the table `installation`. */
export const deliveryHoldKey = 'deliveries-held';
const pending = deliveryStatusCodes.encode('pending');
const atOnce = 500;

export function createHeldDeliveries({ reader, transaction }: Database): HeldDeliveries {
  const release = (): Promise<void> =>
    transaction(async (tx) => {
      await tx.deleteFrom('installation').where('key', '=', deliveryHoldKey).execute();
    });
  const accountIds = async () =>
    (await reader.selectFrom('accounts').select('id').orderBy('id').execute()).map(({ id }) => id);
  /** Cancels some of an account; answers how many. */
  const cancelSome = (account: Uint8Array): Promise<number> =>
    transaction(async (tx) => {
      const rows = await tx
        .selectFrom('deliveries')
        .select('id')
        .where('account_id', '=', account)
        .where('status', '=', pending)
        .limit(atOnce)
        .execute();
      if (rows.length === 0) return 0;
      const ended = { status: deliveryStatusCodes.encode('cancelled'), next_attempt_at: null, leased_by: null };
      await tx
        .updateTable('deliveries')
        .set({ ...ended, attempt_started_at: null })
        .where('account_id', '=', account)
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .execute();
      return rows.length;
    });
  return {
    async find() {
      const row = await reader
        .selectFrom('installation')
        .select('value')
        .where('key', '=', deliveryHoldKey)
        .executeTakeFirst();
      return row === undefined ? null : parsed<DeliveryHold>(row.value);
    },
    hold: (hold) =>
      transaction(async (tx) => {
        await tx
          .insertInto('installation')
          .values({ key: deliveryHoldKey, value: json(hold) })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),
    release,
    async waiting() {
      let waiting = 0;
      for (const account of await accountIds()) {
        const { count } = await reader
          .selectFrom('deliveries')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('account_id', '=', account)
          .where('status', '=', pending)
          .executeTakeFirstOrThrow();
        waiting += count;
      }
      return waiting;
    },
    async discard() {
      let discarded = 0;
      for (const account of await accountIds()) {
        for (;;) {
          const some = await cancelSome(account);
          discarded += some;
          if (some < atOnce) break;
        }
      }
      await release();
      return discarded;
    },
  };
}
