// Ends mutes of groups whose checks have recovered.
import { inAccount, updateRows } from '../base/rows.ts';
import { sql } from 'kysely';
import { type IdBytes, idText } from '../base/codec.ts';
import { type Database, touchAccount } from '../base/database.ts';
import { breathe } from '../base/slices.ts';
import type { Db } from '../base/tables/schema.ts';

interface MutedGroup {
  readonly account_id: IdBytes;
  readonly id: number;
  /** Epoch ms. */
  readonly muted_from: number | null;
}

/** Groups per call: a few statements for each. */
const groupsAtOnce = 200;

/** Ends them, some groups per call; the next call continues with others. */
export function createEndMutes({ reader, transaction }: Database): () => Promise<void> {
  const start = { account_id: new Uint8Array(), id: 0 };
  let after: Pick<MutedGroup, 'account_id' | 'id'> = start;
  return async () => {
    const groups = await reader
      .selectFrom('check_groups')
      .select(['account_id', 'id', 'muted_from'])
      .where('muted_from', 'is not', null)
      .where(sql<boolean>`(account_id, id) > (${after.account_id}, ${after.id})`)
      .orderBy('account_id')
      .orderBy('id')
      .limit(groupsAtOnce)
      .execute();
    for (const group of groups) {
      // A mute that was set again meanwhile stays.
      if (await hasRecovered(reader, group)) {
        await transaction(async (tx) => {
          const ended = await updateRows(tx, 'check_groups', group, { muted_from: null });
          if (ended > 0) await touchAccount(tx, idText(group.account_id));
        });
      }
      await breathe();
    }
    after = groups.length === groupsAtOnce ? (groups.at(-1) ?? start) : start;
  };
}

/** Whether none of its checks fails, and one has recovered since the mute was set. */
async function hasRecovered(db: Db, { account_id, id, muted_from }: MutedGroup): Promise<boolean> {
  const states = db
    .selectFrom('checks')
    .innerJoin('check_states', inAccount('check_states.check_id', 'checks.id'))
    .select('checks.id')
    .where('checks.account_id', '=', account_id)
    .where('checks.group_id', '=', id)
    .where('checks.activated', '=', 1)
    .limit(1);
  const failing = await states.where('check_states.status', 'in', ['failing', 'degraded']).executeTakeFirst();
  if (failing !== undefined) return false;
  return (await states.where('check_states.passed_at', '>', muted_from).executeTakeFirst()) !== undefined;
}
