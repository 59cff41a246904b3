// What a caller may do with check groups (reference §4.4).
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';
import { type Change, merged } from '#domain/patch.ts';
import {
  type AroundScriptMeans,
  aroundScriptFields,
  aroundScriptProblems,
  isAboutAroundScripts,
} from './around-scripts.ts';
import { type Choices, placingProblems } from './check-rules.ts';
import type { CheckSearch } from './checks.ts';
import { type PingUrl, type ShownCheck, shownCheck, type StoredCheck } from './shown-check.ts';
import { type GroupSecretMeans, groupSecretProblems } from './group-secrets.ts';
import {
  requestMeant,
  type ShownVariable,
  shownRequest,
  shownVariables,
  type VariableInput,
  variablesMeant,
} from '../masking.ts';
import { groupNames, type MissingVariables } from './missing-variables.ts';
import { requirePermission } from '../accounts/permission.ts';
import { refuseProblems } from '../problems.ts';
import { groupRuntimeProblems } from './runtime-changes.ts';
import type { ScriptRuntimeMeans } from './script-runtime.ts';
import { notFound } from '../refusal.ts';
import { type Saved, savedOrRefused } from './saved.ts';
import type { Slice } from '../accounts/variables.ts';
import { nestedVariableWarnings, type SettingsWarnings, type Warned, type Warning, withWarnings } from '../warnings.ts';

/** A group as it is written. */
export interface GroupInput extends Omit<
  CheckGroup,
  'accountId' | 'id' | 'environmentVariables' | 'createdAt' | 'updatedAt'
> {
  readonly environmentVariables: readonly VariableInput[];
  readonly alertChannelSubscriptions: readonly SubscribedChannel[];
}

/** A group as it may be shown. */
export interface ShownGroup extends Warned<Omit<CheckGroup, 'environmentVariables'>> {
  readonly environmentVariables: readonly ShownVariable[];
  readonly alertChannelSubscriptions: readonly SubscribedChannel[];
}

/** What groups are listed by: all that is given holds. */
export interface GroupSearch {
  /** All of them. */
  readonly tags?: readonly string[] | undefined;
  /** One of them, exactly. */
  readonly names?: readonly string[] | undefined;
}

interface Stored {
  readonly group: CheckGroup;
  readonly subscriptions: readonly SubscribedChannel[];
}

interface Write {
  readonly group: CheckGroup;
  readonly subscriptions: readonly SubscribedChannel[] | null;
  readonly isAutoAssigned: boolean;
}

/** What these actions need. */
export interface GroupMeans
  extends Choices, GroupSecretMeans, AroundScriptMeans, Omit<ScriptRuntimeMeans, 'checkGroups'> {
  readonly pingUrl: PingUrl;
  readonly settingsWarnings: SettingsWarnings;
  readonly missingVariables: Pick<MissingVariables, 'ofGroup' | 'ofDeletion'>;
  readonly checkGroups: {
    list(accountId: string, search: GroupSearch, slice: Slice): Promise<{ rows: Stored[]; total: number }>;
    find(accountId: string, id: number): Promise<Stored | null>;
    add(write: Write): Promise<Saved<Stored>>;
    change(accountId: string, id: number, edit: (present: Stored) => Write): Promise<Saved<Stored> | null>;
    remove(accountId: string, id: number): Promise<boolean>;
  };
  readonly checks: {
    list(accountId: string, search: CheckSearch, slice: Slice): Promise<{ rows: StoredCheck[]; total: number }>;
    find(accountId: string, id: string): Promise<StoredCheck | null>;
  };
}

