// Selects the runtime of a check's scripts and warns about its end (decisions: Runtimes).
import type { Store } from '#store/store.ts';
import type { CheckGroup, GroupScripts } from '#domain/checks/check-group.ts';
import type { Check, CheckType } from '#domain/checks/check.ts';
import { type Runtime, runtimeChoice, runtimeWarnings, wantedRuntime } from '#domain/checks/runtime.ts';
import type { Choices } from './check-rules.ts';
import type { Problem } from '../refusal.ts';

/** The fields that determine whether a check has scripts. */
type Scripted = Pick<Check, 'checkType' | 'settings'>;

export interface RuntimeRules extends Pick<Choices, 'runtimes' | 'now'> {
  /**
   * For checks with scripts, their own or their group's: why a runtime does not support them, or null. For others:
   * undefined.
   */
  readonly refusesRuntime: (
    check: Scripted,
    group: GroupScripts | null,
  ) => ((runtime: Runtime) => string | null) | undefined;
  /** Check types that can have scripts. */
  readonly scriptTypes: readonly CheckType[];
}

export interface ScriptRuntimeDeps extends Pick<Store, 'accounts'>, RuntimeRules {
  readonly checkGroups: GroupFinder;
}

/** Finds the groups of an account. */
export interface GroupFinder {
  find(accountId: string, id: number): Promise<{ readonly group: CheckGroup } | null>;
}

/** Runtime settings of the group and the account of a check. */
export interface Inherited {
  readonly group: CheckGroup | null;
  readonly account: string | null;
}

const nothing: Inherited = { group: null, account: null };

/** Finds each group once, for reading many checks. */
export function rememberGroups(checkGroups: GroupFinder): GroupFinder {
  const known = new Map<string, ReturnType<GroupFinder['find']>>();
  return {
    find(accountId, id) {
      const key = `${accountId} ${id}`;
      const found = known.get(key) ?? checkGroups.find(accountId, id);
      known.set(key, found);
      return found;
    },
  };
}

/** Reads it. Checks without scripts inherit nothing relevant. */
export async function inheritedRuntime(
  check: Scripted & Pick<Check, 'accountId' | 'groupId'>,
  { accounts, checkGroups, refusesRuntime, scriptTypes }: ScriptRuntimeDeps,
): Promise<Inherited> {
  const { accountId, groupId } = check;
  if (!scriptTypes.includes(check.checkType)) return nothing;
  const group = groupId === null ? null : ((await checkGroups.find(accountId, groupId))?.group ?? null);
  if (refusesRuntime(check, group) === undefined) return nothing;
  const [account] = await accounts.list([accountId]);
  return { group, account: account?.runtimeId ?? null };
}

type Placed = Scripted & Pick<Check, 'runtimeId' | 'runtimeFallback'>;

/** Why the scripts of a check cannot run, in a sentence; null = they can, or there are none. */
export function runtimeProblem(check: Placed, inherited: Inherited, rules: RuntimeRules): string | null {
  const refuses = rules.refusesRuntime(check, inherited.group);
  if (refuses === undefined) return null;
  const choice = chosen(check, inherited, rules);
  return choice.runtime === null ? choice.message : refuses(choice.runtime);
}

/** The runtime of a check's scripts; null = no runtime supports them. */
export function scriptRuntime(check: Placed, inherited: Inherited, rules: RuntimeRules): Runtime | null {
  return runtimeProblem(check, inherited, rules) === null ? chosen(check, inherited, rules).runtime : null;
}

/** Why a check with scripts cannot be saved: there is no runtime, or none that supports them. */
export function scriptRuntimeProblems(check: Placed, inherited: Inherited, rules: RuntimeRules): Problem[] {
  const message = runtimeProblem(check, inherited, rules);
  return message === null ? [] : [{ path: 'runtimeId', message }];
}

/** The warning about a check's runtime, in a sentence; null = none. Undefined for checks without scripts. */
export function runtimeWarning(check: Placed, inherited: Inherited, rules: RuntimeRules): string | null | undefined {
  if (rules.refusesRuntime(check, inherited.group) === undefined) return undefined;
  const choice = chosen(check, inherited, rules);
  if (choice.runtime === null) return choice.message;
  return (
    runtimeWarnings(wantedRuntime(check, inherited.group, inherited.account), choice, rules.now()).join('; ') || null
  );
}

function chosen(check: Placed, inherited: Inherited, { runtimes, now }: RuntimeRules) {
  return runtimeChoice(wantedRuntime(check, inherited.group, inherited.account), runtimes(), now());
}
