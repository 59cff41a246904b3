// Maps checks and groups to rows: a few columns for searching, the rest is one document with encrypted secrets.
import { sql } from 'kysely';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { type Check, plainCheck } from '#domain/checks/check.ts';
import { flag, idBytes, idText, json, parsed } from '../base/codec.ts';
import type { CheckGroupsTable, ChecksTable } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';
import { openCheck, openGroup, sealCheck, sealGroup } from '../base/sealed-fields.ts';

type CheckColumn =
  | 'accountId'
  | 'id'
  | 'checkType'
  | 'name'
  | 'activated'
  | 'muted'
  | 'groupId'
  | 'tags'
  | 'createdAt'
  | 'updatedAt';

/** The row of a check, with encrypted secrets. */
export function checkRow(check: Check, seal: Seal): ChecksTable {
  const { accountId, id, checkType, name, activated, muted, groupId, tags, createdAt, updatedAt, ...rest } = check;
  const definition: Omit<Check, CheckColumn> = sealCheck(rest, seal);
  return {
    account_id: idBytes(accountId),
    id: idBytes(id),
    check_type: checkType,
    name,
    activated: flag(activated),
    muted: flag(muted),
    group_id: groupId,
    tags: json(tags),
    definition: json(definition),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** The check of a row, with decrypted secrets. */
export function checkOf(row: ChecksTable, seal: Seal): Check {
  const definition = openCheck(parsed<Omit<Check, CheckColumn>>(row.definition), seal);
  return {
    ...plainCheck,
    ...definition,
    accountId: idText(row.account_id),
    id: idText(row.id),
    // Only `checkRow` writes the column.
    checkType: row.check_type,
    name: row.name,
    activated: row.activated === 1,
    muted: row.muted === 1,
    groupId: row.group_id,
    tags: parsed(row.tags),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** `updated_at` of rows that are changed: `nextRevision` of each. @param now epoch ms */
export function revisedAt(now: number) {
  const last = sql<number>`coalesce(updated_at, created_at)`;
  return sql<number>`CASE WHEN ${last} >= ${now} THEN ${last} + 1 ELSE ${now} END`;
}

type GroupColumn =
  | 'accountId'
  | 'id'
  | 'name'
  | 'activated'
  | 'muted'
  | 'mutedUntilRecovery'
  | 'mutedFrom'
  | 'tags'
  | 'createdAt'
  | 'updatedAt';

/** The row of a check group, with encrypted secrets. */
export function groupRow(group: CheckGroup, seal: Seal): CheckGroupsTable {
  const { accountId, id, name, activated, muted, tags, createdAt, updatedAt, ...others } = group;
  const { mutedUntilRecovery, mutedFrom, ...rest } = others;
  const definition: Omit<CheckGroup, GroupColumn> = sealGroup(rest, seal);
  return {
    account_id: idBytes(accountId),
    id,
    name,
    activated: flag(activated),
    muted: flag(muted),
    muted_from: mutedUntilRecovery ? mutedFrom : null,
    tags: json(tags),
    definition: json(definition),
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** The check group of a row, with decrypted secrets. */
export function groupOf(row: CheckGroupsTable, seal: Seal): CheckGroup {
  const definition = openGroup(parsed<Omit<CheckGroup, GroupColumn>>(row.definition), seal);
  return {
    accountId: idText(row.account_id),
    id: row.id,
    name: row.name,
    activated: row.activated === 1,
    muted: row.muted === 1,
    tags: parsed(row.tags),
    ...definition,
    mutedUntil: definition.mutedUntil ?? null,
    mutedUntilRecovery: row.muted_from !== null,
    mutedFrom: row.muted_from,
    dependsOn: definition.dependsOn ?? [],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
