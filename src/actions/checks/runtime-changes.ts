// A change of a group or an account, or the end of a group, that would leave checks with scripts without a runtime (decisions: Runtimes).
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { runtimeChoice } from '#domain/checks/runtime.ts';
import type { Problem } from '../problems.ts';
import {
  type GroupFinder,
  type Inherited,
  rememberGroups,
  type RuntimeRules,
  runtimeProblem,
  type ScriptRuntimeMeans,
} from './script-runtime.ts';

/** Lists checks of an account. */
interface CheckLister {
  list(
    accountId: string,
    search: { readonly groupId?: number; readonly checkType?: string },
    slice: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly rows: readonly { readonly check: Check }[]; readonly total: number }>;
}

/** What is needed to judge a change of a group. */
export interface GroupRuntimeMeans extends ScriptRuntimeMeans {
  readonly checks: CheckLister;
}

/** What is needed to judge a change of an account. */
export interface AccountRuntimeMeans extends RuntimeRules {
  readonly checks: CheckLister;
  readonly checkGroups: GroupFinder;
}

/** Checks that are read at once. */
const pageSize = 200;

/**
 * What is wrong with a group as it shall be: checks in it that have a runtime now and would have none then.
 *
 * @param next null = it shall be gone, and its checks be in no group
 * @param path the field that the change is about
 */
export async function groupRuntimeProblems(
  present: CheckGroup,
  next: CheckGroup | null,
  path: string,
  means: GroupRuntimeMeans,
): Promise<Problem[]> {
  const { accountId, id } = present;
  const [account] = await means.accounts.list([accountId]);
  const inherited = (group: CheckGroup | null): Inherited => ({ group, account: account?.runtimeId ?? null });
  const stranded = newStranded();
  for await (const check of allChecks(accountId, { groupId: id }, means.checks)) {
    stranded.add(check, inherited(present), inherited(next), means);
  }
  return stranded.problems(path, 'in this group', next === null ? ownOne : `choose ${anotherOne}, or ${ownOne}`);
}

/** The same of the runtime of an account. */
export async function accountRuntimeProblems(
  accountId: string,
  present: string | null,
  next: string | null,
  means: AccountRuntimeMeans,
): Promise<Problem[]> {
  const { runtimes, now, scriptTypes, refusesRuntime } = means;
  const groups = rememberGroups(means.checkGroups);
  const given = { check: null, group: null, account: next, runtimeFallback: false };
  const { runtime } = runtimeChoice(given, runtimes(), now());
  const stranded = newStranded();
  for (const checkType of scriptTypes) {
    // A runtime that will do for the whole type strands none of it: the checks need not be read.
    const refuses = refusesRuntime({ checkType, settings: {} }, null);
    if (runtime !== null && (refuses?.(runtime) ?? null) === null) continue;
    for await (const check of allChecks(accountId, { checkType }, means.checks)) {
      const found = check.groupId === null ? null : await groups.find(accountId, check.groupId);
      const group = found?.group ?? null;
      stranded.add(check, { group, account: present }, { group, account: next }, means);
    }
  }
  return stranded.problems('runtimeId', 'of this account', `choose ${anotherOne}, or ${ownOne}`);
}

const anotherOne = 'a runtime that can run all of them';
const ownOne = 'first set runtimeId on these checks';

/** Gathers checks that a change leaves without a runtime; those that have none before it are not its fault. */
function newStranded() {
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
  checks: CheckLister,
): AsyncGenerator<Check> {
  for (let offset = 0; ; offset += pageSize) {
    const { rows, total } = await checks.list(accountId, search, { limit: pageSize, offset });
    for (const { check } of rows) yield check;
    if (rows.length === 0 || offset + rows.length >= total) return;
  }
}
