// Says what settings would have done in the past (docs/decisions/0143).
import type {
  BacktestAlert,
  BacktestCheck,
  BacktestListener,
  PastResult,
  Replayed,
} from '#domain/backtests/backtest.ts';
import { createReplay } from '#domain/backtests/replay-alerts.ts';
import type { AlertSettings } from '#domain/alerts/alert-settings.ts';
import type { AlertChannel, SubscribedChannel } from '#domain/alerts/alert-channel.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { neededBy, type CheckGroup } from '#domain/checks/check-group.ts';
import type { Check, CheckType } from '#domain/checks/check.ts';
import type { MaintenanceWindow } from '#domain/checks/maintenance-window.ts';
import { dayMs } from '#domain/results/roll-up.ts';
import type { Outcome } from '#domain/results/result.ts';
import type { Change } from '#domain/patch.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';
import { createTimeSlices } from '#lib/time-slices.ts';
import type { Clock } from '#lib/clock.ts';
import type { StoredPastResult } from '#store/history/past-results.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { changedGroup, type GroupInput } from '../checks/check-groups.ts';
import type { CheckInput } from '../checks/check-edits.ts';
import { type CheckDeps, draftCheck } from '../checks/checks.ts';
import { notFound, orNotFound } from '../refusal.ts';
import {
  type BacktestCounts,
  compared,
  type ComparedAlert,
  countsOf,
  raisedAlerts,
  hasOtherLimits,
  judgedAnew,
  type TimeLimits,
  untoldFields,
} from './backtest-comparison.ts';

/** Most checks, and most results of all of them, of a backtest. */
export const mostChecks = 500;
const mostResults = 20_000;
/** Time before the period that tells the state at its beginning, ms. */
const beforeMs = dayMs;
/** Most alerts that are listed. */
export const mostListed = 200;

/** What is tried: at most one of the first three; none = the account. */
export interface BacktestQuestion {
  readonly check?: { readonly id: string; readonly checkType: CheckType; readonly input: CheckInput } | undefined;
  readonly group?: { readonly id: number; readonly change: Change<GroupInput> } | undefined;
  readonly channel?:
    | {
        readonly id: number;
        readonly change: Partial<Pick<AlertChannel, 'sendFailure' | 'sendRecovery' | 'sendDegraded' | 'grouping'>>;
      }
    | undefined;
  readonly accountAlertSettings?: AlertSettings | undefined;
  readonly days: number;
}

export interface Backtest {
  readonly from: number;
  readonly to: number;
  readonly checks: number;
  readonly allChecks: number;
  readonly present: BacktestCounts;
  readonly changed: BacktestCounts;
  /** Changed settings whose effect the past cannot show. */
  readonly untold: readonly string[];
  /** Newest first, up to `mostListed`. */
  readonly alerts: readonly ComparedAlert[];
  /** Number of all of them. */
  readonly total: number;
}

export interface BacktestDeps extends Pick<
  Store,
  'checks' | 'checkGroups' | 'accounts' | 'maintenanceWindows' | 'alertChannels' | 'pastResults' | 'checkAlerts'
> {
  readonly drafts: CheckDeps;
  readonly servedLocations: () => readonly string[];
  readonly isDigested: (channelType: string) => boolean;
  readonly isBrief: (channelType: string) => boolean;
  /** The outcome that a response time alone decides. */
  readonly judgeTime: (ms: number, limits: TimeLimits) => Outcome;
  readonly clock: Clock;
}

export type BacktestActions = ReturnType<typeof createBacktestActions>;

/** Backtests in progress in this process; others wait. */
const lanes = createSharedLanes(2, 1);
/** Replays let other work go on every few milliseconds. */
const inSlices = createTimeSlices();

export function createBacktestActions(deps: BacktestDeps) {
  return {
    /** Refuses `not-found`, and what changing the check would refuse. null if the signal aborts: the caller has left. */
    async run(caller: Caller, question: BacktestQuestion, signal: AbortSignal): Promise<Backtest | null> {
      requirePermission(caller, 'read');
      const leave = await lanes.enter(caller.accountId, signal);
      if (leave === null) return null;
      try {
        return await runBacktest(deps, caller, question, signal);
      } finally {
        leave();
      }
    },
  };
}

