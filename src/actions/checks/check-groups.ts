// Actions on check groups (reference §4.4).
import type { Page, Slice } from '#store/base/database.ts';
import type { StoredGroup } from '#store/checks/check-groups.ts';
import type { MemberChange, MembersMoved } from '#store/checks/group-members.ts';
import type { Store } from '#store/store.ts';
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { requestWithMeaning, requestWithShownMeaning, upgradedRequest } from '#domain/checks/absent-values.ts';
import { effectiveCheck, withMuteStart } from '#domain/checks/effective-check.ts';
import { type Change, merged } from '#domain/patch.ts';
import { type HookScriptDeps, hookScriptFields, hookScriptProblems, isAboutHookScripts } from './check-scripts.ts';
import { type Choices, placingProblems, savedOrRefused } from './check-rules.ts';
import { type NamedResourceDeps, namedResourceProblems } from './named-resources.ts';
import { type PingUrl, type ShownCheck, shownCheck } from './shown-check.ts';
import { type GroupSecretDeps, groupSecretProblems } from './group-secrets.ts';
import {
  mergedRequest,
  type ShownVariable,
  shownRequest,
  shownVariables,
  type VariableInput,
  mergedVariables,
} from '../masking.ts';
import { groupNames, type MissingVariables } from './missing-variables.ts';
import { type Expected, requireRevision, refuseProblems, notFound, orNotFound } from '../refusal.ts';
import { requirePermission } from '../accounts/permission.ts';
import { groupRuntimeProblems, movedRuntimeProblems } from './runtime-changes.ts';
import type { ScriptRuntimeDeps } from './script-runtime.ts';
import { nestedVariableWarnings, type SettingsWarnings, type Warned, type Warning, withWarnings } from '../warnings.ts';

/** A group in a request. */
export interface GroupInput extends Omit<
  CheckGroup,
  'accountId' | 'id' | 'mutedFrom' | 'environmentVariables' | 'createdAt' | 'updatedAt'
> {
  readonly environmentVariables: readonly VariableInput[];
  readonly alertChannelSubscriptions: readonly SubscribedChannel[];
}

/** A group in a response. */
export interface ShownGroup extends Warned<Omit<CheckGroup, 'environmentVariables'>> {
  readonly environmentVariables: readonly ShownVariable[];
  readonly alertChannelSubscriptions: readonly SubscribedChannel[];
}

/** Filters, combined with AND. */
export interface GroupSearch {
  /** All of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** One of these names, exactly. */
  readonly names?: readonly string[] | undefined;
}

export interface GroupDeps
  extends
    Pick<Store, 'checkGroups' | 'checks'>,
    Choices,
    GroupSecretDeps,
    HookScriptDeps,
    NamedResourceDeps,
    Omit<ScriptRuntimeDeps, 'checkGroups'> {
  readonly pingUrl: PingUrl;
  readonly settingsWarnings: SettingsWarnings;
  readonly missingVariables: Pick<MissingVariables, 'ofGroup' | 'ofDeletion'>;
}

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export type GroupActions = ReturnType<typeof createGroupActions>;

export function createGroupActions(deps: GroupDeps) {
  const { checkGroups, checks } = deps;
  const required = async (caller: Caller, id: number): Promise<StoredGroup> => {
    requirePermission(caller, 'read');
    return orNotFound(await checkGroups.find(caller.accountId, id), 'check group', id);
  };
  return {
    /** Ordered by ID. */
    async list(caller: Caller, search: GroupSearch, slice: Slice): Promise<Page<ShownGroup>> {
      requirePermission(caller, 'read');
      const { rows, total } = await checkGroups.list(caller.accountId, search, slice);
      return { rows: rows.map((stored) => shownGroup(caller, stored)), total };
    },
    find: async (caller: Caller, id: number): Promise<ShownGroup> => shownGroup(caller, await required(caller, id)),
    /**
     * @param isAutoAssigned subscribe the channels that have `autoSubscribe` set
     * @param copyOf a stored group, for values that the input masks or omits
     */
    async create(caller: Caller, input: GroupInput, isAutoAssigned: boolean, copyOf?: number): Promise<ShownGroup> {
      requirePermission(caller, 'write');
      const from = copyOf === undefined ? null : (await required(caller, copyOf)).group;
      const { alertChannelSubscriptions: subscriptions } = input;
      const group = await draftGroup(caller, input, deps, from);
      refuseProblems(await groupSecretProblems(group, subscriptions, true, deps));
      return shownWithWarnings(
        caller,
        savedOrRefused(await checkGroups.add({ group, subscriptions, isAutoAssigned })),
        deps,
      );
    },
    /** Keeps fields that are not given. */
    change: (caller: Caller, id: number, change: Change<GroupInput>, expected: Expected = null) =>
      changeGroup(caller, id, { change, expected }, deps),
    /** Lets older assertions of the defaults fail if their value does not exist, like new ones. */
    upgradeAssertions: (caller: Caller, id: number): Promise<ShownGroup> => upgradeAssertions(caller, id, deps),
    /** Keeps the checks, without a group. Refused if scripts of the checks would be left without a runtime. */
    remove: (caller: Caller, id: number): Promise<readonly Warning[]> => removeGroup(caller, id, deps),
    /** The checks of a group, ordered by `groupOrder`. */
    async listChecks(caller: Caller, id: number, slice: Slice): Promise<Page<ShownCheck>> {
      const { group } = await required(caller, id);
      const { rows, total } = await checks.list(caller.accountId, { groupId: id, order: 'group' }, slice);
      return { rows: rows.map((stored) => shownCheck(caller, stored, group, deps)), total };
    },
    /** Adds checks to the group, which leave their previous one, and removes others; all or none. */
    changeChecks: (caller: Caller, id: number, change: MemberChange): Promise<MembersMoved> =>
      changeChecks(caller, id, change, deps),
    /** A check of a group with the group's settings applied. */
    async findCheck(caller: Caller, id: number, checkId: string): Promise<ShownCheck> {
      const { group } = await required(caller, id);
      const stored = await checks.find(caller.accountId, checkId);
      if (stored?.check.groupId !== id) throw notFound(`check in check group ${id}:`, checkId);
      return shownCheck(caller, { ...stored, check: effectiveCheck(stored.check, group) }, group, deps);
    },
  };
}

