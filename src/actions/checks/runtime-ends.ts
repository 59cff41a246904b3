// Who is told that a runtime ends, or has ended: accounts that use it, with how many of their checks do, and where it is named
// (decisions: Runtimes; docs/decisions/0080).
import type { Account } from '#domain/accounts/account.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import {
  endedWords,
  endOfLifeAt,
  endsSoon,
  type RuntimeLife,
  runtimeChoice,
  stageAt,
  toldBeforeMs,
  wantedRuntime,
} from '#domain/checks/runtime.ts';
import { firstOf } from '../operating/notice-words.ts';
import type { Notice } from '../operating/notices.ts';
import type { RuntimeRules } from './script-runtime.ts';

/** A check, as far as its runtime goes. */
type CheckWish = Pick<Check, 'id' | 'checkType' | 'groupId' | 'runtimeId' | 'runtimeFallback' | 'settings'>;
type GroupWish = Pick<CheckGroup, 'id' | 'name' | 'runtimeId' | 'localSetupScript' | 'localTearDownScript'>;

/** One that acts as REMOVED. */
export interface EndedRuntime extends RuntimeLife {
  /** The day it did so first, epoch ms; when this process began where its manifest names no day that has come. */
  readonly endedAt: number;
}

/** What is needed to know who uses a runtime. */
export interface RuntimeEndMeans extends Pick<RuntimeRules, 'runtimes' | 'now' | 'refusesRuntime'> {
  /** Those of this server that have ended, as long as their folders are there. */
  readonly endedRuntimes: () => readonly EndedRuntime[];
  readonly accounts: { list(ids: readonly string[]): Promise<readonly Pick<Account, 'runtimeId'>[]> };
  readonly runtimeWishes: {
    groups(accountId: string): Promise<readonly GroupWish[]>;
    checks(accountId: string): AsyncIterable<CheckWish>;
  };
}

/**
 * The notices of an account: one for each runtime that ends within thirty days and that it uses, and for each that has ended
 * and that it has checks in which do not run for it.
 */
export type RuntimeEnds = (accountId: string) => Promise<readonly Notice[]>;

/** Nothing of an account is read unless a runtime is near its end, or has ended. */
export function createRuntimeEnds(means: RuntimeEndMeans): RuntimeEnds {
  const { runtimes, endedRuntimes, now } = means;
  return async (accountId) => {
    const at = now();
    const here: RuntimeLife[] = runtimes().filter((runtime) => stageAt(runtime, at) !== 'REMOVED');
    const ending = here.filter((runtime) => endsSoon(runtime, at));
    const ended = endedRuntimes();
    if (ending.length + ended.length === 0) return [];
    const useOf = await usesOf(accountId, { at, here, ended: ended.map(alive) }, means);
    return [
      ...ending.flatMap((runtime) => {
        const use = useOf(runtime.name);
        return isUsed(use) ? [noticeOf(runtime, use, accountId)] : [];
      }),
      ...ended.flatMap((runtime) => {
        const use = useOf(runtime.name);
        return use.checks > 0 ? [endedNotice(runtime, use, accountId)] : [];
      }),
    ];
  };
}

interface Moment {
  readonly at: number;
  readonly here: readonly RuntimeLife[];
  /** As they would be chosen had they not ended. */
  readonly ended: readonly RuntimeLife[];
}

/** Which checks come to a runtime that is here, and which would to one that has ended, and therefore do not run. */
async function usesOf(
  accountId: string,
  { at, here, ended }: Moment,
  { accounts, runtimeWishes, refusesRuntime }: RuntimeEndMeans,
): Promise<(name: string) => Use> {
  const [account] = await accounts.list([accountId]);
  const groups = await runtimeWishes.groups(accountId);
  const default_ = account?.runtimeId ?? null;
  const uses = new Map<string, Use>();
  const useOf = (name: string): Use => {
    const use = uses.get(name) ?? newUse(name, default_, groups);
    uses.set(name, use);
    return use;
  };
  const byId = new Map(groups.map((group) => [group.id, group]));
  for await (const check of runtimeWishes.checks(accountId)) {
    const group = (check.groupId === null ? undefined : byId.get(check.groupId)) ?? null;
    // Without scripts it needs none, whatever is named for it.
    if (refusesRuntime(check, group) === undefined) continue;
    const wanted = wantedRuntime(check, group, default_);
    const runtime = runtimeChoice(wanted, here, at).runtime ?? runtimeChoice(wanted, ended, at).runtime;
    if (runtime === null) continue;
    const use = useOf(runtime.name);
    count(check, group, use, runtime.name);
    const endsAt = endOfLifeAt(runtime) ?? at;
    if (here.includes(runtime) && runtimeChoice(wanted, here, endsAt).runtime !== null) use.goOn++;
  }
  return useOf;
}

function alive({ name, stage }: RuntimeLife): RuntimeLife {
  return { name, stage: stage === 'REMOVED' ? 'DEPRECATED' : stage, runtimeEndOfLife: null };
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

function count(check: CheckWish, group: GroupWish | null, use: Use, name: string): void {
  use.checks++;
  const ofGroup = group === null || check.runtimeId !== null ? undefined : use.ofGroups.get(group.id);
  if (check.runtimeId === name) use.own.push(check.id);
  else if (ofGroup !== undefined) ofGroup.checks++;
  else if (use.ofAccount !== null) use.ofAccount++;
  else use.unnamed++;
}

function noticeOf(runtime: RuntimeLife, use: Use, accountId: string): Notice {
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

function endedNotice(runtime: EndedRuntime, use: Use, accountId: string): Notice {
  const users =
    use.checks === 1 ? '1 check of this account no longer runs' : `${use.checks} checks of this account no longer run`;
  return {
    id: `runtime-ended:${runtime.name}`,
    kind: 'runtime-ended',
    since: runtime.endedAt,
    subject: runtime.name,
    message: `The runtime ${runtime.name} ${endedWords(runtime, runtime.endedAt)}: ${users}.`,
    action: `Choose another runtimeId ${placesOf(use, accountId).join('; ')}.`,
  };
}

/** How many checks use it, and what becomes of them. */
function usersOf({ checks, goOn }: Use): string {
  if (checks === 0) return 'no check of this account uses it yet';
  const lost = checks - goOn;
  const users = checks === 1 ? '1 check of this account uses it' : `${checks} checks of this account use it`;
  if (lost === 0) return `${users} and will then use another runtime`;
  return `${users}${lost === checks ? ' and' : `; ${lost} of them`} will not run after that`;
}

/** Where it is named, a phrase each. */
function placesOf({ ofAccount, ofGroups, own, unnamed }: Use, accountId: string): string[] {
  const groups = [...ofGroups].map(([id, { name, checks }]) => `${id} "${name}" (${checksOf(checks)})`);
  return [
    ...(ofAccount === null ? [] : [`in PUT /v1/accounts/${accountId} (${checksOf(ofAccount)})`]),
    ...(groups.length === 0 ? [] : [`in PUT /v1/check-groups/{id}: ${firstOf(groups)}`]),
    ...(own.length === 0 ? [] : [`of ${checksOf(own.length)}, under their type: ${firstOf(own)}`]),
    ...(unnamed === 0 ? [] : [`for ${checksOf(unnamed)} that use it by default, or install a newer runtime`]),
  ];
}

function checksOf(count: number): string {
  return count === 1 ? '1 check' : `${count} checks`;
}
