// Triggers, as the API reads and calls them.
import { findRow } from '../base/rows.ts';
import type { TriggerTarget } from '#domain/checks/batch.ts';
import type { Trigger } from '#domain/checks/trigger.ts';
import { idBytes } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { startTrigger, type TriggerOrder, type TriggerStart } from './start-trigger.ts';
import { recordOf, triggerOf } from './trigger-rows.ts';

/** Triggers of check groups and checks, and the runs that a call starts. */
export interface Triggers {
  find(accountId: string, target: TriggerTarget): Promise<Trigger | null>;
  findByToken(token: string): Promise<Trigger | null>;
  /** false = there was none. */
  remove(accountId: string, target: TriggerTarget): Promise<boolean>;
  /** All effects of a call in one transaction: all of its runs start, or none. */
  start(order: TriggerOrder): Promise<TriggerStart>;
}

export function createTriggers(database: Database): Triggers {
  const { reader, seal } = database;
  return {
    async find(accountId, target) {
      const row = await triggerOf(reader, accountId, target);
      return row === undefined ? null : recordOf(row);
    },
    async findByToken(token) {
      const row = await findRow(reader, 'triggers', { token });
      return row === undefined ? null : recordOf(row);
    },
    remove: (accountId, target) =>
      database.transaction(async (tx) => {
        const owned = tx.deleteFrom('triggers').where('account_id', '=', idBytes(accountId));
        const wanted =
          target.checkId === null
            ? owned.where('group_id', '=', target.groupId)
            : owned.where('check_id', '=', idBytes(target.checkId));
        const removed = await wanted.executeTakeFirst();
        return Number(removed.numDeletedRows) > 0;
      }),
    start: (order) => database.waitingTransaction((tx) => startTrigger(tx, order, seal)),
  };
}
