// Checks in deployments: thousands of rows in one transaction. Removed ones stop at once and are deleted in parts.
import { currentActing } from '../../base/audit/acting.ts';
import { idBytes } from '../../base/codec.ts';
import { findRows } from '../../base/rows.ts';
import { addParts } from '../../checks/check-changes.ts';
import {
  changedDraft,
  checkBytes,
  findGroups,
  newDraft,
  readChecks,
  writeChecks,
  type CheckDraft,
} from '../../checks/checks.ts';
import { danglingFault, type DeployContext, type ResourceFault, type ResourceWrite, type StoredKind } from '../kind.ts';
import type { Db } from '../../base/tables/schema.ts';

/** Checks that are read at a time. */
const readAtOnce = 200;

export const checkKind: StoredKind<'check'> = {
  table: 'checks',
  limit: 'checks',
  column: 'id',
  keyOf: idBytes,
  bytes: checkBytes,
  counter: null,
  async read(db, { seal }, accountId, ids) {
    const found = new Map<string, Awaited<ReturnType<typeof readChecks>>[number]>();
    for (let from = 0; from < ids.length; from += readAtOnce) {
      for (const one of await readChecks(db, accountId, ids.slice(from, from + readAtOnce), seal))
        found.set(one.check.id, one);
    }
    return found;
  },
  async save(tx, context, writes) {
    const { database, accountId, now } = context;
    const drafts = writes.map(({ stored, write }) =>
      stored === null ? newDraft(write, accountId, now) : changedDraft(write, stored.check, now),
    );
    await findGroups(tx, database.seal, drafts);
    const unknown = await unknownReference(tx, context, writes, drafts);
    if (unknown !== null) return unknown;
    await writeChecks(tx, database.seal, { now, ownLocation: database.ownLocation }, drafts);
    return null;
  },
  async remove(tx, { database, now }, removals) {
    const stopped = removals.map(({ stored: { check } }) =>
      changedDraft({ check: { ...check, activated: false }, subscriptions: null, isAutoAssigned: false }, check, now),
    );
    await findGroups(tx, database.seal, stopped);
    await writeChecks(tx, database.seal, { now, ownLocation: database.ownLocation }, stopped);
  },
};

/** Begins to delete checks that were stopped. @param id of the change that does it */
export async function deleteInParts(
  tx: Db,
  { accountId, now }: DeployContext,
  id: string,
  checkIds: readonly string[],
): Promise<void> {
  await addParts(tx, { accountId, id, edit: null, createdAt: now, checkIds }, currentActing());
}

async function unknownReference(
  tx: Db,
  { accountId }: DeployContext,
  writes: readonly ResourceWrite<'check'>[],
  drafts: readonly CheckDraft[],
): Promise<ResourceFault | null> {
  const ids = new Set(drafts.flatMap(({ subscriptions }) => subscriptions?.map((each) => each.alertChannelId) ?? []));
  const key = { account_id: idBytes(accountId), id: [...ids] };
  const known = new Set((await findRows(tx, 'alert_channels', key, ['id'])).map(({ id }) => id));
  for (const [index, { check, group, subscriptions }] of drafts.entries()) {
    const logicalId = writes[index]?.logicalId ?? '';
    if (check.groupId !== null && group === null) return danglingFault(logicalId, { dangling: 'groupId' });
    const missing = subscriptions?.findIndex(({ alertChannelId }) => !known.has(alertChannelId)) ?? -1;
    if (missing >= 0)
      return danglingFault(logicalId, { dangling: `alertChannelSubscriptions[${missing}].alertChannelId` });
  }
  return null;
}
