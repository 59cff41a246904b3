// Actions on checks (reference §4.3, decisions: Checks).
import type { Page, Slice } from '#store/base/database.ts';
import type { StoredCheck } from '#store/checks/checks.ts';
import type { Store } from '#store/store.ts';
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { CheckStatus } from '#domain/checks/check-state.ts';
import { type Check, type CheckType, pathOfType } from '#domain/checks/check.ts';
import { settingsWithMeaning, upgradedSettings } from '#domain/checks/absent-values.ts';
import { effectiveCheck, withMuteStart } from '#domain/checks/effective-check.ts';
import type { JsonObject } from '#domain/json.ts';
import { type Change, merged } from '#domain/patch.ts';
import {
  type HookScriptDeps,
  hookScriptFields,
  hookScriptProblems,
  isAboutHookScripts,
  isAboutProgram,
  type ProgramDeps,
  programProblems,
} from './check-scripts.ts';
import { type Choices, frequencyProblems, placingProblems, savedOrRefused } from './check-rules.ts';
import { mergedHeartbeat } from '../heartbeats/heartbeat-settings.ts';
import { objectOrNull, mergedRequest, type VariableInput, mergedVariables } from '../masking.ts';
import type { MissingVariables } from './missing-variables.ts';
import { type Expected, requireRevision } from '../expected-revision.ts';
import { requirePermission } from '../accounts/permission.ts';
import { type Problem, refuseProblems, notFound, Refusal } from '../refusal.ts';
import {
  type Inherited,
  inheritedRuntime,
  rememberGroups,
  runtimeWarning,
  type ScriptRuntimeDeps,
  scriptRuntimeProblems,
} from './script-runtime.ts';
import { ruleWarnings, nestedVariableWarnings, type SettingsWarnings, withWarnings } from '../warnings.ts';
import { type PingUrl, type ShownCheck, shownCheck } from './shown-check.ts';

/** A check in a request. */
export interface CheckInput extends Omit<
  Check,
  'accountId' | 'id' | 'checkType' | 'mutedFrom' | 'environmentVariables' | 'createdAt' | 'updatedAt'
> {
  readonly environmentVariables: readonly VariableInput[];
  readonly alertChannelSubscriptions: readonly SubscribedChannel[];
}

/** A change to a check. Its settings may contain patches. */
export interface CheckChange extends Change<Omit<CheckInput, 'settings'>> {
  readonly settings?: JsonObject;
}