/** Ids of other accounts are refused as ids of nothing are: `not-found`. */
export interface GroupActions {
  /** In the order of their ids. */
  list(caller: Caller, search: GroupSearch, slice: Slice): Promise<{ rows: ShownGroup[]; total: number }>;
  find(caller: Caller, id: number): Promise<ShownGroup>;
  /** @param isAutoAssigned subscribe the channels that subscribe to everything new */
  create(caller: Caller, input: GroupInput, isAutoAssigned: boolean): Promise<ShownGroup>;
  /** What is not named stays. */
  change(caller: Caller, id: number, change: Change<GroupInput>): Promise<ShownGroup>;
  /** Its checks stay, in no group, and run as they say themselves; refused where scripts of theirs would have no runtime then. */
  remove(caller: Caller, id: number): Promise<readonly Warning[]>;
  /** Its checks, in the order of their `groupOrder`. */
  listChecks(caller: Caller, id: number, slice: Slice): Promise<{ rows: ShownCheck[]; total: number }>;
  /** One of its checks, with the values that hold once the group's are applied. */
  findCheck(caller: Caller, id: number, checkId: string): Promise<ShownCheck>;
}

export function createGroupActions(means: GroupMeans): GroupActions {
  const { checkGroups, checks } = means;
  const required = async (caller: Caller, id: number): Promise<Stored> => {
    requirePermission(caller, 'read');
    const stored = await checkGroups.find(caller.accountId, id);
    if (stored === null) throw notFound('check group', id);
    return stored;
  };
  return {
    async list(caller, search, slice) {
      requirePermission(caller, 'read');
      const { rows, total } = await checkGroups.list(caller.accountId, search, slice);
      return { rows: rows.map((stored) => shownGroup(caller, stored)), total };
    },
    find: async (caller, id) => shownGroup(caller, await required(caller, id)),
    async create(caller, input, isAutoAssigned) {
      requirePermission(caller, 'write');
      await refuseNew(caller, input, means);
      const { alertChannelSubscriptions: subscriptions } = input;
      const group = newGroup(caller, input);
      refuseProblems(await groupSecretProblems(group, subscriptions, true, means));
      return shownWithWarnings(
        caller,
        savedOrRefused(await checkGroups.add({ group, subscriptions, isAutoAssigned })),
        means,
      );
    },
    async change(caller, id, change) {
      requirePermission(caller, 'write');
      await refuseChange(caller, id, change, means);
      const changed = await checkGroups.change(caller.accountId, id, ({ group }) => ({
        group: changedGroup(group, change),
        subscriptions: change.alertChannelSubscriptions ?? null,
        isAutoAssigned: false,
      }));
      if (changed === null) throw notFound('check group', id);
      return shownWithWarnings(caller, savedOrRefused(changed), means);
    },
    remove: (caller, id) => removeGroup(caller, id, means),
    async listChecks(caller, id, slice) {
      const { group } = await required(caller, id);
      const { rows, total } = await checks.list(caller.accountId, { groupId: id, order: 'group' }, slice);
      return { rows: rows.map((stored) => shownCheck(caller, stored, group, means)), total };
    },
    async findCheck(caller, id, checkId) {
      const { group } = await required(caller, id);
      const stored = await checks.find(caller.accountId, checkId);
      if (stored?.check.groupId !== id) throw notFound(`check in check group ${id}:`, checkId);
      return shownCheck(caller, { ...stored, check: effectiveCheck(stored.check, group) }, group, means);
    },
  };
}

/** Its checks must have a runtime without it. */
async function removeGroup(caller: Caller, id: number, means: GroupMeans): Promise<readonly Warning[]> {
  requirePermission(caller, 'write');
  const { accountId } = caller;
  const present = await means.checkGroups.find(accountId, id);
  if (present === null) throw notFound('check group', id);
  refuseProblems(await groupRuntimeProblems(present.group, null, 'runtimeId', means));
  if (!(await means.checkGroups.remove(accountId, id))) throw notFound('check group', id);
  return means.missingVariables.ofDeletion(accountId, groupNames(present.group));
}

/** What is wrong with a new one by itself. */
async function refuseNew({ accountId }: Caller, input: GroupInput, means: GroupMeans): Promise<void> {
  refuseProblems([...placingProblems(input, means), ...(await aroundScriptProblems(accountId, input, {}, means))]);
}

