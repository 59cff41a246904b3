// Rows of triggers: read, created by the first call, updated by every call.
import { recordMapping } from '../base/records.ts';
import { insertRows, selectRows, updateRows } from '../base/rows.ts';
import type { TriggerTarget } from '#domain/checks/batch.ts';
import type { Trigger } from '#domain/checks/trigger.ts';
import { idBytes } from '../base/codec.ts';
import { nextNumber } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';

const { rowOf, recordOf } = recordMapping<Trigger, 'triggers'>({
  accountId: 'id',
  id: 'plain',
  token: 'plain',
  groupId: 'plain',
  checkId: 'id',
  createdAt: 'plain',
  calledAt: 'plain',
  updatedAt: 'plain',
});
export { recordOf };

/** The row of a check's or group's trigger. */
export function triggerOf(db: Db, accountId: string, { groupId, checkId }: TriggerTarget) {
  const owned = selectRows(db, 'triggers', { account_id: idBytes(accountId) }).selectAll();
  const wanted =
    checkId === null ? owned.where('group_id', '=', groupId) : owned.where('check_id', '=', idBytes(checkId));
  return wanted.executeTakeFirst();
}

/**
 * Records a call, and creates the trigger with the new token if there is none; null = there is none, and no token was
 * given.
 */
export async function callTrigger(
  tx: Db,
  order: {
    readonly accountId: string;
    readonly target: TriggerTarget;
    readonly newToken: string | null;
    readonly now: number;
  },
): Promise<Trigger | null> {
  const { accountId, target, newToken, now } = order;
  const row = await triggerOf(tx, accountId, target);
  if (row !== undefined) {
    await updateRows(tx, 'triggers', { account_id: row.account_id, id: row.id }, { called_at: now });
    return recordOf({ ...row, called_at: now });
  }
  if (newToken === null) return null;
  const id = await nextNumber(tx, accountId, 'trigger');
  const trigger = { ...target, accountId, id, token: newToken, createdAt: now, calledAt: now, updatedAt: null };
  await insertRows(tx, 'triggers', rowOf(trigger));
  return trigger;
}