interface ExpectedChange {
  readonly change: Change<GroupInput>;
  readonly expected: Expected;
}

async function changeGroup(
  caller: Caller,
  id: number,
  { change, expected }: ExpectedChange,
  deps: GroupDeps,
): Promise<ShownGroup> {
  requirePermission(caller, 'write');
  await refuseChange(caller, id, change, deps);
  const changed = await deps.checkGroups.change(caller.accountId, id, ({ group }) => {
    requireRevision(group, expected);
    return {
      group: withMuteStart(changedGroup(group, change), group, change.mutedUntilRecovery !== undefined, deps.now()),
      subscriptions: change.alertChannelSubscriptions ?? null,
      isAutoAssigned: false,
    };
  });
  if (changed === null) throw notFound('check group', id);
  return shownWithWarnings(caller, savedOrRefused(changed), deps);
}

async function upgradeAssertions(caller: Caller, id: number, deps: GroupDeps): Promise<ShownGroup> {
  requirePermission(caller, 'write');
  const changed = await deps.checkGroups.change(caller.accountId, id, ({ group }) => ({
    group: { ...group, apiCheckDefaults: upgradedRequest(group.apiCheckDefaults) },
    subscriptions: null,
    isAutoAssigned: false,
  }));
  if (changed === null) throw notFound('check group', id);
  return shownWithWarnings(caller, savedOrRefused(changed), deps);
}

/** Checks that used the group's runtime must get one without it. */
async function removeGroup(caller: Caller, id: number, deps: GroupDeps): Promise<readonly Warning[]> {
  requirePermission(caller, 'write');
  const { accountId } = caller;
  const present = orNotFound(await deps.checkGroups.find(accountId, id), 'check group', id);
  refuseProblems(await groupRuntimeProblems(present.group, null, 'runtimeId', deps));
  if (!(await deps.checkGroups.remove(accountId, id))) throw notFound('check group', id);
  return deps.missingVariables.ofDeletion(accountId, groupNames(present.group));
}

async function changeChecks(caller: Caller, id: number, change: MemberChange, deps: GroupDeps): Promise<MembersMoved> {
  requirePermission(caller, 'write');
  const { accountId } = caller;
  const present = orNotFound(await deps.checkGroups.find(accountId, id), 'check group', id);
  refuseProblems([
    ...(await movedRuntimeProblems(accountId, change.add, present.group, 'add', deps)),
    ...(await movedRuntimeProblems(accountId, change.remove, null, 'remove', deps)),
  ]);
  const moved = orNotFound(await deps.checkGroups.moveChecks(accountId, id, change), 'check group', id);
  return savedOrRefused(moved);
}

/**
 * The group that an input describes, validated on its own.
 * @param from a stored group, for values that the input masks or omits; null = none
 */
export async function draftGroup(
  caller: Caller,
  input: GroupInput,
  deps: GroupDeps,
  from: CheckGroup | null = null,
): Promise<CheckGroup> {
  const { accountId } = caller;
  refuseProblems([
    ...placingProblems(input, deps),
    ...(await hookScriptProblems(accountId, input, {}, deps)),
    ...(await namedResourceProblems(accountId, input, {}, deps)),
  ]);
  return withMuteStart(newGroup(caller, input, from), null, true, deps.now());
}

/**
 * The group that a declaration describes, validated as if it were saved.
 * @param present the stored group that it replaces as a whole; null = it is new
 */
export async function declaredGroup(
  caller: Caller,
  input: GroupInput,
  present: CheckGroup | null,
  deps: GroupDeps,
): Promise<CheckGroup> {
  refuseProblems([
    ...placingProblems(input, deps, present ?? {}),
    ...(await hookScriptProblems(caller.accountId, input, present ?? {}, deps)),
    ...(await namedResourceProblems(caller.accountId, input, present ?? {}, deps)),
  ]);
  const isMuteChanged = input.mutedUntilRecovery !== present?.mutedUntilRecovery;
  const fresh = { ...newGroup(caller, input, present), id: present?.id ?? 0 };
  const group = withMuteStart(fresh, present, isMuteChanged, deps.now());
  if (present !== null) await refuseRuntimeOfChange(present, changedScripts(group, present), deps);
  refuseProblems(await groupSecretProblems(group, input.alertChannelSubscriptions, true, deps));
  return group;
}

