// Which notices about Tocsin itself the operator's channel has received.
import type { Delivery } from '#domain/deliveries/delivery.ts';
import type { SentNotice } from '#domain/alerts/notice-channel.ts';
import type { Database } from '../base/database.ts';
import { readFact, replaceFact } from '../base/installation-fact.ts';
import { insertDeliveries } from './failing-channels.ts';

const key = 'notices-sent';

export function createNoticeChannel({ reader, transaction }: Database) {
  return {
    /** null = nothing was ever sent. */
    sent: (): Promise<readonly SentNotice[] | null> => readFact<readonly SentNotice[]>(reader, key),
    /** Adds the deliveries; false = the notices are no longer `before`. */
    send: (
      before: readonly SentNotice[] | null,
      after: readonly SentNotice[],
      deliveries: readonly Delivery[],
    ): Promise<boolean> =>
      transaction(async (tx) => {
        if (!(await replaceFact(tx, key, before, after))) return false;
        await insertDeliveries(tx, deliveries);
        return true;
      }),
  };
}
