// Actions on checks (reference §4.3, decisions: Checks).
import { isDeepStrictEqual } from 'node:util';
import type { Page, Slice } from '#store/base/database.ts';
import type { CheckFilter } from '#store/checks/check-filter.ts';
import type { StoredCheck } from '#store/checks/checks.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check, CheckType } from '#domain/checks/check.ts';
import { upgradedSettings } from '#domain/checks/absent-values.ts';
import { effectiveCheck, withMuteStart } from '#domain/checks/effective-check.ts';
import {
  type ChangeOptions,
  type CheckChange,
  type CheckInput,
  type EditDeps,
  mergedSettings,
  prepareEdit,
  problemsOf,
  requireType,
} from './check-edits.ts';
import { hookScriptProblems, programProblems, scriptFields } from './check-scripts.ts';
import { savedOrRefused } from './check-rules.ts';
import { namedResourceProblems, naming } from './named-resources.ts';
import { mergedVariables } from '../masking.ts';
import type { MissingVariables } from './missing-variables.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, type Problem, refuseProblems, notFound, orNotFound } from '../refusal.ts';
import { inheritedRuntime, rememberGroups, runtimeWarning, scriptRuntimeProblems } from './script-runtime.ts';
import { ruleWarnings, nestedVariableWarnings, type SettingsWarnings, withWarnings } from '../warnings.ts';
import { type PingUrl, type ShownCheck, shownCheck } from './shown-check.ts';

export interface CheckDeps extends EditDeps {
  readonly checks: Pick<Store['checks'], 'list' | 'find' | 'add' | 'change'> & {
    remove(accountId: string, id: string): Promise<boolean>;
  };
  readonly settingsWarnings: SettingsWarnings;
  readonly missingVariables: Pick<MissingVariables, 'namesOf' | 'ofCheck'>;
  readonly newId: () => string;
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
    async list(caller: Caller, search: CheckFilter, slice: Slice, isEffective = false): Promise<Page<ShownCheck>> {
      requirePermission(caller, 'read');
      const { rows, total } = await checks.list(caller.accountId, search, slice);
      const shown = isEffective ? await withGroups(caller, rows, deps) : rows;
      return { rows: await allWithRuntimes(caller, shown, deps), total };
    },
    async find(caller: Caller, id: string, isEffective = false): Promise<ShownCheck> {
      requirePermission(caller, 'read');
      const stored = orNotFound(await checks.find(caller.accountId, id), 'check', id);
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
      const used = deps.missingVariables.namesOf(check);
      const added = await checks.add({ check, subscriptions, isAutoAssigned, ...used });
      return shownWithWarnings(caller, savedOrRefused(added), deps);
    },
    /** Keeps fields that are not given, also in settings. */
    async change(caller: Caller, id: string, wanted: CheckChange, options: ChangeOptions) {
      requirePermission(caller, 'write');
      const edit = await prepareEdit(caller.accountId, id, wanted, options, deps);
      const changed = orNotFound(await checks.change(caller.accountId, id, edit), 'check', id);
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
  const stored = orNotFound(await checks.find(accountId, id), 'check', id);
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
  const draft = { ...draftOf(accountId, checkType, input, present, deps), id: present?.id ?? deps.newId() };
  const check = withMuteStart(draft, null, true, deps.now());
  refuseProblems([
    ...problemsOf(check, input, present, deps),
    ...(await scriptProblemsOf(check, deps)),
    ...(await namedResourceProblems(accountId, naming(check), present === null ? {} : naming(present), deps)),
  ]);
  return check;
}

/**
 * The check that a declaration describes, validated as if it were saved; unchanged scripts are not read again.
 * @param present the stored check that it replaces as a whole; null = it is new
 */
export async function declaredCheck(
  { accountId }: Caller,
  id: string,
  checkType: CheckType,
  input: CheckInput,
  present: Check | null,
  deps: CheckDeps,
): Promise<Check> {
  if (present !== null && present.checkType !== checkType) {
    const message = `cannot be changed from ${present.checkType}: use another logical ID`;
    throw invalidField('checkType', message);
  }
  // Settings that are not declared do not stay.
  const settings = Object.fromEntries(
    Object.entries(present?.settings ?? {}).filter(([name]) => name in input.settings || name === 'heartbeat'),
  );
  const draft = draftOf(accountId, checkType, input, present && { ...present, settings }, deps);
  const isMuteChanged = input.mutedUntilRecovery !== present?.mutedUntilRecovery;
  const check = withMuteStart({ ...draft, id }, present, isMuteChanged, deps.now());
  const isSame = present !== null && hasSameScripts(check, present);
  refuseProblems([
    ...problemsOf(check, input, present, deps),
    ...(isSame ? [] : await scriptProblemsOf(check, deps)),
    ...(await namedResourceProblems(accountId, naming(check), present === null ? {} : naming(present), deps)),
  ]);
  return check;
}

/** Whether everything that its scripts depend on is as it was. */
function hasSameScripts(check: Check, present: Check): boolean {
  const of = ({ runtimeId, runtimeFallback, groupId, settings }: Check) => [
    runtimeId,
    runtimeFallback,
    groupId,
    ...scriptFields.map((name) => settings[name] ?? null),
  ];
  return isDeepStrictEqual(of(check), of(present));
}

/** The check that an input describes, with stored values in place of masks. */
function draftOf(
  accountId: string,
  checkType: CheckType,
  input: CheckInput,
  present: Check | null,
  deps: CheckDeps,
): Omit<Check, 'id'> {
  const { alertChannelSubscriptions: _apart, ...fields } = input;
  return {
    ...fields,
    accountId,
    checkType,
    mutedFrom: null,
    createdAt: 0,
    updatedAt: null,
    environmentVariables: mergedVariables(input.environmentVariables, present?.environmentVariables ?? []),
    settings: mergedSettings(checkType, input.settings, present?.settings ?? {}, deps),
  };
}

async function upgradeAssertions(caller: Caller, id: string, deps: CheckDeps): Promise<ShownCheck> {
  requirePermission(caller, 'write');
  const changed = await deps.checks.change(caller.accountId, id, ({ check: present }) => {
    const check = { ...present, settings: upgradedSettings(present.settings) };
    return { check, subscriptions: null, isAutoAssigned: false, ...deps.missingVariables.namesOf(check) };
  });
  if (changed === null) throw notFound('check', id);
  return shownWithWarnings(caller, savedOrRefused(changed), deps);
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