/** What is wrong with a change, by itself and with what is there; of a group that is not there nothing. */
async function refuseChange(caller: Caller, id: number, change: Change<GroupInput>, means: GroupMeans): Promise<void> {
  const { accountId } = caller;
  const present = await means.checkGroups.find(accountId, id);
  if (present === null) return;
  refuseProblems([
    ...placingProblems(change, means, present.group),
    ...(isAboutAroundScripts(change) ? await aroundScriptProblems(accountId, change, present.group, means) : []),
  ]);
  await refuseSecretsOfChange(present, change, means);
  await refuseRuntimeOfChange(present.group, change, means);
}

/** A change of the variables is judged with the subscriptions there are, and the other way round. */
async function refuseSecretsOfChange(present: Stored, change: Change<GroupInput>, means: GroupMeans): Promise<void> {
  const { alertChannelSubscriptions: written, environmentVariables } = change;
  if (written === undefined && environmentVariables === undefined) return;
  const group = changedGroup(present.group, change);
  const subscriptions = written ?? present.subscriptions;
  refuseProblems(await groupSecretProblems(group, subscriptions, written !== undefined, means));
}

/** A change of the runtime, or of the scripts that need one, is judged with the checks there are. */
async function refuseRuntimeOfChange(
  present: CheckGroup,
  change: Change<GroupInput>,
  means: GroupMeans,
): Promise<void> {
  const { runtimeId } = change;
  const script = aroundScriptFields.find((field) => (change[field] ?? null) !== null);
  const isOtherRuntime = runtimeId !== undefined && runtimeId !== present.runtimeId;
  if (!isOtherRuntime && script === undefined) return;
  const path = isOtherRuntime ? 'runtimeId' : (script ?? 'runtimeId');
  refuseProblems(await groupRuntimeProblems(present, changedGroup(present, change), path, means));
}

function newGroup({ accountId }: Caller, input: GroupInput): CheckGroup {
  const { alertChannelSubscriptions: _apart, ...fields } = input;
  return {
    ...fields,
    accountId,
    id: 0,
    createdAt: 0,
    updatedAt: null,
    environmentVariables: variablesMeant(input.environmentVariables, []),
    apiCheckDefaults: requestMeant(input.apiCheckDefaults, null, 'apiCheckDefaults'),
  };
}

function changedGroup(present: CheckGroup, change: Change<GroupInput>): CheckGroup {
  const { alertChannelSubscriptions: _apart, environmentVariables, ...written } = change;
  const fields = merged<Omit<GroupInput, 'alertChannelSubscriptions' | 'environmentVariables'>>(written, present);
  return {
    ...present,
    ...fields,
    ...(environmentVariables && {
      environmentVariables: variablesMeant(environmentVariables, present.environmentVariables),
    }),
    ...(fields.apiCheckDefaults && {
      apiCheckDefaults: requestMeant(fields.apiCheckDefaults, present.apiCheckDefaults, 'apiCheckDefaults'),
    }),
  };
}

/** The answer of a write. */
async function shownWithWarnings(caller: Caller, stored: Stored, means: GroupMeans): Promise<ShownGroup> {
  const { group } = stored;
  return withWarnings(shownGroup(caller, stored), [
    ...(await means.missingVariables.ofGroup(group)),
    ...nestedVariableWarnings(group.environmentVariables),
    ...means.settingsWarnings.ofDefaults(group.apiCheckDefaults),
  ]);
}

function shownGroup(caller: Caller, { group, subscriptions }: Stored): ShownGroup {
  return {
    ...group,
    environmentVariables: shownVariables(caller, group.environmentVariables),
    apiCheckDefaults: shownRequest(caller, group.apiCheckDefaults),
    alertChannelSubscriptions: subscriptions,
  };
}
