// What a caller may do with checks (reference §4.3, decisions: Checks).
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { CheckStatus } from '#domain/checks/check-state.ts';
import { type Check, type CheckType, pathOfType } from '#domain/checks/check.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';
import type { JsonObject } from '#domain/json.ts';
import { type Change, merged } from '#domain/patch.ts';
import {
  type AroundScriptMeans,
  aroundScriptFields,
  aroundScriptProblems,
  isAboutAroundScripts,
} from './around-scripts.ts';
import { type Choices, frequencyProblems, placingProblems } from './check-rules.ts';
import { heartbeatMeant } from '../heartbeats/heartbeat-settings.ts';
import { objectOrNull, requestMeant, type VariableInput, variablesMeant } from '../masking.ts';
import type { MissingVariables } from './missing-variables.ts';
import { requirePermission } from '../accounts/permission.ts';
import { type Problem, refuseProblems } from '../problems.ts';
import { isAboutProgram, type ProgramMeans, programProblems } from './program-scripts.ts';
import { notFound, Refusal } from '../refusal.ts';
import {
  type Inherited,
  inheritedRuntime,
  rememberGroups,
  runtimeWarning,
  type ScriptRuntimeMeans,
  scriptRuntimeProblems,
} from './script-runtime.ts';
import { ruleWarnings } from './rule-warnings.ts';
import { type Saved, savedOrRefused } from './saved.ts';
import type { Slice } from '../accounts/variables.ts';
import { nestedVariableWarnings, type SettingsWarnings, withWarnings } from '../warnings.ts';
import { type PingUrl, type ShownCheck, shownCheck, type StoredCheck } from './shown-check.ts';

/** A check as it is written. */
export interface CheckInput extends Omit<
  Check,
  'accountId' | 'id' | 'checkType' | 'environmentVariables' | 'createdAt' | 'updatedAt'
> {
  readonly environmentVariables: readonly VariableInput[];
  readonly alertChannelSubscriptions: readonly SubscribedChannel[];
}

/** A change to a check; the settings in it may be patches. */
export interface CheckChange extends Change<Omit<CheckInput, 'settings'>> {
  readonly settings?: JsonObject;
}

/** What checks are listed by: all that is given holds. */
export interface CheckSearch {
  /** All of them. */
  readonly tags?: readonly string[] | undefined;
  readonly checkType?: string | undefined;
  readonly search?: string | undefined;
  readonly activated?: boolean | undefined;
  readonly groupId?: number | undefined;
  readonly status?: CheckStatus | undefined;
  readonly apiCheckUrlFilterPattern?: string | undefined;
  /** Newest first, or by `groupOrder`; absent = newest. */
  readonly order?: 'newest' | 'group' | undefined;
}

interface Write {
  readonly check: Check;
  readonly subscriptions: readonly SubscribedChannel[] | null;
  readonly isAutoAssigned: boolean;
  /** Those it uses and does not define itself. */
  readonly variables: readonly string[];
}

/** What these actions need. */
export interface CheckMeans extends Choices, ScriptRuntimeMeans, AroundScriptMeans, ProgramMeans {
  readonly checks: {
    list(accountId: string, search: CheckSearch, slice: Slice): Promise<{ rows: StoredCheck[]; total: number }>;
    find(accountId: string, id: string): Promise<StoredCheck | null>;
    add(write: Write): Promise<Saved<StoredCheck>>;
    change(accountId: string, id: string, edit: (present: StoredCheck) => Write): Promise<Saved<StoredCheck> | null>;
    remove(accountId: string, id: string): Promise<boolean>;
  };
  /** What the kind of a check says of its settings; empty = fine. */
  readonly validateSettings: (checkType: CheckType, settings: JsonObject) => readonly Problem[];
  readonly settingsWarnings: SettingsWarnings;
  readonly missingVariables: Pick<MissingVariables, 'namesOf' | 'ofCheck'>;
  readonly newId: () => string;
  /** UUID that nobody can guess. */
  readonly newToken: () => string;
  /** Where a heartbeat with that token is pinged. */
  readonly pingUrl: PingUrl;
}

/** Ids of other accounts are refused as ids of nothing are: `not-found`. */
export interface CheckActions {
  /**
   * Newest first.
   *
   * @param isEffective show the values that hold once the group's are applied
   */
  list(
    caller: Caller,
    search: CheckSearch,
    slice: Slice,
    isEffective?: boolean,
  ): Promise<{ rows: ShownCheck[]; total: number }>;
  find(caller: Caller, id: string, isEffective?: boolean): Promise<ShownCheck>;
  /** @param isAutoAssigned subscribe the channels that subscribe to everything new */
  create(caller: Caller, checkType: CheckType, input: CheckInput, isAutoAssigned: boolean): Promise<ShownCheck>;
  /**
   * What is not named stays; of the settings, too.
   *
   * @param checkType a check of another type is refused as one that is not there is; null = of any type, and settings
   * are those of an API check
   * @param said the type that the change itself names: a check never becomes one of another
   */
  change(
    caller: Caller,
    id: string,
    change: CheckChange,
    checkType: CheckType | null,
    said?: CheckType,
  ): Promise<ShownCheck>;
  remove(caller: Caller, id: string): Promise<void>;
}

