// Who is told that a runtime ends: accounts that use it, with how many of their checks do, and where it is named (decisions:
// Runtimes; docs/decisions/0079).
import type { Account } from '#domain/account.ts';
import type { CheckGroup } from '#domain/check-group.ts';
import type { Check } from '#domain/check.ts';
import {
  endOfLifeAt,
  endsSoon,
  type Runtime,
  runtimeChoice,
  stageAt,
  toldBeforeMs,
  wantedRuntime,
} from '#domain/runtime.ts';
import { firstOf } from './notice-words.ts';
import type { Notice } from './notices.ts';
import type { RuntimeRules } from './script-runtime.ts';

/** A check, as far as its runtime goes. */
type CheckWish = Pick<Check, 'id' | 'checkType' | 'groupId' | 'runtimeId' | 'runtimeFallback' | 'settings'>;
type GroupWish = Pick<CheckGroup, 'id' | 'name' | 'runtimeId' | 'localSetupScript' | 'localTearDownScript'>;

/** What is needed to know who uses a runtime. */
export interface RuntimeEndMeans extends Pick<RuntimeRules, 'runtimes' | 'now' | 'refusesRuntime'> {
  readonly accounts: { list(ids: readonly string[]): Promise<readonly Pick<Account, 'runtimeId'>[]> };
  readonly runtimeWishes: {
    groups(accountId: string): Promise<readonly GroupWish[]>;
    checks(accountId: string): AsyncIterable<CheckWish>;
  };
}

/** The notices of an account, one for each runtime that ends within thirty days and that it uses. */
export type RuntimeEnds = (accountId: string) => Promise<readonly Notice[]>;

/** Nothing of an account is read unless a runtime is near its end. */
export function createRuntimeEnds(means: RuntimeEndMeans): RuntimeEnds {
  const { runtimes, now, accounts, runtimeWishes } = means;
  return async (accountId) => {
    const at = now();
    const ending = runtimes().filter((runtime) => endsSoon(runtime, at) && stageAt(runtime, at) !== 'REMOVED');
    if (ending.length === 0) return [];
    const [account] = await accounts.list([accountId]);
    const groups = await runtimeWishes.groups(accountId);
    const default_ = account?.runtimeId ?? null;
    const uses = new Map(ending.map(({ name }) => [name, newUse(name, default_, groups)]));
    const byId = new Map(groups.map((group) => [group.id, group]));
    for await (const check of runtimeWishes.checks(accountId)) {
      count(check, (check.groupId === null ? undefined : byId.get(check.groupId)) ?? null, default_, uses, means);
    }
    return ending.flatMap((runtime) => {
      const use = uses.get(runtime.name);
      return use === undefined || !isUsed(use) ? [] : [noticeOf(runtime, use, accountId)];
    });
  };
}

/** Where an account names a runtime, and how many checks come to it that way. */
interface Use {
  checks: number;
  /** Of these have another one afterwards. */
  goOn: number;
  /** null = the account names another one, or none. */
  ofAccount: number | null;
  readonly ofGroups: Map<number, { readonly name: string; checks: number }>;
  /** Ids of checks that name it themselves. */
  readonly own: string[];
  /** Checks for which nobody names one, or whose own is gone. */
  unnamed: number;
}

function newUse(name: string, ofAccount: string | null, groups: readonly GroupWish[]): Use {
  const naming = groups.filter(({ runtimeId }) => runtimeId === name);
  return {
    checks: 0,
    goOn: 0,
    ofAccount: ofAccount === name ? 0 : null,
    ofGroups: new Map(naming.map((group) => [group.id, { name: group.name, checks: 0 }])),
    own: [],
    unnamed: 0,
  };
}

/** An account that only names it has its next check on it. */
function isUsed({ checks, ofAccount, ofGroups }: Use): boolean {
  return checks > 0 || ofAccount !== null || ofGroups.size > 0;
}

function count(
  check: CheckWish,
  group: GroupWish | null,
  account: string | null,
  uses: ReadonlyMap<string, Use>,
  { runtimes, now, refusesRuntime }: RuntimeEndMeans,
): void {
  // Nothing is run for it, whatever it names.
  if (check.checkType === 'HEARTBEAT') return;
  const wanted = wantedRuntime(check, group, account);
  const isNamed = (wanted.check ?? wanted.group ?? wanted.account) !== null;
  // Whatever is named must be there; where nothing is, a check without scripts needs none.
  if (!isNamed && refusesRuntime(check, group) === undefined) return;
  const { runtime } = runtimeChoice(wanted, runtimes(), now());
  const use = runtime === null ? undefined : uses.get(runtime.name);
  if (runtime === null || use === undefined) return;
  use.checks++;
  if (runtimeChoice(wanted, runtimes(), endOfLifeAt(runtime) ?? now()).runtime !== null) use.goOn++;
  const ofGroup = group === null || wanted.check !== null ? undefined : use.ofGroups.get(group.id);
  if (wanted.check === runtime.name) use.own.push(check.id);
  else if (ofGroup !== undefined) ofGroup.checks++;
  else if (use.ofAccount !== null) use.ofAccount++;
  else use.unnamed++;
}

function noticeOf(runtime: Runtime, use: Use, accountId: string): Notice {
  const { name, runtimeEndOfLife } = runtime;
  return {
    id: `runtime-ends:${name}`,
    kind: 'runtime-ends',
    since: (endOfLifeAt(runtime) ?? 0) - toldBeforeMs,
    subject: name,
    message: `The runtime ${name} ends on ${runtimeEndOfLife}: ${usersOf(use)}.`,
    action: `Choose another runtimeId ${placesOf(use, accountId).join('; ')}.`,
  };
}

/** How many checks use it, and what becomes of them. */
function usersOf({ checks, goOn }: Use): string {
  if (checks === 0) return 'no check of this account uses it yet';
  const lost = checks - goOn;
  const users = checks === 1 ? '1 check of this account uses it' : `${checks} checks of this account use it`;
  if (lost === 0) return `${users}, and ${checks === 1 ? 'goes' : 'go'} on in another one after that`;
  return `${users}, and ${lost === checks ? '' : `${lost} of them `}will not run after that`;
}

/** Where it is named, a phrase each. */
function placesOf({ ofAccount, ofGroups, own, unnamed }: Use, accountId: string): string[] {
  const groups = [...ofGroups].map(([id, { name, checks }]) => `${id} "${name}" (${checksOf(checks)})`);
  return [
    ...(ofAccount === null ? [] : [`in PUT /v1/accounts/${accountId} (${checksOf(ofAccount)})`]),
    ...(groups.length === 0 ? [] : [`in PUT /v1/check-groups/{id}: ${firstOf(groups)}`]),
    ...(own.length === 0 ? [] : [`of ${checksOf(own.length)}, under their type: ${firstOf(own)}`]),
    ...(unnamed === 0 ? [] : [`for ${checksOf(unnamed)} that run in it unnamed, or have a newer runtime installed`]),
  ];
}

function checksOf(count: number): string {
  return count === 1 ? '1 check' : `${count} checks`;
}
