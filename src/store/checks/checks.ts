// Checks of accounts. Each change updates schedules, tags and subscriptions in its transaction.
import { countFound, deleteRows, findRow, findRows, insertRows, replaceRows, selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import { lastsUntilRecovery } from '#domain/checks/effective-check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { nextRevision } from '#domain/patch.ts';
import type { Check } from '#domain/checks/check.ts';
import { type CheckFilter, filterChecks, orderChecks } from './check-filter.ts';
import { checkOf, checkRow, groupOf } from './check-rows.ts';
import { keepVariables, type UsedVariables } from './check-variables.ts';
import { type ChangeMoment, keepSchedules } from '../schedules/check-schedules.ts';
import { askForRuns } from '../schedules/first-runs.ts';
import { idBytes, type IdBytes, idText, json } from '../base/codec.ts';
import { type DependencyProblem, problemOfCheck, rememberNodes } from './check-dependencies.ts';
import { type Database, ownedBy, touchAccount, type Page, type Slice } from '../base/database.ts';
import { rowsOfPage } from '../base/page-bytes.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import type { ChecksTable, Db } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';
import {
  type ChannelChange,
  changeAllChannels,
  findChannels,
  channelsOfChecks,
  missingChannel,
} from '../channels/subscriptions.ts';
import { findChecksWithoutChannel } from '../channels/checks-without-channels.ts';

/** A check with its subscribed channels. */
export interface StoredCheck {
  readonly check: Check;
  readonly subscriptions: readonly SubscribedChannel[];
  /** No channel is notified of failures. */
  readonly notifiesNobody: boolean;
}

/** Result of a write: the record, or why its references cannot be saved. */
export type Saved<Stored> = { readonly saved: Stored } | DependencyProblem;

/** Data of a new check. */
export interface CheckWrite extends ChannelChange, UsedVariables {
  /** The store sets its timestamps. */
  readonly check: Check;
}

/** Checks. Secrets are plain in the records and encrypted in the table. */
export function createChecks(database: Database) {
  const { dialect, reader, transaction, seal, clock, ownLocation } = database;
  const addAll = (accountId: string, writes: readonly CheckWrite[]): Promise<readonly Saved<StoredCheck>[]> =>
    transaction(async (tx) => {
      const now = clock.now();
      await requireWithinLimit(database, tx, accountId, 'checks', writes.length);
      const drafts = writes.map((write) => newDraft(write, accountId, now));
      const faults = await referenceFaults(tx, seal, drafts);
      const right = drafts.filter((_, index) => faults[index] == null);
      await writeChecks(tx, seal, { now, ownLocation }, right);
      const all: Saved<StoredCheck>[] = [];
      for (const [index, { check }] of drafts.entries()) all.push(faults[index] ?? (await savedCheck(tx, check)));
      return all;
    });
  return {
    async list(accountId: string, filter: CheckFilter, { limit, offset }: Slice): Promise<Page<StoredCheck>> {
      const matching = () => filterChecks(reader.selectFrom('checks'), dialect, accountId, filter);
      // Reads IDs first, so that skipped rows are never read and the planner cannot scan the whole account for the
      // order.
      const page = orderChecks(matching(), dialect, filter).select('checks.id').limit(limit).offset(offset);
      const ids = (await page.execute()).map(({ id }) => id);
      const cut = rowsOfPage(await findSizes(reader, accountId, ids), limit);
      const rows = await findChecks(reader, accountId, ids.slice(0, cut));
      const total = await countFound(matching());
      return { rows: await withChannels(reader, accountId, rows, seal), total };
    },
    find: (accountId: string, id: string) => findCheck(reader, accountId, id, seal),
    async add(write: CheckWrite): Promise<Saved<StoredCheck>> {
      const [saved] = await addAll(write.check.accountId, [write]);
      if (saved === undefined) throw new Error('a check was neither saved nor refused');
      return saved;
    },
    /**
     * Adds those whose references exist, in one transaction, and returns what became of each. Throws
     * `LimitReachedError` if they do not all fit; then none is added.
     */
    addAll,
    /** `changeCheck` in a transaction of its own. */
    change: (accountId: string, id: string, edit: CheckEdit): Promise<Saved<StoredCheck> | null> =>
      transaction((tx) => changeCheck(tx, database, accountId, id, edit)),
  };
}

/** What becomes of a check. It may throw, which changes nothing. */
export type CheckEdit = (present: StoredCheck) => CheckWrite;

/** Reads, edits and writes, so that concurrent changes are not lost. null = unknown check. */
export async function changeCheck(
  tx: Db,
  database: Database,
  accountId: string,
  id: string,
  edit: CheckEdit,
): Promise<Saved<StoredCheck> | null> {
  const present = await findCheck(tx, accountId, id, database.seal);
  return present === null ? null : withListenersOf(tx, await writeChange(tx, database, present, edit(present)));
}

/** Writes a change to a check that this transaction has read. */
export async function writeChange(
  tx: Db,
  { seal, clock, ownLocation }: Database,
  { check: present }: StoredCheck,
  write: CheckWrite,
): Promise<Saved<Check>> {
  const now = clock.now();
  const draft = changedDraft(write, present, now);
  const [fault] = await referenceFaults(tx, seal, [draft]);
  if (fault != null) return fault;
  await writeChecks(tx, seal, { now, ownLocation }, [draft]);
  return { saved: draft.check };
}

/** Checks in the order of their IDs; deleted ones are omitted. */
export async function readChecks(
  db: Db,
  accountId: string,
  ids: readonly string[],
  seal: Seal,
): Promise<StoredCheck[]> {
  return withChannels(db, accountId, await findChecks(db, accountId, ids.map(idBytes)), seal);
}

/** Stored bytes of a check. */
export const checkBytes = sql<number>`octet_length(definition) + octet_length(tags)`;

/** Stored bytes of checks, in the order of their IDs, without reading their definitions. */
async function findSizes(db: Db, accountId: string, ids: readonly IdBytes[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const found = await selectRows(db, 'checks', { account_id: idBytes(accountId), id: ids })
    .select(['id', checkBytes.as('size')])
    .execute();
  const byId = new Map(found.map(({ id, size }) => [idText(id), size]));
  return ids.map((id) => byId.get(idText(id)) ?? 0);
}

/** The rows of checks, ordered by ID; checks deleted meanwhile are omitted. */
async function findChecks(db: Db, accountId: string, ids: readonly IdBytes[]): Promise<ChecksTable[]> {
  const found = await findRows(db, 'checks', { account_id: idBytes(accountId), id: ids });
  const byId = new Map(found.map((row) => [idText(row.id), row]));
  return ids.flatMap((id) => byId.get(idText(id)) ?? []);
}

/** A check that is written, with its group once it is known. */
export interface CheckDraft extends CheckWrite {
  /** The stored check; null = it is new. */
  readonly present: Check | null;
  group: CheckGroup | null;
}

/** A new check. @param now epoch ms */
export function newDraft(write: CheckWrite, accountId: string, now: number): CheckDraft {
  const check: Check = { ...write.check, accountId, createdAt: now, updatedAt: null };
  return { ...write, check, present: null, group: null };
}

/** A change to a stored check. @param now epoch ms */
export function changedDraft(write: CheckWrite, present: Check, now: number): CheckDraft {
  const { accountId, id, createdAt } = present;
  const check: Check = { ...write.check, accountId, id, createdAt, updatedAt: nextRevision(present, now) };
  return { ...write, check, present, group: null };
}

/** Finds the groups of the drafts, and returns for each its first unknown reference or cycle; null = none. */
async function referenceFaults(
  tx: Db,
  seal: Seal,
  drafts: readonly CheckDraft[],
): Promise<(DependencyProblem | null)[]> {
  const faults: (DependencyProblem | null)[] = [];
  await findGroups(tx, seal, drafts);
  const read = rememberNodes(tx, drafts[0]?.check.accountId ?? '');
  for (const { check, present, group, subscriptions } of drafts) {
    const missing = await missingChannel(tx, check.accountId, subscriptions ?? []);
    if (check.groupId !== null && group === null) faults.push({ dangling: 'groupId' });
    else if (missing !== null) faults.push({ dangling: `alertChannelSubscriptions[${missing}].alertChannelId` });
    else faults.push(await problemOfCheck(tx, check, group, present?.dependsOn ?? [], read));
  }
  return faults;
}

/** Reads the groups of the drafts, each once. */
export async function findGroups(tx: Db, seal: Seal, drafts: readonly CheckDraft[]): Promise<void> {
  const found = new Map<number, CheckGroup | null>();
  for (const draft of drafts) {
    const { accountId, groupId } = draft.check;
    if (groupId === null) continue;
    if (!found.has(groupId)) found.set(groupId, await findGroup(tx, accountId, groupId, seal));
    draft.group = found.get(groupId) ?? null;
  }
}

/** Writes everything that belongs to checks of an account whose references exist. */
export async function writeChecks(
  tx: Db,
  seal: Seal,
  moment: ChangeMoment,
  drafts: readonly CheckDraft[],
): Promise<void> {
  const accountId = drafts[0]?.check.accountId;
  if (accountId === undefined) return;
  const added = drafts.filter(({ present }) => present === null).map(({ check }) => checkRow(check, seal));
  const changed = drafts.filter(({ present }) => present !== null).map(({ check }) => checkRow(check, seal));
  await insertRows(tx, 'checks', added);
  await replaceRows(tx, 'checks', ['account_id', 'id'], changed);
  await writeTags(tx, accountId, drafts);
  const schedules = drafts.map(({ check, group, present }) => ({ check, group, before: present }));
  await askForRuns(tx, accountId, await keepSchedules(tx, accountId, schedules, moment), moment.now);
  await keepVariables(tx, accountId, drafts);
  const channels = drafts.map((draft) => ({ ...draft, target: { checkId: draft.check.id, groupId: null } }));
  await changeAllChannels(tx, accountId, channels);
  await touchAccount(tx, accountId);
}

async function savedCheck(tx: Db, check: Check): Promise<Saved<StoredCheck>> {
  return { saved: await withListeners(tx, check) };
}

async function withListenersOf(tx: Db, written: Saved<Check>): Promise<Saved<StoredCheck>> {
  return 'saved' in written ? savedCheck(tx, written.saved) : written;
}

async function findCheck(db: Db, accountId: string, id: string, seal: Seal): Promise<StoredCheck | null> {
  const row = await findRow(db, 'checks', { account_id: idBytes(accountId), id: idBytes(id) });
  if (row === undefined) return null;
  const [check] = await withoutEndedMutes(db, accountId, [checkOf(row, seal)]);
  return check === undefined ? null : withListeners(db, check);
}

/** Checks that recovered are not muted until they recover any more. */
async function withoutEndedMutes(db: Db, accountId: string, checks: readonly Check[]): Promise<readonly Check[]> {
  const muted = checks.filter(({ mutedUntilRecovery }) => mutedUntilRecovery);
  if (muted.length === 0) return checks;
  const key = { account_id: idBytes(accountId), check_id: muted.map(({ id }) => idBytes(id)) };
  const rows = await findRows(db, 'check_states', key, ['check_id', 'passed_at']);
  const passedAt = new Map(rows.map((row) => [idText(row.check_id), row.passed_at]));
  return checks.map((check) =>
    check.mutedUntilRecovery && !lastsUntilRecovery(check, passedAt.get(check.id) ?? null)
      ? { ...check, mutedUntilRecovery: false }
      : check,
  );
}

async function withListeners(db: Db, check: Check): Promise<StoredCheck> {
  const { accountId, id } = check;
  const subscriptions = await findChannels(db, accountId, { checkId: id, groupId: null });
  return { check, subscriptions, notifiesNobody: (await findChecksWithoutChannel(db, accountId, [check])).has(id) };
}

/** The group of a check; null = unknown. */
export async function findGroup(db: Db, accountId: string, id: number, seal: Seal): Promise<CheckGroup | null> {
  const row = await findRow(db, 'check_groups', { account_id: idBytes(accountId), id });
  return row === undefined ? null : groupOf(row, seal);
}

async function withChannels(
  db: Db,
  accountId: string,
  rows: readonly ChecksTable[],
  seal: Seal,
): Promise<StoredCheck[]> {
  const checks = await withoutEndedMutes(
    db,
    accountId,
    rows.map((row) => checkOf(row, seal)),
  );
  const channels = await channelsOfChecks(
    db,
    accountId,
    checks.map(({ id }) => id),
  );
  const withoutChannel = await findChecksWithoutChannel(db, accountId, checks);
  return checks.map((check) => ({
    check,
    subscriptions: channels.get(check.id) ?? [],
    notifiesNobody: withoutChannel.has(check.id),
  }));
}

async function writeTags(tx: Db, accountId: string, drafts: readonly CheckDraft[]): Promise<void> {
  const changed = drafts.filter(({ check, present }) => json(check.tags) !== json(present?.tags ?? []));
  const retagged = changed.filter(({ present }) => present !== null).map(({ check }) => idBytes(check.id));
  await deleteRows(tx, 'check_tags', { account_id: idBytes(accountId), check_id: retagged });
  const rows = changed.flatMap(({ check }) =>
    [...new Set(check.tags)].map((tag) => ({ ...ownedBy(accountId), tag, check_id: idBytes(check.id) })),
  );
  await insertRows(tx, 'check_tags', rows);
}