export function createCheckActions(means: CheckMeans): CheckActions {
  const { checks, newId } = means;
  return {
    async list(caller, search, slice, isEffective = false) {
      requirePermission(caller, 'read');
      const { rows, total } = await checks.list(caller.accountId, search, slice);
      const shown = isEffective ? await withGroups(caller, rows, means) : rows;
      return { rows: await allWithRuntimes(caller, shown, means), total };
    },
    async find(caller, id, isEffective = false) {
      requirePermission(caller, 'read');
      const stored = await checks.find(caller.accountId, id);
      if (stored === null) throw notFound('check', id);
      const [shown = stored] = isEffective ? await withGroups(caller, [stored], means) : [stored];
      return shownWithRuntime(caller, shown, means);
    },
    async create(caller, checkType, input, isAutoAssigned) {
      requirePermission(caller, 'write');
      const { alertChannelSubscriptions: subscriptions, ...fields } = input;
      const environmentVariables = variablesMeant(input.environmentVariables, []);
      const identity = { accountId: caller.accountId, id: newId(), checkType, createdAt: 0, updatedAt: null };
      const check: Check = {
        ...fields,
        ...identity,
        environmentVariables,
        settings: settingsMeant(checkType, input.settings, {}, means),
      };
      refuseProblems([...problemsOf(check, input, null, means), ...(await scriptProblemsOf(check, means))]);
      const variables = means.missingVariables.namesOf(check);
      const added = await checks.add({ check, subscriptions, isAutoAssigned, variables });
      return shownWithWarnings(caller, savedOrRefused(added), means);
    },
    async change(caller, id, wanted, checkType, said) {
      requirePermission(caller, 'write');
      const inherited = await inheritedBy(caller, id, wanted, means);
      const ofScripts = await scriptProblemsOfChange(caller, id, wanted, means);
      const changed = await checks.change(caller.accountId, id, ({ check: present }) => {
        requireType(present, wanted, checkType, said);
        const change = mergedCheck(wanted, present);
        const { alertChannelSubscriptions: subscriptions = null, ...fields } = change;
        const environmentVariables =
          change.environmentVariables === undefined
            ? present.environmentVariables
            : variablesMeant(change.environmentVariables, present.environmentVariables);
        const settings = settingsMeant(present.checkType, change.settings ?? {}, present.settings, means);
        const check: Check = { ...present, ...fields, environmentVariables, settings };
        const ofRuntime = inherited === null ? [] : scriptRuntimeProblems(check, inherited, means);
        refuseProblems([...problemsOf(check, change, present, means), ...ofRuntime, ...ofScripts]);
        return { check, subscriptions, isAutoAssigned: false, variables: means.missingVariables.namesOf(check) };
      });
      if (changed === null) throw notFound('check', id);
      return shownWithWarnings(caller, savedOrRefused(changed), means);
    },
    async remove(caller, id) {
      requirePermission(caller, 'write');
      if (!(await checks.remove(caller.accountId, id))) throw notFound('check', id);
    },
  };
}

/** A change with its patches merged into the check. */
function mergedCheck(wanted: CheckChange, present: Check): Partial<CheckInput> {
  const { settings, alertChannelSubscriptions, environmentVariables, ...own } = wanted;
  return {
    ...merged<Omit<Check, 'settings' | 'environmentVariables'>>(own, present),
    ...(alertChannelSubscriptions && { alertChannelSubscriptions }),
    ...(environmentVariables && { environmentVariables }),
    ...(settings && { settings: merged<JsonObject>(settings, present.settings) as JsonObject }),
  };
}

/** What is wrong with the scripts of a new check. */
async function scriptProblemsOf(check: Check, means: CheckMeans): Promise<Problem[]> {
  const inherited = await inheritedRuntime(check, means);
  return [
    ...scriptRuntimeProblems(check, inherited, means),
    ...(await aroundScriptProblems(check.accountId, check.settings, {}, means)),
    ...(await programProblems(check, inherited, means)),
  ];
}

/** The same of those that a change writes, in the check as it will be. */
async function scriptProblemsOfChange(
  caller: Caller,
  id: string,
  change: CheckChange,
  means: CheckMeans,
): Promise<Problem[]> {
  const { runtimeId, runtimeFallback, groupId, settings = {} } = change;
  if (!isAboutAroundScripts(settings) && !isAboutProgram(settings)) return [];
  const present = await means.checks.find(caller.accountId, id);
  if (present === null) return [];
  const { check } = present;
  const problems = await aroundScriptProblems(caller.accountId, settings, check.settings, means);
  const next: Check = {
    ...check,
    settings: { ...check.settings, ...settings },
    ...(runtimeId !== undefined && { runtimeId }),
    ...(runtimeFallback !== undefined && { runtimeFallback }),
    ...(groupId !== undefined && { groupId }),
  };
  if (!isAboutProgram(settings)) return problems;
  return [...problems, ...(await programProblems(next, await inheritedRuntime(next, means), means))];
}

