// Changes to many checks at once, by the rules of single changes, and their undo (docs/decisions/0144).
import { isDeepStrictEqual } from 'node:util';
import {
  type BulkChange,
  type BulkEdit,
  editedFields,
  type EditedFields,
  type PreviousFields,
  previousFields,
  reasonAgainst,
  type RefusedCheck,
  restoredFields,
  undoableUntil,
} from '#domain/changes/bulk-change.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Acting } from '#domain/accounts/audit-entry.ts';
import { revisionOf } from '#domain/patch.ts';
import type { Clock } from '#lib/clock.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';
import type { OpenChange } from '#store/checks/check-changes.ts';
import type { ChangeRules, Decision, DueCheck } from '#store/checks/decide-changes.ts';
import type { DependencyProblem } from '#store/checks/check-dependencies.ts';
import type { StoredCheck } from '#store/checks/checks.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound, refuseProblems, Refusal, orNotFound } from '../refusal.ts';
import { prepareEdit } from './check-edits.ts';
import { frequencyProblems, placingProblems, savedOrRefused } from './check-rules.ts';
import type { CheckDeps } from './checks.ts';
import { namedResourceProblems, rememberLocations } from './named-resources.ts';
import { rememberGroups } from './script-runtime.ts';

/** Most refused checks that a response lists. */
export const mostRefused = 1000;

/** A change in a response. */
export interface ShownChange extends Omit<BulkChange, 'accountId' | 'id' | 'createdAt' | 'isUndone' | 'edit'> {
  /** null = a preview, which is not stored. */
  readonly id: string | null;
  readonly createdAt: number;
  /** At most `mostRefused`. */
  readonly refusals: readonly (RefusedCheck & { readonly name: string | null })[];
  /** Until when it can be undone, epoch ms; null = it cannot. */
  readonly undoableUntil: number | null;
}

export interface CheckChangeDeps extends Pick<Store, 'checkChanges'> {
  readonly drafts: CheckDeps;
  readonly alertChannels: Pick<Store['alertChannels'], 'find'>;
  /** How alerts of deleted checks are closed. */
  readonly closing: Parameters<Store['checkChanges']['applyPart']>[4];
  /** Runs work whose changes the audit log attributes to a person or key. */
  readonly runAs: <Answer>(acting: Acting, work: () => Answer) => Answer;
  readonly owner: string;
  readonly clock: Clock;
  /** Wakes the step that applies changes. */
  readonly wake: () => void;
  /** Called after checks were changed or deleted. */
  readonly onChanged: (isDeletion: boolean) => void;
}

export type CheckChangeActions = ReturnType<typeof createCheckChangeActions>;

/** Previews in progress in this process; others wait. */
const lanes = createSharedLanes(2, 1);

export function createCheckChangeActions(deps: CheckChangeDeps) {
  const { checkChanges, clock, drafts } = deps;
  const found = async ({ accountId }: Caller, id: string): Promise<BulkChange> => {
    return orNotFound(await checkChanges.find(accountId, id), 'change', id);
  };
  const shown = async (change: BulkChange): Promise<ShownChange> => ({
    ...change,
    refusals: change.refused === 0 ? [] : await checkChanges.refused(change.accountId, change.id, mostRefused),
    undoableUntil: undoableUntil(change),
  });
  return {
    /** What a change would do. null = the caller has left. @param edit null = delete the checks */
    async preview(caller: Caller, checkIds: readonly string[], edit: BulkEdit | null, signal: AbortSignal) {
      requirePermission(caller, 'write');
      await refuseEdit(caller, edit, deps);
      const leave = await lanes.enter(caller.accountId, signal);
      if (leave === null) return null;
      try {
        return await previewOf(caller.accountId, checkIds, edit, signal, deps);
      } finally {
        leave();
      }
    },
    /** Starts a change. Refuses `conflict` while another one of the account is in progress. */
    async start(caller: Caller, checkIds: readonly string[], edit: BulkEdit | null): Promise<ShownChange> {
      requirePermission(caller, 'write');
      await refuseEdit(caller, edit, deps);
      const { accountId } = caller;
      const id = drafts.newId();
      const added = await checkChanges.add({ accountId, id, edit, checkIds, createdAt: clock.now() });
      if (added === 'busy') throw busy();
      deps.wake();
      return shown(await found(caller, id));
    },
    async find(caller: Caller, id: string): Promise<ShownChange> {
      requirePermission(caller, 'read');
      return shown(await found(caller, id));
    },
    /** Takes a change back: a change of its own. Refuses `conflict` if it cannot be undone. */
    async undo(caller: Caller, id: string): Promise<ShownChange> {
      requirePermission(caller, 'write');
      refuseUndo(await found(caller, id));
      const own = drafts.newId();
      const added = await checkChanges.addUndo(caller.accountId, own, id);
      if (added === 'busy') throw busy();
      if (added === 'unknown') throw notFound('change', id);
      deps.wake();
      return shown(await found(caller, own));
    },
    /** Applies the next part of a change that this process has leased. */
    async applyPart(change: OpenChange): Promise<void> {
      const due = await checkChanges.nextPart(change);
      const apply = async (): Promise<void> => {
        const isDeletion = change.edit === null && change.undoOf === null;
        const rules = isDeletion ? deletion : await rulesOf(change.accountId, due, change.edit, deps);
        await checkChanges.applyPart(change, deps.owner, due, rules, deps.closing);
        deps.onChanged(isDeletion);
      };
      await (change.acting === null ? apply() : deps.runAs(change.acting, apply));
    },
  };
}

