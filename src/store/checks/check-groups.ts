// Check groups of accounts. Each change updates the schedules of the group's checks in its transaction.
import { deleteRows, findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import { nextRevision } from '#domain/patch.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import { checkOf, groupOf, groupRow, revisedAt } from './check-rows.ts';
import { type ChangeMoment, keepSchedules } from '../schedules/check-schedules.ts';
import { createEndMutes } from './group-mutes.ts';
import { createMoveChecks } from './group-members.ts';
import type { Saved } from './checks.ts';
import { idBytes } from '../base/codec.ts';
import { askForRuns } from '../schedules/first-runs.ts';
import { problemOfGroup } from './check-dependencies.ts';
import { type Database, nextNumber, touchAccount, type Page, type Slice } from '../base/database.ts';
import { readCutPage } from '../base/page-bytes.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import type { Db, Tables } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';
import {
  type ChannelChange,
  changeChannels,
  findChannels,
  dropTarget,
  missingChannel,
} from '../channels/subscriptions.ts';

/** A check group with its subscribed channels. */
export interface StoredGroup {
  readonly group: CheckGroup;
  readonly subscriptions: readonly SubscribedChannel[];
}

/** Data of a new group. */
export interface GroupWrite extends ChannelChange {
  /** The store sets its ID and timestamps. */
  readonly group: CheckGroup;
}

/** Filters; an absent or empty field does not filter. */
export interface GroupFilter {
  /** All of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** One of these names, exactly. */
  readonly names?: readonly string[] | undefined;
}

/** A variable without its value. */
export type VariableKey = Pick<EnvironmentVariable, 'key' | 'secret'>;

/** Stored bytes of a group. */
export const groupBytes = sql<number>`octet_length(definition) + octet_length(tags)`;

/** Check groups. Secrets are plain in the records and encrypted in the table. */
export function createCheckGroups(database: Database) {
  const { reader, transaction, seal, clock } = database;
  return {
    /** Ordered by ID. */
    async list(accountId: string, filter: GroupFilter, slice: Slice): Promise<Page<StoredGroup>> {
      const matching = filterGroups(reader.selectFrom('check_groups'), accountId, filter).selectAll().orderBy('id');
      const { rows: found, total } = await readCutPage(matching, groupBytes, slice);
      const rows: StoredGroup[] = [];
      for (const row of found) rows.push(await withChannels(reader, groupOf(row, seal)));
      return { rows, total };
    },
    find: (accountId: string, id: number) => findGroup(reader, accountId, id, seal),
    /** Names of the variables of all groups, without values; a key is repeated for each group that has it. */
    async variableKeys(accountId: string): Promise<VariableKey[]> {
      return (await variablesIn(reader, accountId)).map(({ key, secret }) => ({ key, secret }));
    },
    /** Locked variables of all groups, without secret ones, which are never used in alerts. */
    async lockedVariables(accountId: string): Promise<EnvironmentVariable[]> {
      return (await variablesIn(reader, accountId)).filter(({ locked, secret }) => locked && !secret);
    },
    add: (write: GroupWrite) =>
      transaction(async (tx) => {
        await requireWithinLimit(database, tx, write.group.accountId, 'checkGroups');
        return saveGroup(tx, database, write, null);
      }),
    /** Reads, edits and writes in one transaction; `edit` may throw. null = unknown group. */
    change: (accountId: string, id: number, edit: (present: StoredGroup) => GroupWrite) =>
      transaction(async (tx) => {
        const present = await findGroup(tx, accountId, id, seal);
        if (present === null) return null;
        const write = edit(present);
        return saveGroup(tx, database, { ...write, group: { ...write.group, accountId, id } }, present.group);
      }),
    /** Keeps its checks, without a group. false = unknown group. */
    remove: (accountId: string, id: number) =>
      transaction((tx) => removeGroup(tx, accountId, id, { ...database, now: clock.now() })),
    moveChecks: createMoveChecks(database),
    /** Ends mutes until recovery of groups, of all accounts, of which no check fails any more. */
    endMutes: createEndMutes(database),
  };
}

/**
 * Writes everything that belongs to a group; writes nothing if a reference is unknown.
 * @param present the stored group; null = it is new, and with ID 0 gets the next number
 */
async function saveGroup(
  tx: Db,
  database: Database,
  write: GroupWrite,
  present: CheckGroup | null,
): Promise<Saved<StoredGroup>> {
  const problem = await problemOfGroup(tx, write.group, present?.dependsOn ?? []);
  return problem ?? writeGroup(tx, database, write, present);
}

/** Writes a group that needs only what it can need. */
export async function writeGroup(
  tx: Db,
  database: Database,
  write: GroupWrite,
  present: CheckGroup | null,
): Promise<Saved<StoredGroup>> {
  const { accountId } = write.group;
  const missing = await missingChannel(tx, accountId, write.subscriptions ?? []);
  if (missing !== null) return { dangling: `alertChannelSubscriptions[${missing}].alertChannelId` };
  const now = database.clock.now();
  const id = write.group.id === 0 ? await nextNumber(tx, accountId, 'check-group') : write.group.id;
  const times = {
    createdAt: present?.createdAt ?? now,
    updatedAt: present === null ? null : nextRevision(present, now),
  };
  const group: CheckGroup = { ...write.group, id, ...times };
  const row = groupRow(group, database.seal);
  if (present === null) await insertRows(tx, 'check_groups', row);
  else {
    const { account_id, id: _, ...columns } = row;
    await updateRows(tx, 'check_groups', { account_id, id }, columns);
    const hasOtherUrl = group.apiCheckDefaults['url'] !== present.apiCheckDefaults['url'];
    if (hasOtherUrl || placing(group) !== placing(present)) {
      await keepMemberSchedules(tx, accountId, id, group, { ...database, now, hasOtherUrl });
    }
  }
  await changeChannels(tx, accountId, { checkId: null, groupId: id }, write);
  await touchAccount(tx, accountId);
  return { saved: await withChannels(tx, group) };
}

/** Groups whose definitions are read at a time. */
const maxSlice = 200;

/** The variables of all groups. Nothing is decrypted. */
async function variablesIn(db: Db, accountId: string): Promise<EnvironmentVariable[]> {
  const variables: EnvironmentVariable[] = [];
  for (let last = 0; ;) {
    const slice = await selectRows(db, 'check_groups', { account_id: idBytes(accountId) })
      .select(['id', 'definition'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(maxSlice)
      .execute();
    for (const { definition } of slice) {
      variables.push(...(JSON.parse(definition) as Pick<CheckGroup, 'environmentVariables'>).environmentVariables);
    }
    const end = slice.at(-1);
    if (end === undefined) return variables;
    last = end.id;
  }
}

function filterGroups<Output>(
  query: SelectQueryBuilder<Tables, 'check_groups', Output>,
  accountId: string,
  { tags, names }: GroupFilter,
): SelectQueryBuilder<Tables, 'check_groups', Output> {
  let narrowed = query.where('account_id', '=', idBytes(accountId));
  if (names !== undefined && names.length > 0) narrowed = narrowed.where('name', 'in', names);
  for (const tag of new Set(tags)) {
    // A tag is in the list as JSON text, after a bracket or a comma; `replace` is case-sensitive.
    const text = JSON.stringify(tag);
    narrowed = narrowed.where((either) =>
      either.or(['[', ','].map((before) => sql<boolean>`replace(tags, ${before + text}, '') <> tags`)),
    );
  }
  return narrowed;
}

/** Fields of a group that determine the schedules of its checks. */
function placing({ activated, locations, privateLocations, runParallel }: CheckGroup): string {
  return JSON.stringify([activated, locations, privateLocations, runParallel]);
}

interface ScheduleDeps extends ChangeMoment {
  readonly seal: Seal;
  /** Checks whose URL begins with that of the group get another target. */
  readonly hasOtherUrl?: boolean;
}

async function keepMemberSchedules(
  tx: Db,
  accountId: string,
  id: number,
  group: CheckGroup | null,
  { seal, hasOtherUrl = false, ...moment }: ScheduleDeps,
): Promise<void> {
  const rows = await findRows(tx, 'checks', { account_id: idBytes(accountId), group_id: id });
  const checks = rows.map((row) => ({ check: checkOf(row, seal), group, before: null }));
  const started = new Set(await keepSchedules(tx, accountId, checks, moment));
  for (const { check } of hasOtherUrl ? checks : []) {
    if (JSON.stringify(check.settings).includes('GROUP_BASE_URL')) started.add(check.id);
  }
  await askForRuns(tx, accountId, [...started], moment.now);
}

/** Keeps its checks, without a group; false = unknown. */
export async function removeGroup(tx: Db, accountId: string, id: number, deps: ScheduleDeps): Promise<boolean> {
  const account = idBytes(accountId);
  const removed = await deleteRows(tx, 'check_groups', { account_id: account, id });
  if (removed === 0) return false;
  await keepMemberSchedules(tx, accountId, id, null, deps);
  await updateRows(
    tx,
    'checks',
    { account_id: account, group_id: id },
    { group_id: null, updated_at: revisedAt(deps.now) },
  );
  await deleteRows(tx, 'triggers', { account_id: account, group_id: id });
  await dropTarget(tx, accountId, { checkId: null, groupId: id });
  await touchAccount(tx, accountId);
  return true;
}

/** null = unknown. */
export async function findGroup(db: Db, accountId: string, id: number, seal: Seal): Promise<StoredGroup | null> {
  const row = await findRow(db, 'check_groups', { account_id: idBytes(accountId), id });
  return row === undefined ? null : withChannels(db, groupOf(row, seal));
}

async function withChannels(db: Db, group: CheckGroup): Promise<StoredGroup> {
  return { group, subscriptions: await findChannels(db, group.accountId, { checkId: null, groupId: group.id }) };
}