/** Filters, combined with AND. */
export interface CheckSearch {
  /** All of these tags. */
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

/** What a change is meant for. */
export interface ChangeOptions {
  /** The type named in the body, which must be the check's type. */
  readonly namedType?: CheckType | undefined;
  readonly expected?: Expected;
}

interface Write {
  readonly check: Check;
  readonly subscriptions: readonly SubscribedChannel[] | null;
  readonly isAutoAssigned: boolean;
  /** Variables that it uses and does not define itself. */
  readonly variables: readonly string[];
}

export interface CheckDeps extends Choices, ScriptRuntimeDeps, HookScriptDeps, ProgramDeps {
  readonly checks: Pick<Store['checks'], 'list' | 'find' | 'add' | 'change'> & {
    remove(accountId: string, id: string): Promise<boolean>;
  };
  /** Validation of the settings by the check's kind; empty = valid. */
  readonly validateSettings: (checkType: CheckType, settings: JsonObject) => readonly Problem[];
  readonly settingsWarnings: SettingsWarnings;
  readonly missingVariables: Pick<MissingVariables, 'namesOf' | 'ofCheck'>;
  readonly newId: () => string;
  /** Generates an unguessable UUID. */
  readonly newToken: () => string;
  /** Ping URL of a heartbeat token. */
  readonly pingUrl: PingUrl;
}

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export type CheckActions = ReturnType<typeof createCheckActions>;

export function createCheckActions(deps: CheckDeps) {
  const { checks } = deps;
  return {
    /**
     * Newest first.
     * @param isEffective apply the settings of the group
     */
    async list(caller: Caller, search: CheckSearch, slice: Slice, isEffective = false): Promise<Page<ShownCheck>> {
      requirePermission(caller, 'read');
      const { rows, total } = await checks.list(caller.accountId, search, slice);
      const shown = isEffective ? await withGroups(caller, rows, deps) : rows;
      return { rows: await allWithRuntimes(caller, shown, deps), total };
    },
    async find(caller: Caller, id: string, isEffective = false): Promise<ShownCheck> {
      requirePermission(caller, 'read');
      const stored = await checks.find(caller.accountId, id);
      if (stored === null) throw notFound('check', id);
      const [shown = stored] = isEffective ? await withGroups(caller, [stored], deps) : [stored];
      return shownWithRuntime(caller, shown, deps);
    },
    /**
     * @param isAutoAssigned subscribe the channels that have `autoSubscribe` set
     * @param copyOf a stored check of the same type, for values that the input masks or omits
     */
    async create(caller: Caller, checkType: CheckType, input: CheckInput, isAutoAssigned: boolean, copyOf?: string) {
      requirePermission(caller, 'write');
      const { alertChannelSubscriptions: subscriptions } = input;
      const from = copyOf === undefined ? null : await storedCheck(caller, copyOf, deps);
      // A copy has a ping URL of its own.
      const { heartbeat: _, ...settings } = from?.settings ?? {};
      const draft = await draftCheck(caller, checkType, input, from && { ...from, settings }, deps);
      const check = { ...draft, id: deps.newId() };
      const variables = deps.missingVariables.namesOf(check);
      const added = await checks.add({ check, subscriptions, isAutoAssigned, variables });
      return shownWithWarnings(caller, savedOrRefused(added), deps);
    },
    /**
     * Keeps fields that are not given, also in settings.
     * @param checkType refuse checks of other types (`not-found`); null = any type, with settings of an API check
     */
    async change(
      caller: Caller,
      id: string,
      wanted: CheckChange,
      checkType: CheckType | null,
      { namedType, expected = null }: ChangeOptions = {},
    ) {
      requirePermission(caller, 'write');
      const inherited = await inheritedBy(caller, id, wanted, deps);
      const ofScripts = await scriptProblemsOfChange(caller, id, wanted, deps);
      const changed = await checks.change(caller.accountId, id, ({ check: present }) => {
        requireType(present, wanted, checkType, namedType);
        requireRevision(present, expected);
        const change = mergedCheck(wanted, present);
        const { subscriptions, check } = changedCheck(present, change, wanted, deps);
        const ofRuntime = inherited === null ? [] : scriptRuntimeProblems(check, inherited, deps);
        refuseProblems([...problemsOf(check, change, present, deps), ...ofRuntime, ...ofScripts]);
        return { check, subscriptions, isAutoAssigned: false, variables: deps.missingVariables.namesOf(check) };
      });
      if (changed === null) throw notFound('check', id);
      return shownWithWarnings(caller, savedOrRefused(changed), deps);
    },
    /** Lets older assertions fail if their value does not exist, like new ones. */
    upgradeAssertions: (caller: Caller, id: string): Promise<ShownCheck> => upgradeAssertions(caller, id, deps),
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await checks.remove(caller.accountId, id))) throw notFound('check', id);
    },
  };
}

/** A stored check; refuses `not-found`. */
export async function storedCheck(
  { accountId }: Caller,
  id: string,
  { checks }: Pick<CheckDeps, 'checks'>,
): Promise<Check> {
  const stored = await checks.find(accountId, id);
  if (stored === null) throw notFound('check', id);
  return stored.check;
}

/**
 * The check that an input describes, validated as if it were saved.
 * @param present the stored check, for values that the input masks or omits; null = it is new
 */
