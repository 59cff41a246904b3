// Which runtime the script of a check gets, and what its users are to know of it (decisions: Runtimes).
import type { Account } from '#domain/account.ts';
import type { CheckGroup } from '#domain/check-group.ts';
import type { Check, CheckType } from '#domain/check.ts';
import { type Runtime, runtimeChoice, runtimeWarnings } from '#domain/runtime.ts';
import type { Choices } from './check-rules.ts';
import type { Problem } from './problems.ts';

/** What is needed to follow a check to its runtime. */
export interface ScriptRuntimeMeans extends Pick<Choices, 'runtimes' | 'now'> {
  readonly accounts: { list(ids: readonly string[]): Promise<readonly Pick<Account, 'runtimeId'>[]> };
  readonly checkGroups: { find(accountId: string, id: number): Promise<{ readonly group: CheckGroup } | null> };
  /** Of types whose checks are scripts: why a runtime will not do, in a sentence, or null. Of the others: undefined. */
  readonly refusesRuntime: (checkType: CheckType) => ((runtime: Runtime) => string | null) | undefined;
}

/** What the group and the account of a check say of its runtime. */
export interface Inherited {
  readonly group: string | null;
  readonly account: string | null;
}

/** Reads it; checks that are no scripts inherit nothing that matters. */
export async function inheritedRuntime(
  { accountId, checkType, groupId, runtimeId }: Pick<Check, 'accountId' | 'checkType' | 'groupId' | 'runtimeId'>,
  { accounts, checkGroups, refusesRuntime }: ScriptRuntimeMeans,
): Promise<Inherited> {
  if (refusesRuntime(checkType) === undefined) return { group: null, account: null };
  const [account] = await accounts.list([accountId]);
  const asks = groupId !== null && runtimeId === null;
  const group = asks ? ((await checkGroups.find(accountId, groupId))?.group ?? null) : null;
  return { group: group?.runtimeId ?? null, account: account?.runtimeId ?? null };
}

type Placed = Pick<Check, 'checkType' | 'runtimeId' | 'runtimeFallback'>;

/** Why a check that is a script cannot be saved: there is no runtime for it, or none that will do. */
export function scriptRuntimeProblems(check: Placed, inherited: Inherited, means: ScriptRuntimeMeans): Problem[] {
  const refuses = means.refusesRuntime(check.checkType);
  if (refuses === undefined) return [];
  const choice = chosen(check, inherited, means);
  const message = choice.runtime === null ? choice.message : refuses(choice.runtime);
  return message === null ? [] : [{ path: 'runtimeId', message }];
}

/** What users of a check are to know of its runtime, in a sentence; null = nothing. Undefined of checks that are no scripts. */
export function runtimeWarning(
  check: Placed,
  inherited: Inherited,
  means: ScriptRuntimeMeans,
): string | null | undefined {
  if (means.refusesRuntime(check.checkType) === undefined) return undefined;
  const choice = chosen(check, inherited, means);
  if (choice.runtime === null) return choice.message;
  return runtimeWarnings(wantedBy(check, inherited), choice, means.now()).join('; ') || null;
}

function chosen(check: Placed, inherited: Inherited, { runtimes, now }: ScriptRuntimeMeans) {
  return runtimeChoice(wantedBy(check, inherited), runtimes(), now());
}

function wantedBy({ runtimeId, runtimeFallback }: Placed, { group, account }: Inherited) {
  return { check: runtimeId, group, account, runtimeFallback };
}
