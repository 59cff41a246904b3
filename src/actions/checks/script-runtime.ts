// Which runtime the scripts of a check get, and what its users are to know of it (decisions: Runtimes).
import type { Account } from '#domain/accounts/account.ts';
import type { CheckGroup, GroupScripts } from '#domain/checks/check-group.ts';
import type { Check, CheckType } from '#domain/checks/check.ts';
import { type Runtime, runtimeChoice, runtimeWarnings, wantedRuntime } from '#domain/checks/runtime.ts';
import type { Choices } from './check-rules.ts';
import type { Problem } from '../problems.ts';

/** What of a check says whether it has scripts. */
type Scripted = Pick<Check, 'checkType' | 'settings'>;

/** What is needed to know what runs scripts, and in what. */
export interface RuntimeRules extends Pick<Choices, 'runtimes' | 'now'> {
  /** Of checks with scripts, their own or their group's: why a runtime will not do, in a sentence, or null. Of the others: undefined. */
  readonly refusesRuntime: (
    check: Scripted,
    group: GroupScripts | null,
  ) => ((runtime: Runtime) => string | null) | undefined;
  /** Types whose checks may have scripts. */
  readonly scriptTypes: readonly CheckType[];
}

/** What is needed to follow a check to its runtime. */
export interface ScriptRuntimeMeans extends RuntimeRules {
  readonly accounts: { list(ids: readonly string[]): Promise<readonly Pick<Account, 'runtimeId'>[]> };
  readonly checkGroups: GroupFinder;
}

/** Finds the groups of an account. */
export interface GroupFinder {
  find(accountId: string, id: number): Promise<{ readonly group: CheckGroup } | null>;
}

/** What the group and the account of a check say of its runtime. */
export interface Inherited {
  readonly group: CheckGroup | null;
  readonly account: string | null;
}

const nothing: Inherited = { group: null, account: null };

/** Finds each group once, for whoever asks for those of many checks. */
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

/** Reads it; checks without scripts inherit nothing that matters. */
export async function inheritedRuntime(
  check: Scripted & Pick<Check, 'accountId' | 'groupId'>,
  { accounts, checkGroups, refusesRuntime, scriptTypes }: ScriptRuntimeMeans,
): Promise<Inherited> {
  const { accountId, groupId } = check;
  if (!scriptTypes.includes(check.checkType)) return nothing;
  const group = groupId === null ? null : ((await checkGroups.find(accountId, groupId))?.group ?? null);
  if (refusesRuntime(check, group) === undefined) return nothing;
  const [account] = await accounts.list([accountId]);
  return { group, account: account?.runtimeId ?? null };
}

type Placed = Scripted & Pick<Check, 'runtimeId' | 'runtimeFallback'>;

/** Why the scripts of a check cannot be run, in a sentence; null = they can, or there are none. */
export function runtimeProblem(check: Placed, inherited: Inherited, rules: RuntimeRules): string | null {
  const refuses = rules.refusesRuntime(check, inherited.group);
  if (refuses === undefined) return null;
  const choice = chosen(check, inherited, rules);
  return choice.runtime === null ? choice.message : refuses(choice.runtime);
}

/** The runtime that the scripts of a check run in; null = there is none that will do. */
export function scriptRuntime(check: Placed, inherited: Inherited, rules: RuntimeRules): Runtime | null {
  return runtimeProblem(check, inherited, rules) === null ? chosen(check, inherited, rules).runtime : null;
}

/** Why a check with scripts cannot be saved: there is no runtime for them, or none that will do. */
export function scriptRuntimeProblems(check: Placed, inherited: Inherited, rules: RuntimeRules): Problem[] {
  const message = runtimeProblem(check, inherited, rules);
  return message === null ? [] : [{ path: 'runtimeId', message }];
}

/** What users of a check are to know of its runtime, in a sentence; null = nothing. Undefined of checks without scripts. */
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
