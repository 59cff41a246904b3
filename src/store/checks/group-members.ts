// Moves checks into a group and out of it, with their schedules, in one transaction.
import { findRow, findRows, updateRows } from '../base/rows.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { idBytes } from '../base/codec.ts';
import { type Database, touchAccount } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';
import { askForRuns } from '../schedules/first-runs.ts';
import { type ChangeMoment, keepSchedules } from '../schedules/check-schedules.ts';
import { problemOfCheck, rememberNodes } from './check-dependencies.ts';
import { checkOf, groupOf, revisedAt } from './check-rows.ts';
import type { Saved } from './checks.ts';

/** IDs of checks that join a group and leave it. */
export interface MemberChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Numbers of checks that joined and left. */
export interface MembersMoved {
  readonly added: number;
  readonly removed: number;
}

/**
 * Adds checks to a group, which leave their previous one, and removes others. Ignores checks that are members already, or
 * are not to be removed from this group. Changes nothing if a check to add is unknown or would close a cycle of
 * dependencies. null = unknown group.
 */
export function createMoveChecks({ transaction, seal, clock, ownLocation }: Database) {
  return (accountId: string, id: number, { add, remove }: MemberChange): Promise<Saved<MembersMoved> | null> =>
    transaction(async (tx) => {
      const row = await findRow(tx, 'check_groups', { account_id: idBytes(accountId), id });
      if (row === undefined) return null;
      const group = groupOf(row, seal);
      const read = async (ids: readonly string[]): Promise<Check[]> =>
        (await findRows(tx, 'checks', { account_id: idBytes(accountId), id: ids.map(idBytes) })).map((each) =>
          checkOf(each, seal),
        );
      const wanted = await read(add);
      const known = new Set(wanted.map((check) => check.id));
      const unknown = add.findIndex((checkId) => !known.has(checkId));
      if (unknown !== -1) return { dangling: `add[${unknown}]` };
      const joining = wanted.filter(({ groupId }) => groupId !== id);
      // A cycle leads through one of them: each is validated by itself, before the first is written.
      const nodes = rememberNodes(tx, accountId);
      for (const check of joining) {
        const problem = await problemOfCheck(tx, { ...check, groupId: id }, group, check.dependsOn, nodes);
        if (problem !== null) return problem;
      }
      const leaving = (await read(remove)).filter(({ groupId }) => groupId === id);
      const moment = { now: clock.now(), ownLocation };
      await move(tx, accountId, joining, group, moment);
      await move(tx, accountId, leaving, null, moment);
      if (joining.length + leaving.length > 0) await touchAccount(tx, accountId);
      return { saved: { added: joining.length, removed: leaving.length } };
    });
}

async function move(
  tx: Db,
  accountId: string,
  checks: readonly Check[],
  group: CheckGroup | null,
  moment: ChangeMoment,
): Promise<void> {
  const groupId = group?.id ?? null;
  const key = { account_id: idBytes(accountId), id: checks.map(({ id }) => idBytes(id)) };
  await updateRows(tx, 'checks', key, { group_id: groupId, updated_at: revisedAt(moment.now) });
  const moved = checks.map((check) => ({ check: { ...check, groupId }, group, before: null }));
  const started = await keepSchedules(tx, accountId, moved, moment);
  await askForRuns(tx, accountId, started, moment.now);
}