async function runBacktest(
  deps: BacktestDeps,
  caller: Caller,
  question: BacktestQuestion,
  signal: AbortSignal,
): Promise<Backtest | null> {
  const now = deps.clock.now();
  const world = await readWorld(deps, caller.accountId, question);
  const changed = await changedWorld(deps, caller, question, world);
  const from = Math.max(now - question.days * dayMs, await deps.pastResults.storedFrom());
  const read = await readResults(
    deps,
    caller.accountId,
    { present: world, changed, from: from - beforeMs, to: now },
    signal,
  );
  const isCounted = (checkId: string, at: number): boolean => at >= from && world.subject.has(checkId);
  const both = replayBoth(deps, { present: world, changed, isCounted, ...read }, signal);
  const replays = await inSlices(caller.accountId, both);
  if (replays === null) return null;
  // Both sides are compared as far as both were replayed.
  const to = Math.min(replays.present.to, replays.changed.to);
  const isShown = ({ checkId, at }: BacktestAlert): boolean => isCounted(checkId, at) && at <= to;
  const present = replays.present.alerts.filter(isShown);
  const after = replays.changed.alerts.filter(isShown);
  const raised = await raisedAlerts(deps, caller.accountId, { from, to, checkId: question.check?.id ?? null });
  const all = compared(present, after, raised, (id) => changed.checks.get(id)?.check.name ?? '');
  return {
    from,
    to,
    checks: world.subject.size,
    allChecks: world.total,
    present: countsOf(present, replays.present, to),
    changed: countsOf(after, replays.changed, to),
    untold: untoldFields(world.checks, changed.checks),
    alerts: all.slice(0, mostListed),
    total: all.length,
  };
}

/** A check with the channels subscribed to it. */
interface Subject {
  readonly check: Check;
  readonly subscriptions: readonly SubscribedChannel[];
}

/** The settings of one side. */
interface World {
  readonly checks: ReadonlyMap<string, Subject>;
  readonly groups: ReadonlyMap<
    number,
    { readonly group: CheckGroup; readonly subscriptions: readonly SubscribedChannel[] }
  >;
  readonly channels: ReadonlyMap<number, AlertChannel>;
  readonly windows: readonly MaintenanceWindow[];
  readonly accountAlertSettings: AlertSettings | null;
  /** IDs of the checks that the backtest is about; the others are needed by them. */
  readonly subject: ReadonlySet<string>;
  /** Number of checks that it would be about without its limit. */
  readonly total: number;
}

async function readWorld(deps: BacktestDeps, accountId: string, question: BacktestQuestion): Promise<World> {
  const { rows, total } = await subjectsOf(deps, accountId, question);
  const checks = new Map<string, Subject>(rows.map((stored) => [stored.check.id, stored]));
  const subject = new Set(checks.keys());
  const groups = new Map<number, NonNullable<Awaited<ReturnType<typeof deps.checkGroups.find>>>>();
  // Dependencies may be of other groups, which have dependencies of their own.
  const waiting = [...checks.values()];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { check } = next;
    if (check.groupId !== null && !groups.has(check.groupId)) {
      const found = await deps.checkGroups.find(accountId, check.groupId);
      if (found !== null) groups.set(check.groupId, found);
    }
    const needs = neededBy(check, check.groupId === null ? null : (groups.get(check.groupId)?.group ?? null));
    for (const id of [...needs, ...(question.check?.input.dependsOn ?? [])]) {
      if (checks.has(id) || checks.size >= mostChecks) continue;
      const found = await deps.checks.find(accountId, id);
      if (found === null) continue;
      checks.set(id, found);
      waiting.push(found);
    }
  }
  const [account] = await deps.accounts.list([accountId]);
  const whole = { limit: 1000, offset: 0 };
  const { rows: windows } = await deps.maintenanceWindows.list(accountId, whole);
  const { rows: channels } = await deps.alertChannels.list(accountId, whole);
  return {
    checks,
    groups,
    channels: new Map(channels.map(({ channel }) => [channel.id, channel])),
    windows,
    accountAlertSettings: account?.alertSettings ?? null,
    subject,
    total,
  };
}

async function subjectsOf(deps: BacktestDeps, accountId: string, { check, group, channel }: BacktestQuestion) {
  if (check !== undefined) {
    const found = orNotFound(await deps.checks.find(accountId, check.id), 'check', check.id);
    return { rows: [found], total: 1 };
  }
  if (group !== undefined && (await deps.checkGroups.find(accountId, group.id)) === null) {
    throw notFound('check group', group.id);
  }
  if (channel !== undefined && (await deps.alertChannels.find(accountId, channel.id)) === null) {
    throw notFound('alert channel', channel.id);
  }
  const filter = { activated: true, ...(group !== undefined && { groupId: group.id }) };
  const rows: Subject[] = [];
  for (;;) {
    const page = await deps.checks.list(accountId, filter, { limit: 100, offset: rows.length });
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length >= mostChecks)
      return { rows: rows.slice(0, mostChecks), total: page.total };
  }
}