/** Refuses what is meant for a check of another type: settings of one make none of another. */
function requireType(
  present: Check,
  change: CheckChange,
  checkType: CheckType | null,
  said: CheckType | undefined,
): void {
  if (said !== undefined && said !== present.checkType) {
    const message = `cannot be changed from ${present.checkType}: create a new check for another type`;
    refuseProblems([{ path: 'checkType', message }]);
  }
  if (checkType !== null && checkType !== present.checkType) {
    const message = `Check ${present.id} is of type ${present.checkType}. Use /v1/checks/${pathOfType(present.checkType)}/${present.id}.`;
    throw new Refusal('not-found', message);
  }
  if (checkType !== null || present.checkType === 'API' || change.settings === undefined) return;
  const own = `change the settings of this ${present.checkType} check under the path of its type`;
  const message = `applies to API checks only: ${own}`;
  refuseProblems(Object.keys(change.settings).map((path) => ({ path, message })));
}

/** What a check will inherit once it is changed; null = the change is not about its runtime. */
async function inheritedBy(
  caller: Caller,
  id: string,
  change: CheckChange,
  means: CheckMeans,
): Promise<Inherited | null> {
  const { runtimeId, groupId, runtimeFallback, settings = {} } = change;
  const isAboutScripts = aroundScriptFields.some((field) => settings[field] !== undefined);
  const isAboutRuntime = runtimeId !== undefined || groupId !== undefined || runtimeFallback !== undefined;
  if (!isAboutRuntime && !isAboutScripts) return null;
  const present = await means.checks.find(caller.accountId, id);
  if (present === null) return null;
  const { check } = present;
  return inheritedRuntime(
    {
      ...check,
      groupId: groupId === undefined ? check.groupId : groupId,
      settings: { ...check.settings, ...settings },
    },
    means,
  );
}

function allWithRuntimes(caller: Caller, rows: readonly StoredCheck[], means: CheckMeans): Promise<ShownCheck[]> {
  const once = { ...means, checkGroups: rememberGroups(means.checkGroups) };
  return Promise.all(rows.map((stored) => shownWithRuntime(caller, stored, once)));
}

/** A stored check as a caller may see it, with what is to be known of its runtime. */
async function shownWithRuntime(caller: Caller, stored: StoredCheck, means: CheckMeans): Promise<ShownCheck> {
  const { check } = stored;
  const warning = runtimeWarning(check, await inheritedRuntime(check, means), means);
  const { groupId, accountId } = check;
  const group = groupId === null ? null : ((await means.checkGroups.find(accountId, groupId))?.group ?? null);
  return {
    ...shownCheck(caller, stored, group, means),
    ...(warning !== undefined && { runtimeWarning: warning }),
  };
}

/** The answer of a write. */
async function shownWithWarnings(caller: Caller, stored: StoredCheck, means: CheckMeans): Promise<ShownCheck> {
  const { check } = stored;
  const found = check.groupId === null ? null : await means.checkGroups.find(check.accountId, check.groupId);
  return withWarnings(await shownWithRuntime(caller, stored, means), [
    ...(await means.missingVariables.ofCheck(check, found?.group ?? null)),
    ...nestedVariableWarnings(check.environmentVariables),
    ...means.settingsWarnings.ofCheck(check, found?.group.apiCheckDefaults ?? null),
    ...ruleWarnings(check, found?.group ?? null),
  ]);
}

/**
 * What is wrong with a check, of the fields that were written: what was right once is not judged again.
 *
 * @param present as it was; null = it is new
 */
function problemsOf(check: Check, written: Partial<CheckInput>, present: Check | null, means: CheckMeans): Problem[] {
  const problems = placingProblems(written, means, present ?? {}, check.runtimeFallback);
  const isTimed = written.frequency !== undefined || written.frequencyOffset !== undefined;
  if (isTimed) problems.push(...frequencyProblems(check));
  if (written.settings !== undefined) problems.push(...means.validateSettings(check.checkType, check.settings));
  return problems;
}

function settingsMeant(
  checkType: CheckType,
  written: JsonObject,
  present: JsonObject,
  { newToken }: CheckMeans,
): JsonObject {
  const settings = { ...present, ...written };
  if (checkType === 'HEARTBEAT') return { ...settings, heartbeat: heartbeatMeant(written, present, newToken) };
  const request = objectOrNull(written['request']);
  if (request === null) return settings;
  return { ...settings, request: requestMeant(request, objectOrNull(present['request']), 'request') };
}

async function withGroups(
  caller: Caller,
  rows: readonly StoredCheck[],
  { checkGroups }: CheckMeans,
): Promise<StoredCheck[]> {
  const groups = new Map<number, CheckGroup | null>();
  for (const { check } of rows) {
    if (check.groupId === null || groups.has(check.groupId)) continue;
    groups.set(check.groupId, (await checkGroups.find(caller.accountId, check.groupId))?.group ?? null);
  }
  return rows.map((stored) => {
    const group = stored.check.groupId === null ? null : (groups.get(stored.check.groupId) ?? null);
    return { ...stored, check: effectiveCheck(stored.check, group) };
  });
}