export async function draftCheck(
  { accountId }: Caller,
  checkType: CheckType,
  input: CheckInput,
  present: Check | null,
  deps: CheckDeps,
): Promise<Check> {
  if (present !== null) requireType(present, input, checkType, undefined);
  const { alertChannelSubscriptions: _apart, ...fields } = input;
  const draft: Check = {
    ...fields,
    accountId,
    id: present?.id ?? deps.newId(),
    checkType,
    mutedFrom: null,
    createdAt: 0,
    updatedAt: null,
    environmentVariables: mergedVariables(input.environmentVariables, present?.environmentVariables ?? []),
    settings: mergedSettings(checkType, input.settings, present?.settings ?? {}, deps),
  };
  const check = withMuteStart(draft, null, true, deps.now());
  refuseProblems([...problemsOf(check, input, present, deps), ...(await scriptProblemsOf(check, deps))]);
  return check;
}

async function upgradeAssertions(caller: Caller, id: string, deps: CheckDeps): Promise<ShownCheck> {
  requirePermission(caller, 'write');
  const changed = await deps.checks.change(caller.accountId, id, ({ check: present }) => {
    const check = { ...present, settings: upgradedSettings(present.settings) };
    return { check, subscriptions: null, isAutoAssigned: false, variables: deps.missingVariables.namesOf(check) };
  });
  if (changed === null) throw notFound('check', id);
  return shownWithWarnings(caller, savedOrRefused(changed), deps);
}

/** The check after a change. @param change merged into it */
function changedCheck(
  present: Check,
  change: Partial<CheckInput>,
  { mutedUntilRecovery }: CheckChange,
  deps: CheckDeps,
): Pick<Write, 'check' | 'subscriptions'> {
  const { alertChannelSubscriptions: subscriptions = null, ...fields } = change;
  const environmentVariables =
    change.environmentVariables === undefined
      ? present.environmentVariables
      : mergedVariables(change.environmentVariables, present.environmentVariables);
  const settings = mergedSettings(present.checkType, change.settings ?? {}, present.settings, deps);
  const draft: Check = { ...present, ...fields, environmentVariables, settings };
  return { check: withMuteStart(draft, present, mutedUntilRecovery !== undefined, deps.now()), subscriptions };
}

/** The check with a change merged into it. */
function mergedCheck(wanted: CheckChange, present: Check): Partial<CheckInput> {
  const { settings, alertChannelSubscriptions, environmentVariables, ...own } = wanted;
  return {
    ...merged<Omit<Check, 'settings' | 'environmentVariables'>>(own, present),
    ...(alertChannelSubscriptions && { alertChannelSubscriptions }),
    ...(environmentVariables && { environmentVariables }),
    ...(settings && { settings: merged<JsonObject>(settings, present.settings) as JsonObject }),
  };
}

/** Problems of the scripts of a new check. */
async function scriptProblemsOf(check: Check, deps: CheckDeps): Promise<Problem[]> {
  const inherited = await inheritedRuntime(check, deps);
  return [
    ...scriptRuntimeProblems(check, inherited, deps),
    ...(await hookScriptProblems(check.accountId, check.settings, {}, deps)),
    ...(await programProblems(check, inherited, deps)),
  ];
}

/** Problems of changed scripts, validated in the changed check. */
async function scriptProblemsOfChange(
  caller: Caller,
  id: string,
  change: CheckChange,
  deps: CheckDeps,
): Promise<Problem[]> {
  const { runtimeId, runtimeFallback, groupId, settings = {} } = change;
  if (!isAboutHookScripts(settings) && !isAboutProgram(settings)) return [];
  const present = await deps.checks.find(caller.accountId, id);
  if (present === null) return [];
  const { check } = present;
  const problems = await hookScriptProblems(caller.accountId, settings, check.settings, deps);
  const next: Check = {
    ...check,
    settings: { ...check.settings, ...settings },
    ...(runtimeId !== undefined && { runtimeId }),
    ...(runtimeFallback !== undefined && { runtimeFallback }),
    ...(groupId !== undefined && { groupId }),
  };
  if (!isAboutProgram(settings)) return problems;
  return [...problems, ...(await programProblems(next, await inheritedRuntime(next, deps), deps))];
}

