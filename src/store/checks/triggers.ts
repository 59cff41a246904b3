// Triggers, as the API reads and calls them.
import { deleteRows, findRow } from '../base/rows.ts';
import type { TriggerTarget } from '#domain/checks/batch.ts';
import type { Trigger } from '#domain/checks/trigger.ts';
import { idBytes } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { startTrigger, type TriggerOrder } from './start-trigger.ts';
import { recordOf, triggerOf } from './trigger-rows.ts';

/** Triggers of check groups and checks, and the runs that a call starts. */
export function createTriggers(database: Database) {
  const { reader, seal } = database;
  return {
    async find(accountId: string, target: TriggerTarget): Promise<Trigger | null> {
      const row = await triggerOf(reader, accountId, target);
      return row === undefined ? null : recordOf(row);
    },
    async findByToken(token: string): Promise<Trigger | null> {
      const row = await findRow(reader, 'triggers', { token });
      return row === undefined ? null : recordOf(row);
    },
    /** false = there was none. */
    remove: (accountId: string, target: TriggerTarget): Promise<boolean> =>
      database.transaction(async (tx) => {
        const { checkId, groupId } = target;
        const wanted = checkId === null ? { group_id: groupId } : { check_id: idBytes(checkId) };
        return (await deleteRows(tx, 'triggers', { account_id: idBytes(accountId), ...wanted })) > 0;
      }),
    /** All effects of a call in one transaction: all of its runs start, or none. */
    start: (order: TriggerOrder) => database.waitingTransaction((tx) => startTrigger(tx, order, seal)),
  };
}