/** The world with what is tried. */
async function changedWorld(
  deps: BacktestDeps,
  caller: Caller,
  { check, group, channel, accountAlertSettings }: BacktestQuestion,
  world: World,
): Promise<World> {
  const checks = new Map(world.checks);
  const present = check === undefined ? undefined : checks.get(check.id);
  if (check !== undefined && present !== undefined) {
    const draft = await draftCheck(caller, check.checkType, check.input, present.check, deps.drafts);
    checks.set(check.id, { check: draft, subscriptions: check.input.alertChannelSubscriptions });
  }
  const groups = new Map(world.groups);
  const stored = group === undefined ? undefined : groups.get(group.id);
  if (group !== undefined && stored !== undefined) {
    const { alertChannelSubscriptions: subscriptions = stored.subscriptions } = group.change;
    groups.set(group.id, { group: changedGroup(stored.group, group.change), subscriptions });
  }
  const channels = new Map(world.channels);
  const known = channel === undefined ? undefined : channels.get(channel.id);
  if (channel !== undefined && known !== undefined) channels.set(channel.id, { ...known, ...channel.change });
  return {
    ...world,
    checks,
    groups,
    channels,
    accountAlertSettings: accountAlertSettings ?? world.accountAlertSettings,
  };
}

/** The input of a replay. */
function replayedChecks({ isDigested, isBrief }: BacktestDeps, world: World): BacktestCheck[] {
  const { groups, channels, windows, accountAlertSettings } = world;
  const blank = { variables: [], accountRuntimeId: null, accountTimeZone: null, revision: 0 };
  return [...world.checks.values()].map(({ check, subscriptions }) => {
    const found = check.groupId === null ? undefined : groups.get(check.groupId);
    const listeners = new Map<number, BacktestListener>();
    const listen = (all: readonly SubscribedChannel[], isViaGroup: boolean): void => {
      for (const { alertChannelId, activated, escalationMinutes } of all) {
        const channel = activated ? channels.get(alertChannelId) : undefined;
        if (channel === undefined) continue;
        const { type } = channel;
        const kind = { isBrief: isBrief(type), isDigested: isDigested(type) };
        const ofCheck = listeners.get(alertChannelId)?.escalationMs ?? Infinity;
        const escalationMs = Math.min(escalationMinutes * 60_000, ofCheck);
        listeners.set(alertChannelId, { ...channel, alertChannelId, isViaGroup, ...kind, escalationMs });
      }
    };
    listen(subscriptions, false);
    listen(found?.subscriptions ?? [], true);
    const context = { check, group: found?.group ?? null, maintenanceWindows: windows, accountAlertSettings, ...blank };
    return { context, listeners: [...listeners.values()] };
  });
}

interface ReadInput {
  readonly present: World;
  readonly changed: World;
  readonly from: number;
  readonly to: number;
}

/** The results of all checks by the time they ended; `to` is earlier if they are too many. */
async function readResults(
  { pastResults }: BacktestDeps,
  accountId: string,
  { present, changed, from, to }: ReadInput,
  signal: AbortSignal,
): Promise<{ readonly results: readonly StoredPastResult[]; readonly to: number }> {
  const results: StoredPastResult[] = [];
  let until = to;
  for (const [id, { check }] of present.checks) {
    if (signal.aborted) break;
    const slowerThanMs = hasOtherLimits(check, changed.checks.get(id)?.check ?? check);
    const max = Math.max(1, mostResults - results.length);
    const found = await pastResults.read(accountId, id, { from, to: until, slowerThanMs, max });
    results.push(...found.results);
    if (!found.isComplete) until = Math.min(until, found.results.at(-1)?.endedAt ?? until);
  }
  const known = results.filter(({ endedAt }) => endedAt <= until).toSorted((a, b) => a.endedAt - b.endedAt);
  return { results: known, to: until };
}

function* replayBoth(
  deps: BacktestDeps,
  {
    present,
    changed,
    results,
    to,
    isCounted,
  }: Pick<ReadInput, 'present' | 'changed' | 'to'> & {
    readonly results: readonly StoredPastResult[];
    readonly isCounted: (checkId: string, at: number) => boolean;
  },
  signal: AbortSignal,
): Generator<undefined, { readonly present: Replayed; readonly changed: Replayed } | null, undefined> {
  const locations = deps.servedLocations();
  const replays = [present, changed].map((world) =>
    createReplay({ checks: replayedChecks(deps, world), locations, isCounted }),
  );
  for (const result of results) {
    const [one, other] = [present, changed].map((world) => world.checks.get(result.checkId)?.check);
    const judged: PastResult =
      one === undefined || other === undefined ? result : judgedAnew(result, one, other, deps.judgeTime);
    for (const work of [replays[0]?.take(result), replays[1]?.take(judged)]) if (work !== undefined) yield* work;
    yield undefined;
    if (signal.aborted) return null;
  }
  const ends: Replayed[] = [];
  for (const replay of replays) ends.push(yield* replay.end(to));
  const [before, after] = ends;
  return before === undefined || after === undefined ? null : { present: before, changed: after };
}
