// Whether deliveries are held: after a restore, or for a copy started elsewhere (docs/decisions/0119).
import { countRows, deleteRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import { readFact } from '../base/installation-fact.ts';
import type { DeliveryHold } from '#domain/deliveries/delivery.ts';
import { type IdBytes, json } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { cancelledColumns } from './delivery-rows.ts';

/** The fact about the hold in the table `installation`. */
export const deliveryHoldKey = 'deliveries-held';
const pending = deliveryStatusCodes.encode('pending');
const atOnce = 500;

/** The hold of an installation. */
export function createHeldDeliveries({ reader, transaction }: Database) {
  const release = (): Promise<void> =>
    transaction(async (tx) => {
      await deleteRows(tx, 'installation', { key: deliveryHoldKey });
    });
  return {
    /** null = deliveries are sent. */
    find: () => readFact<DeliveryHold>(reader, deliveryHoldKey),
    /** An existing hold is kept. */
    hold: (hold: DeliveryHold): Promise<void> =>
      transaction(async (tx) => {
        await insertRows(tx, 'installation', { key: deliveryHoldKey, value: json(hold) }, 'keep');
      }),
    release,
    /** Number of waiting deliveries of all accounts. */
    async waiting(): Promise<number> {
      let waiting = 0;
      for (const account of await accountIds(reader)) {
        waiting += await countRows(reader, 'deliveries', { account_id: account, status: pending });
      }
      return waiting;
    },
    /** Cancels all waiting deliveries, then releases the hold; returns the number of cancelled ones. */
    async discard(): Promise<number> {
      let discarded = 0;
      for (const account of await accountIds(reader)) {
        for (let some = atOnce; some === atOnce; discarded += some) {
          some = await transaction((tx) => cancelSome(tx, account));
        }
      }
      await release();
      return discarded;
    },
  };
}

async function accountIds(reader: Db): Promise<IdBytes[]> {
  const rows = await reader.selectFrom('accounts').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Cancels a batch of an account's deliveries; returns their number. */
async function cancelSome(tx: Db, account: IdBytes): Promise<number> {
  const rows = await selectRows(tx, 'deliveries', { account_id: account, status: pending })
    .select('id')
    .limit(atOnce)
    .execute();
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await updateRows(tx, 'deliveries', { account_id: account, id: ids }, cancelledColumns);
  return rows.length;
}
