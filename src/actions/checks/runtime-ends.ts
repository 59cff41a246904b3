// Notices about runtimes that end or have ended, for accounts that use them: number of checks, and where the runtime is
// set (decisions: Runtimes; docs/decisions/0080).
import type { CheckRuntime, GroupRuntime } from '#store/accounts/requested-runtimes.ts';
import type { Store } from '#store/store.ts';
import {
  endedWords,
  endOfLifeAt,
  endsSoon,
  type RuntimeLife,
  runtimeChoice,
  stageAt,
  noticeMs,
  wantedRuntime,
} from '#domain/checks/runtime.ts';
import { firstOf, type Notice } from '../operating/notices.ts';
import type { RuntimeRules } from './script-runtime.ts';

/** A runtime that counts as REMOVED. */
export interface EndedRuntime extends RuntimeLife {
  /** The first day of that, epoch ms; the start of this process if the manifest names no past day. */
  readonly endedAt: number;
}

export interface RuntimeEndDeps
  extends Pick<Store, 'accounts' | 'requestedRuntimes'>, Pick<RuntimeRules, 'runtimes' | 'now' | 'refusesRuntime'> {
  /** Ended runtimes of this server whose folders still exist. */
  readonly endedRuntimes: () => readonly EndedRuntime[];
}

/**
 * The notices of an account: one for each runtime in use that ends within 30 days, and one for each ended runtime whose
 * checks no longer run. Reads nothing of an account unless a runtime is about to end or has ended.
 */
export function createRuntimeEnds(deps: RuntimeEndDeps) {
  const { runtimes, endedRuntimes, now } = deps;
  return async (accountId: string): Promise<readonly Notice[]> => {
    const at = now();
    const here: RuntimeLife[] = runtimes().filter((runtime) => stageAt(runtime, at) !== 'REMOVED');
    const ending = here.filter((runtime) => endsSoon(runtime, at));
    const ended = endedRuntimes();
    if (ending.length + ended.length === 0) return [];
    const useOf = await usesOf(accountId, { at, here, ended: ended.map(alive) }, deps);
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
  /** Ended runtimes as if they had not ended. */
  readonly ended: readonly RuntimeLife[];
}

/** Groups checks by available runtime, and those that do not run by ended runtime. */
async function usesOf(
  accountId: string,
  { at, here, ended }: Moment,
  { accounts, requestedRuntimes, refusesRuntime }: RuntimeEndDeps,
): Promise<(name: string) => Use> {
  const [account] = await accounts.list([accountId]);
  const groups = await requestedRuntimes.groups(accountId);
  const default_ = account?.runtimeId ?? null;
  const uses = new Map<string, Use>();
  const useOf = (name: string): Use => {
    const use = uses.get(name) ?? newUse(name, default_, groups);
    uses.set(name, use);
    return use;
  };
  const byId = new Map(groups.map((group) => [group.id, group]));
  for await (const check of requestedRuntimes.checks(accountId)) {
    const group = (check.groupId === null ? undefined : byId.get(check.groupId)) ?? null;
    // A check without scripts needs no runtime, even if it names one.
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

/** Where an account names a runtime, and how many checks use it. */
interface Use {
  checks: number;
  /** Number of these checks that get another runtime afterwards. */
  goOn: number;
  /** null = the account names another one, or none. */
  ofAccount: number | null;
  readonly ofGroups: Map<number, { readonly name: string; checks: number }>;
  /** IDs of checks that name it themselves. */
  readonly own: string[];
  /** Checks that use it by default, or whose own choice is no longer installed. */
  unnamed: number;
}

function newUse(name: string, ofAccount: string | null, groups: readonly GroupRuntime[]): Use {
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

/** If only the account names it, its next check will use it. */
function isUsed({ checks, ofAccount, ofGroups }: Use): boolean {
  return checks > 0 || ofAccount !== null || ofGroups.size > 0;
}

function count(check: CheckRuntime, group: GroupRuntime | null, use: Use, name: string): void {
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
    since: (endOfLifeAt(runtime) ?? 0) - noticeMs,
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

/** How many checks use it, and what happens to them. */
function usersOf({ checks, goOn }: Use): string {
  if (checks === 0) return 'no check of this account uses it yet';
  const lost = checks - goOn;
  const users = checks === 1 ? '1 check of this account uses it' : `${checks} checks of this account use it`;
  if (lost === 0) return `${users} and will then use another runtime`;
  return `${users}${lost === checks ? ' and' : `; ${lost} of them`} will not run after that`;
}

/** Where it is set, one phrase for each place. */
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