const unknown = 'No check of this account has this ID.';
const deletion: ChangeRules = { decide: null, missing: unknown, reasonOf: () => unknown };

/**
 * How each of these checks is changed: by an edit, or back to what they were.
 * @param edit null = take a change back
 */
async function rulesOf(
  accountId: string,
  due: readonly DueCheck[],
  edit: BulkEdit | null,
  { drafts }: Pick<CheckChangeDeps, 'drafts'>,
): Promise<ChangeRules> {
  const byId = new Map(due.map((one) => [one.checkId, one]));
  const deps = {
    ...drafts,
    checkGroups: rememberGroups(drafts.checkGroups),
    privateLocations: rememberLocations(drafts.privateLocations),
  };
  const prepared = new Map<string, Decider>();
  for (const { checkId, previous } of due) {
    prepared.set(checkId, await decider(accountId, checkId, edit ?? previous ?? {}, deps));
  }
  return {
    missing: edit === null ? 'It was deleted afterwards.' : unknown,
    reasonOf: reasonOfProblem,
    decide(present) {
      const one = byId.get(present.check.id);
      const previous = one?.previous ?? null;
      const decide = prepared.get(present.check.id);
      if (one === undefined || decide === undefined) return null;
      if (edit !== null) return decide(present, editedFields(edit, present));
      const { subscriptions = present.subscriptions } = one;
      const isKept =
        one.revision === revisionOf(present.check) &&
        isSame(subscribed(subscriptions), subscribed(present.subscriptions));
      if (!isKept) return { reason: 'It was changed again afterwards.' };
      if (previous === null) return { reason: 'Its previous values were too large to be stored.' };
      return withMuteOf(previous, decide(present, restoredFields(previous, drafts.now())));
    },
  };
}

/** What becomes of a check if these fields are set. null = nothing. */
type Decider = (present: StoredCheck, fields: EditedFields) => Decision | null;

/** @param fields those whose rules depend on other records */
async function decider(
  accountId: string,
  checkId: string,
  { groupId, privateLocations }: EditedFields,
  deps: CheckDeps,
): Promise<Decider> {
  const named = {
    ...(groupId !== undefined && { groupId }),
    ...(privateLocations !== undefined && { privateLocations }),
  };
  const edit = await prepareEdit(accountId, checkId, named, { checkType: null }, deps);
  return (present, fields) => {
    const against = reasonAgainst(fields, present.check);
    if (against !== null) return { reason: against };
    return orReason(() => {
      const write = edit(present, fields);
      const previous = previousFields(fields, present);
      const subscriptions = write.subscriptions ?? present.subscriptions;
      const next = previousFields(fields, { check: write.check, subscriptions });
      return isSame(previous, next) ? null : { write, previous };
    });
  };
}

function isSame(one: PreviousFields, other: PreviousFields): boolean {
  return isDeepStrictEqual(comparable(one), comparable(other));
}

function subscribed(alertChannelSubscriptions: StoredCheck['subscriptions']): PreviousFields {
  return { alertChannelSubscriptions };
}

