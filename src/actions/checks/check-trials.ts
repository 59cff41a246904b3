// Actions on trials: run a definition of a check once, without saving it (docs/decisions/0142).
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { type Check, type CheckType, namedLocations } from '#domain/checks/check.ts';
import { type StoredTrial, trialLifeMs, trialsAtOnce, type TrialSlice } from '#domain/results/check-trial.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';
import { placesOf } from '#domain/checks/plan-runs.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Asset } from '#domain/results/asset.ts';
import type { StoredResult } from '#store/history/check-results.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, Refusal } from '../refusal.ts';
import { type CheckResultDeps, shown, type ShownResult } from '../results/check-results.ts';
import type { CheckInput } from './check-edits.ts';
import { type CheckDeps, draftCheck, storedCheck } from './checks.ts';
import { waitUntil } from './wait-until.ts';

/** A trial in a response. */
export interface ShownTrial extends Pick<StoredTrial, 'id' | 'status' | 'location' | 'createdAt'> {
  /** null = it has not ended. */
  readonly result: ShownResult | null;
  readonly screenshots: readonly Asset[];
  readonly progress: readonly TrialSlice[];
}

/** Dependencies of these actions. */
export interface CheckTrialDeps extends Pick<Store, 'checkTrials'>, Pick<CheckResultDeps, 'describeResult'> {
  readonly drafts: CheckDeps;
  /** Codes of the available run locations, this server's own first. */
  readonly servedLocations: () => readonly string[];
  readonly clock: Clock;
  /** Wakes the step that runs trials. */
  readonly wake: () => void;
  /** Aborts when this process stops, so that waiting callers do not delay shutdown. */
  readonly stopping: AbortSignal;
}

/** How long to wait for a trial. */
export interface TrialWaiting {
  readonly maxMs: number;
  /** Also waits for progress after this number, and returns it; null = waits for the end only. */
  readonly after: number | null;
  readonly signal: AbortSignal;
}

/** All actions refuse (`not-found`) trials of other accounts, and need the permission of changing checks. */
export type CheckTrialActions = ReturnType<typeof createCheckTrialActions>;

export function createCheckTrialActions(deps: CheckTrialDeps) {
  const { checkTrials, drafts, clock, wake, stopping } = deps;
  const findOrRefuse = async ({ accountId }: Caller, id: string): Promise<StoredTrial> => {
    const trial = await checkTrials.find(accountId, id);
    if (trial === null || trial.createdAt < clock.now() - trialLifeMs) throw notFound('trial', id);
    return trial;
  };
  /** Trials that a reader waits for here: further readers of one receive it as it is. */
  const awaited = new Set<string>();
  return {
    /**
     * Starts a trial at the first available location of the check. Refuses what creating the check would refuse, `limit`
     * if the account's runs of the month are used up, `too-many` while five trials of the account wait or run, and
     * `unavailable` if no process serves the location.
     * @param checkId the stored check that the definition changes: what it masks or omits is taken from there
     */
    async start(caller: Caller, checkType: CheckType, input: CheckInput, checkId: string | null) {
      requirePermission(caller, 'write');
      if (checkType === 'HEARTBEAT') throw new Refusal('conflict', 'A heartbeat check is not run: it waits for pings.');
      const { accountId } = caller;
      const present = checkId === null ? null : await storedCheck(caller, checkId, drafts);
      const check = await draftCheck(caller, checkType, input, present, drafts);
      const location = await locationOf(check, deps);
      const trial = { accountId, id: drafts.newId(), location, check, createdAt: clock.now() };
      const added = await checkTrials.add(trial);
      if (added === 'over-limit') throw new Refusal('limit', 'The account’s runs of this month are used up.');
      if (added === 'full') {
        const message = `${trialsAtOnce} trials of this account are waiting or running. Wait until one of them has ended.`;
        throw new Refusal('too-many', message, { retryAfterSeconds: 5 });
      }
      wake();
      return shownTrial({ ...trial, status: 'waiting', finding: null, slices: 0 }, [], deps);
    },
    /** Waits for its end. An ended trial is deleted when it was read. */
    async read(caller: Caller, id: string, { maxMs, after, signal }: TrialWaiting): Promise<ShownTrial> {
      requirePermission(caller, 'write');
      let trial = await findOrRefuse(caller, id);
      const ending = AbortSignal.any([signal, stopping]);
      const hasNews = async (): Promise<boolean> => {
        trial = await findOrRefuse(caller, id);
        return isNews(trial, after);
      };
      if (!isNews(trial, after) && maxMs > 0 && !awaited.has(id)) {
        awaited.add(id);
        const waiting = { maxMs, signal: ending, hints: () => () => {}, pauseMs };
        await waitUntil(hasNews, waiting).finally(() => awaited.delete(id));
      }
      const isOpen = trial.finding === null && after !== null;
      const slices = isOpen ? await checkTrials.slices(caller.accountId, id, after) : [];
      // The next reader finds what nobody has received.
      if (trial.finding !== null && !signal.aborted) await checkTrials.remove(caller.accountId, id);
      return shownTrial(trial, slices, deps);
    },
    /** A script is stopped within seconds; another run ends, and its result is discarded. */
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await checkTrials.remove(caller.accountId, id))) throw notFound('trial', id);
    },
  };
}

function isNews({ finding, slices }: StoredTrial, after: number | null): boolean {
  return finding !== null || (after !== null && slices > after);
}

/** Time between two looks at a trial, ms. */
const pauseMs = { least: 100, max: 250 };

/** The location where the check would run first. */
async function locationOf(check: Check, { drafts, servedLocations }: CheckTrialDeps): Promise<string> {
  const found = check.groupId === null ? null : await drafts.checkGroups.find(check.accountId, check.groupId);
  const served = servedLocations();
  const places = placesOf(namedLocations(effectiveCheck(check, found?.group ?? null)), served);
  const [location] = places;
  if (location !== undefined && served.includes(location)) return location;
  const where = location === undefined ? 'No process runs checks.' : `No process runs checks at location ${location}.`;
  throw new Refusal('unavailable', where, { retryAfterSeconds: 30 });
}

function shownTrial(trial: StoredTrial, progress: readonly TrialSlice[], deps: CheckTrialDeps): ShownTrial {
  const { id, status, location, createdAt, check, finding } = trial;
  if (finding === null) return { id, status, location, createdAt, result: null, screenshots: [], progress };
  const { verdict, exchange, assets = [], ...rest } = finding;
  const result: StoredResult = {
    ...rest,
    accountId: trial.accountId,
    checkId: check.id,
    id,
    runId: id,
    attempt: 1,
    isFinal: true,
    outcome: verdict,
    location,
    source: 'TRIGGER_API',
    slots: 1,
    exchange: exchange === null ? null : (JSON.parse(exchange) as JsonObject),
  };
  return { id, status, location, createdAt, result: shown(result, check, deps), screenshots: assets, progress: [] };
}
