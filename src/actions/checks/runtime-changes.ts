// Prevents changes of groups and accounts that would leave checks with scripts without a runtime (decisions: Runtimes).
import type { Store } from '#store/store.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { runtimeChoice } from '#domain/checks/runtime.ts';
import type { Problem } from '../refusal.ts';
import { allOf } from '../resource-uses.ts';
import {
  type GroupFinder,
  type Inherited,
  rememberGroups,
  type RuntimeRules,
  runtimeProblem,
  type ScriptRuntimeDeps,
} from './script-runtime.ts';

type CheckLists = Pick<Store['checks'], 'list'>;

/** Dependencies for a change of a group. */
export interface GroupRuntimeDeps extends ScriptRuntimeDeps {
  readonly checks: CheckLists;
}

/** Dependencies for a change of an account. */
export interface AccountRuntimeDeps extends RuntimeRules {
  readonly checks: CheckLists;
  readonly checkGroups: GroupFinder;
}

/** Checks read at a time. */
const pageSize = 200;

/**
 * Validates a changed group: returns checks that have a runtime now and would lose it.
 * @param next null = the group is deleted and its checks have none
 * @param path the changed field
 */
export async function groupRuntimeProblems(
  present: CheckGroup,
  next: CheckGroup | null,
  path: string,
  deps: GroupRuntimeDeps,
): Promise<Problem[]> {
  const { accountId, id } = present;
  const [account] = await deps.accounts.list([accountId]);
  const inherited = (group: CheckGroup | null): Inherited => ({ group, account: account?.runtimeId ?? null });
  const stranded = createStrandedChecks();
  for await (const check of allChecks(accountId, { groupId: id }, deps.checks)) {
    stranded.add(check, inherited(present), inherited(next), deps);
  }
  return stranded.problems(path, 'in this group', next === null ? ownOne : `choose ${anotherOne}, or ${ownOne}`);
}

/**
 * The same for checks that are moved to a group.
 * @param next null = they leave their group
 */
export async function movedRuntimeProblems(
  accountId: string,
  ids: readonly string[],
  next: CheckGroup | null,
  path: string,
  deps: ScriptRuntimeDeps & { readonly checks: Pick<Store['checks'], 'find'> },
): Promise<Problem[]> {
  const [account] = await deps.accounts.list([accountId]);
  const groups = rememberGroups(deps.checkGroups);
  const stranded = createStrandedChecks();
  for (const id of ids) {
    const check = (await deps.checks.find(accountId, id))?.check;
    if (check === undefined || !deps.scriptTypes.includes(check.checkType)) continue;
    const present = check.groupId === null ? null : ((await groups.find(accountId, check.groupId))?.group ?? null);
    // A check that is removed may have left the group already.
    if (present?.id === next?.id) continue;
    const inherited = (group: CheckGroup | null): Inherited => ({ group, account: account?.runtimeId ?? null });
    stranded.add(check, inherited(present), inherited(next), deps);
  }
  return stranded.problems(path, 'in this list', ownOne);
}

/** The same for the runtime of an account. */
export async function accountRuntimeProblems(
  accountId: string,
  present: string | null,
  next: string | null,
  deps: AccountRuntimeDeps,
): Promise<Problem[]> {
  const { runtimes, now, scriptTypes, refusesRuntime } = deps;
  const groups = rememberGroups(deps.checkGroups);
  const given = { check: null, group: null, account: next, runtimeFallback: false };
  const { runtime } = runtimeChoice(given, runtimes(), now());
  const stranded = createStrandedChecks();
  for (const checkType of scriptTypes) {
    // A runtime that supports the whole type leaves no check without one, so the checks need not be read.
    const refuses = refusesRuntime({ checkType, settings: {} }, null);
    if (runtime !== null && (refuses?.(runtime) ?? null) === null) continue;
    for await (const check of allChecks(accountId, { checkType }, deps.checks)) {
      const found = check.groupId === null ? null : await groups.find(accountId, check.groupId);
      const group = found?.group ?? null;
      stranded.add(check, { group, account: present }, { group, account: next }, deps);
    }
  }
  return stranded.problems('runtimeId', 'of this account', `choose ${anotherOne}, or ${ownOne}`);
}

const anotherOne = 'a runtime that can run all of them';
const ownOne = 'first set runtimeId on these checks';

/** Collects checks that a change leaves without a runtime, except those that have none before it. */
function createStrandedChecks() {
  let count = 0;
  let first = '';
  return {
    add(check: Check, before: Inherited, after: Inherited, rules: RuntimeRules): void {
      const problem = runtimeProblem(check, after, rules);
      if (problem === null || runtimeProblem(check, before, rules) !== null) return;
      count++;
      first ||= `"${check.name}": ${problem}`;
    },
    problems(path: string, where: string, right: string): Problem[] {
      if (count === 0) return [];
      const them = count === 1 ? `1 check ${where}` : `${count} checks ${where}`;
      return [{ path, message: `would leave ${them} without a runtime for their scripts (${first}): ${right}` }];
    },
  };
}

async function* allChecks(
  accountId: string,
  search: { readonly groupId?: number; readonly checkType?: string },
  checks: CheckLists,
): AsyncGenerator<Check> {
  for await (const { check } of allOf((slice) => checks.list(accountId, search, slice), pageSize)) yield check;
}