/** Without the order of subscriptions, and the start of a mute, which would begin again. */
function comparable({ mutedFrom: _start, alertChannelSubscriptions, ...fields }: PreviousFields): object {
  const sorted = alertChannelSubscriptions?.toSorted((one, other) => one.alertChannelId - other.alertChannelId);
  return { ...fields, subscriptions: sorted };
}

/** A mute until recovery that is restored began when it did. */
function withMuteOf({ mutedFrom }: PreviousFields, decision: Decision | null): Decision | null {
  if (decision === null || 'reason' in decision || mutedFrom == null) return decision;
  return { ...decision, write: { ...decision.write, check: { ...decision.write.check, mutedFrom } } };
}

/** Why references cannot be saved. */
function reasonOfProblem(problem: DependencyProblem): string {
  try {
    savedOrRefused(problem);
  } catch (error) {
    return reasonOf(error);
  }
  return unknown;
}

/** The decision, or why the rules refuse it. */
function orReason(decide: () => Decision | null): Decision | null {
  try {
    return decide();
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/** What a refusal says; throws every other error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal)) throw error;
  return error.message.slice(0, longestReason);
}

const longestReason = 500;
/** Checks whose rules are prepared at once. */
const previewedAtOnce = 100;

async function previewOf(
  accountId: string,
  checkIds: readonly string[],
  edit: BulkEdit | null,
  signal: AbortSignal,
  deps: CheckChangeDeps,
): Promise<ShownChange | null> {
  let changed = 0;
  const refusals: ShownChange['refusals'][number][] = [];
  for (let from = 0; from < checkIds.length; from += previewedAtOnce) {
    if (signal.aborted) return null;
    const ids = checkIds.slice(from, from + previewedAtOnce);
    const due = ids.map((checkId) => ({ checkId }));
    const found = await deps.checkChanges.preview(
      accountId,
      ids,
      edit === null ? deletion : await rulesOf(accountId, due, edit, deps),
    );
    changed += found.changed;
    refusals.push(...found.refused);
  }
  const refused = refusals.length;
  const now = deps.clock.now();
  return {
    id: null,
    undoOf: null,
    checks: checkIds.length,
    changed,
    unchanged: checkIds.length - changed - refused,
    refused,
    refusals: refusals.slice(0, mostRefused),
    undoableUntil: null,
    createdAt: now,
    endedAt: null,
  };
}

/** Refuses references that do not exist, and values that no check may have. */
async function refuseEdit({ accountId }: Caller, edit: BulkEdit | null, deps: CheckChangeDeps): Promise<void> {
  if (edit === null) return;
  const { groupId = null, frequency, frequencyOffset, addChannels = [], alertChannelSubscriptions = [] } = edit;
  const placing = placingProblems(edit, deps.drafts);
  const timing =
    frequency === undefined || frequencyOffset === undefined ? [] : frequencyProblems({ frequency, frequencyOffset });
  const naming = await namedResourceProblems(
    accountId,
    { privateLocations: edit.privateLocations ?? null },
    {},
    deps.drafts,
  );
  refuseProblems([...placing, ...timing, ...naming].map(({ path, message }) => ({ path: `change.${path}`, message })));
  if (groupId !== null && (await deps.drafts.checkGroups.find(accountId, groupId)) === null) {
    throw invalidField('change.groupId', 'is not the ID of a check group of this account');
  }
  const named = [
    ...addChannels.map((id, index) => [id, `change.addChannels[${index}]`] as const),
    ...alertChannelSubscriptions.map(
      ({ alertChannelId }, index) =>
        [alertChannelId, `change.alertChannelSubscriptions[${index}].alertChannelId`] as const,
    ),
  ];
  for (const [id, path] of named) {
    if ((await deps.alertChannels.find(accountId, id)) === null) {
      throw invalidField(path, 'is not the ID of an alert channel of this account');
    }
  }
}

function refuseUndo(change: BulkChange): void {
  if (undoableUntil(change) !== null) return;
  const isDeletion = change.edit === null && change.undoOf === null;
  const reason =
    change.endedAt === null
      ? 'The change is in progress. Wait until it has ended.'
      : isDeletion
        ? 'A deletion cannot be undone.'
        : change.undoOf === null && change.isUndone
          ? 'The change has been undone already.'
          : 'The change has nothing to undo.';
  throw new Refusal('conflict', reason);
}

function busy(): Refusal {
  return new Refusal('conflict', 'Another change of checks of this account is in progress. Wait until it has ended.');
}
