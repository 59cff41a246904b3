// Edits of checks: merges a change into a stored check and validates it. Single and bulk changes share these rules.
import type { StoredCheck } from '#store/checks/checks.ts';
import type { Store } from '#store/store.ts';
import type { SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import { type Check, type CheckType, pathOfType } from '#domain/checks/check.ts';
import { settingsWithMeaning } from '#domain/checks/absent-values.ts';
import { withMuteStart } from '#domain/checks/effective-check.ts';
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
import { type Choices, frequencyProblems, placingProblems } from './check-rules.ts';
import { mergedHeartbeat } from '../heartbeats/heartbeat-settings.ts';
import { objectOrNull, mergedRequest, type VariableInput, mergedVariables } from '../masking.ts';
import { type NamedResourceDeps, namedResourceProblems, naming, snippetFields } from './named-resources.ts';
import type { MissingVariables, UsedNames } from './missing-variables.ts';
import { type Expected, requireRevision, type Problem, refuseProblems, Refusal } from '../refusal.ts';
import { type Inherited, inheritedRuntime, type ScriptRuntimeDeps, scriptRuntimeProblems } from './script-runtime.ts';

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

/** What a change is meant for. */
export interface ChangeOptions {
  /** Refuse checks of other types (`not-found`); null = any type, with settings of an API check. */
  readonly checkType: CheckType | null;
  /** The type named in the body, which must be the check's type. */
  readonly namedType?: CheckType | undefined;
  readonly expected?: Expected;
}

/** A check after an edit. */
export interface CheckEdited extends UsedNames {
  readonly check: Check;
  /** null = they are kept. */
  readonly subscriptions: readonly SubscribedChannel[] | null;
  readonly isAutoAssigned: false;
}

export interface EditDeps extends Choices, ScriptRuntimeDeps, HookScriptDeps, ProgramDeps, NamedResourceDeps {
  readonly checks: Pick<Store['checks'], 'find'>;
  /** Validation of the settings by the check's kind; empty = valid. */
  readonly validateSettings: (checkType: CheckType, settings: JsonObject) => readonly Problem[];
  /** Values of common fields that the kind restricts further. */
  readonly commonProblems: (checkType: CheckType, written: object) => readonly Problem[];
  readonly missingVariables: Pick<MissingVariables, 'namesOf'>;
  /** Generates an unguessable UUID. */
  readonly newToken: () => string;
}

/**
 * Validates what depends on other records, and returns the edit, which validates the rest in the transaction of the
 * change. Both refuse what is wrong; the edit keeps fields that are not given, also in settings.
 * @returns the edit; its second parameter is the complete change, if some of its fields depend on the present check
 */
export async function prepareEdit(
  accountId: string,
  id: string,
  wanted: CheckChange,
  { checkType, namedType, expected = null }: ChangeOptions,
  deps: EditDeps,
): Promise<(present: StoredCheck, change?: CheckChange) => CheckEdited> {
  const inherited = await inheritedBy(accountId, id, wanted, deps);
  const ofScripts = await scriptProblemsOfChange(accountId, id, wanted, deps);
  const ofNamed = await namedProblemsOfChange(accountId, id, wanted, deps);
  return ({ check: present }, complete = wanted) => {
    requireType(present, complete, checkType, namedType);
    requireRevision(present, expected);
    const change = mergedCheck(complete, present);
    const { subscriptions, check } = changedCheck(present, change, complete, deps);
    const ofRuntime = inherited === null ? [] : scriptRuntimeProblems(check, inherited, deps);
    refuseProblems([...problemsOf(check, change, present, deps), ...ofRuntime, ...ofScripts, ...ofNamed]);
    return { check, subscriptions, isAutoAssigned: false, ...deps.missingVariables.namesOf(check) };
  };
}

/** The check after a change. @param change merged into it */
function changedCheck(
  present: Check,
  change: Partial<CheckInput>,
  { mutedUntilRecovery }: CheckChange,
  deps: EditDeps,
): Pick<CheckEdited, 'check' | 'subscriptions'> {
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

/** Problems of changed scripts, validated in the changed check. */
async function scriptProblemsOfChange(
  accountId: string,
  id: string,
  change: CheckChange,
  deps: EditDeps,
): Promise<Problem[]> {
  const { runtimeId, runtimeFallback, groupId, settings = {} } = change;
  if (!isAboutHookScripts(settings) && !isAboutProgram(settings)) return [];
  const present = await deps.checks.find(accountId, id);
  if (present === null) return [];
  const { check } = present;
  const problems = await hookScriptProblems(accountId, settings, check.settings, deps);
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

/** Unknown private locations, snippets and services that a change names. */
async function namedProblemsOfChange(
  accountId: string,
  id: string,
  { privateLocations, triggerIncident, settings = {} }: CheckChange,
  deps: EditDeps,
): Promise<Problem[]> {
  const isNaming =
    privateLocations !== undefined ||
    triggerIncident !== undefined ||
    snippetFields.some((field) => settings[field] !== undefined);
  const present = isNaming ? await deps.checks.find(accountId, id) : null;
  if (present === null) return [];
  const trigger =
    triggerIncident === undefined ? {} : merged<Pick<Check, 'triggerIncident'>>({ triggerIncident }, present.check);
  const named = naming({ privateLocations, settings, ...trigger });
  return namedResourceProblems(accountId, named, naming(present.check), deps);
}

/** Refuses a change meant for a check of another type. */
export function requireType(
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
  accountId: string,
  id: string,
  change: CheckChange,
  deps: EditDeps,
): Promise<Inherited | null> {
  const { runtimeId, groupId, runtimeFallback, settings = {} } = change;
  const isAboutScripts = hookScriptFields.some((field) => settings[field] !== undefined);
  const isAboutRuntime = runtimeId !== undefined || groupId !== undefined || runtimeFallback !== undefined;
  if (!isAboutRuntime && !isAboutScripts) return null;
  const present = await deps.checks.find(accountId, id);
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

/**
 * Validates the fields of a request; unchanged values are not validated again.
 * @param present the stored check; null = it is new
 */
export function problemsOf(
  check: Check,
  written: Partial<CheckInput>,
  present: Check | null,
  deps: EditDeps,
): Problem[] {
  const problems = placingProblems(written, deps, present ?? {}, check.runtimeFallback);
  const isTimed = written.frequency !== undefined || written.frequencyOffset !== undefined;
  if (isTimed) problems.push(...frequencyProblems(check));
  if (written.settings !== undefined) problems.push(...deps.validateSettings(check.checkType, check.settings));
  return [...problems, ...deps.commonProblems(check.checkType, written)];
}

/** The settings of a check with a write merged into them. */
export function mergedSettings(
  checkType: CheckType,
  written: JsonObject,
  present: JsonObject,
  { newToken }: EditDeps,
): JsonObject {
  const settings = settingsWithMeaning({ ...present, ...written }, present);
  if (checkType === 'HEARTBEAT') return { ...settings, heartbeat: mergedHeartbeat(written, present, newToken) };
  const request = objectOrNull(settings['request']);
  if (request === null || written['request'] === undefined) return settings;
  return { ...settings, request: mergedRequest(request, objectOrNull(present['request']), 'request') };
}