/** Refuses a change meant for a check of another type. */
function requireType(
  present: Check,
  change: CheckChange,
  checkType: CheckType | null,
  namedType: CheckType | undefined,
): void {
  if (namedType !== undefined && namedType !== present.checkType) {
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

/** What the check would inherit after the change; null = the change does not affect its runtime. */
async function inheritedBy(
  caller: Caller,
  id: string,
  change: CheckChange,
  deps: CheckDeps,
): Promise<Inherited | null> {
  const { runtimeId, groupId, runtimeFallback, settings = {} } = change;
  const isAboutScripts = hookScriptFields.some((field) => settings[field] !== undefined);
  const isAboutRuntime = runtimeId !== undefined || groupId !== undefined || runtimeFallback !== undefined;
  if (!isAboutRuntime && !isAboutScripts) return null;
  const present = await deps.checks.find(caller.accountId, id);
  if (present === null) return null;
  const { check } = present;
  return inheritedRuntime(
    {
      ...check,
      groupId: groupId === undefined ? check.groupId : groupId,
      settings: { ...check.settings, ...settings },
    },
    deps,
  );
}

function allWithRuntimes(caller: Caller, rows: readonly StoredCheck[], deps: CheckDeps): Promise<ShownCheck[]> {
  const once = { ...deps, checkGroups: rememberGroups(deps.checkGroups) };
  return Promise.all(rows.map((stored) => shownWithRuntime(caller, stored, once)));
}

/** A stored check as a response, with the warning about its runtime. */
async function shownWithRuntime(caller: Caller, stored: StoredCheck, deps: CheckDeps): Promise<ShownCheck> {
  const { check } = stored;
  const warning = runtimeWarning(check, await inheritedRuntime(check, deps), deps);
  const { groupId, accountId } = check;
  const group = groupId === null ? null : ((await deps.checkGroups.find(accountId, groupId))?.group ?? null);
  return {
    ...shownCheck(caller, stored, group, deps),
    ...(warning !== undefined && { runtimeWarning: warning }),
  };
}

/** The response to a write. */
async function shownWithWarnings(caller: Caller, stored: StoredCheck, deps: CheckDeps): Promise<ShownCheck> {
  const { check } = stored;
  const found = check.groupId === null ? null : await deps.checkGroups.find(check.accountId, check.groupId);
  return withWarnings(await shownWithRuntime(caller, stored, deps), [
    ...(await deps.missingVariables.ofCheck(check, found?.group ?? null)),
    ...nestedVariableWarnings(check.environmentVariables),
    ...deps.settingsWarnings.ofCheck(check, found?.group.apiCheckDefaults ?? null),
    ...ruleWarnings(check, found?.group ?? null),
  ]);
}

/**
 * Validates the fields of a request; unchanged values are not validated again.
 * @param present the stored check; null = it is new
 */
function problemsOf(check: Check, written: Partial<CheckInput>, present: Check | null, deps: CheckDeps): Problem[] {
  const problems = placingProblems(written, deps, present ?? {}, check.runtimeFallback);
  const isTimed = written.frequency !== undefined || written.frequencyOffset !== undefined;
  if (isTimed) problems.push(...frequencyProblems(check));
  if (written.settings !== undefined) problems.push(...deps.validateSettings(check.checkType, check.settings));
  return problems;
}

function mergedSettings(
  checkType: CheckType,
  written: JsonObject,
  present: JsonObject,
  { newToken }: CheckDeps,
): JsonObject {
  const settings = settingsWithMeaning({ ...present, ...written }, present);
  if (checkType === 'HEARTBEAT') return { ...settings, heartbeat: mergedHeartbeat(written, present, newToken) };
  const request = objectOrNull(settings['request']);
  if (request === null || written['request'] === undefined) return settings;
  return { ...settings, request: mergedRequest(request, objectOrNull(present['request']), 'request') };
}

async function withGroups(
  caller: Caller,
  rows: readonly StoredCheck[],
  { checkGroups }: CheckDeps,
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