/** Runtime and scripts of a group, if they differ. */
function changedScripts(group: CheckGroup, present: CheckGroup): Change<GroupInput> {
  const { runtimeId, localSetupScript, localTearDownScript } = group;
  return {
    ...(runtimeId !== present.runtimeId && { runtimeId }),
    ...(localSetupScript !== present.localSetupScript && { localSetupScript }),
    ...(localTearDownScript !== present.localTearDownScript && { localTearDownScript }),
  };
}

/** Validates a change, on its own and against the stored group; does nothing for an unknown group. */
async function refuseChange(caller: Caller, id: number, change: Change<GroupInput>, deps: GroupDeps): Promise<void> {
  const { accountId } = caller;
  const present = await deps.checkGroups.find(accountId, id);
  if (present === null) return;
  refuseProblems([
    ...placingProblems(change, deps, present.group),
    ...(isAboutHookScripts(change) ? await hookScriptProblems(accountId, change, present.group, deps) : []),
    ...(await namedResourceProblems(accountId, change, present.group, deps)),
  ]);
  await refuseSecretsOfChange(present, change, deps);
  await refuseRuntimeOfChange(present.group, change, deps);
}

/** Variables are validated together with the subscriptions, stored or new. */
async function refuseSecretsOfChange(present: StoredGroup, change: Change<GroupInput>, deps: GroupDeps): Promise<void> {
  const { alertChannelSubscriptions: written, environmentVariables } = change;
  if (written === undefined && environmentVariables === undefined) return;
  const group = changedGroup(present.group, change);
  const subscriptions = written ?? present.subscriptions;
  refuseProblems(await groupSecretProblems(group, subscriptions, written !== undefined, deps));
}

/** A new runtime, or new scripts that need one, is validated together with the checks of the group. */
async function refuseRuntimeOfChange(present: CheckGroup, change: Change<GroupInput>, deps: GroupDeps): Promise<void> {
  const { runtimeId } = change;
  const script = hookScriptFields.find((field) => (change[field] ?? null) !== null);
  const isOtherRuntime = runtimeId !== undefined && runtimeId !== present.runtimeId;
  if (!isOtherRuntime && script === undefined) return;
  const path = isOtherRuntime ? 'runtimeId' : (script ?? 'runtimeId');
  refuseProblems(await groupRuntimeProblems(present, changedGroup(present, change), path, deps));
}

function newGroup({ accountId }: Caller, input: GroupInput, from: CheckGroup | null): CheckGroup {
  const { alertChannelSubscriptions: _apart, ...fields } = input;
  return {
    ...fields,
    accountId,
    id: 0,
    mutedFrom: null,
    createdAt: 0,
    updatedAt: null,
    environmentVariables: mergedVariables(input.environmentVariables, from?.environmentVariables ?? []),
    apiCheckDefaults: mergedRequest(
      requestWithMeaning(input.apiCheckDefaults, from?.apiCheckDefaults ?? null),
      from?.apiCheckDefaults ?? null,
      'apiCheckDefaults',
    ),
  };
}

/** The group with a change merged into it. */
export function changedGroup(present: CheckGroup, change: Change<GroupInput>): CheckGroup {
  const { alertChannelSubscriptions: _apart, environmentVariables, ...written } = change;
  const fields = merged<Omit<GroupInput, 'alertChannelSubscriptions' | 'environmentVariables'>>(written, present);
  return {
    ...present,
    ...fields,
    ...(environmentVariables && {
      environmentVariables: mergedVariables(environmentVariables, present.environmentVariables),
    }),
    ...(fields.apiCheckDefaults && {
      apiCheckDefaults: mergedRequest(
        requestWithMeaning(fields.apiCheckDefaults, present.apiCheckDefaults),
        present.apiCheckDefaults,
        'apiCheckDefaults',
      ),
    }),
  };
}

/** The response to a write. */
async function shownWithWarnings(caller: Caller, stored: StoredGroup, deps: GroupDeps): Promise<ShownGroup> {
  const { group } = stored;
  return withWarnings(shownGroup(caller, stored), [
    ...(await deps.missingVariables.ofGroup(group)),
    ...nestedVariableWarnings(group.environmentVariables),
    ...deps.settingsWarnings.ofDefaults(group.apiCheckDefaults),
  ]);
}

function shownGroup(caller: Caller, { group, subscriptions }: StoredGroup): ShownGroup {
  return {
    ...group,
    environmentVariables: shownVariables(caller, group.environmentVariables),
    apiCheckDefaults: requestWithShownMeaning(shownRequest(caller, group.apiCheckDefaults)),
    alertChannelSubscriptions: subscriptions,
  };
}
