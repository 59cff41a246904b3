// The ledger of an account, and of the whole installation (docs/decisions/0149).
import type { Caller } from '#domain/accounts/api-key.ts';
import { periodAt, type TimeSpan } from '#domain/checks/calendar.ts';
import {
  addLedgers,
  countedMeanwhile,
  differencesOf,
  isBalanced,
  type LedgerCounts,
  type LedgerDifferences,
  noLedger,
  noOutcomes,
  type OutcomeCounts,
  sumOf,
} from '#domain/results/ledger.ts';
import { outcomes } from '#domain/results/result.ts';
import { dayMs, emptyRollUp, hourMs, hourOf } from '#domain/results/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';
import type { Store } from '#store/store.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { requirePermission } from '../accounts/permission.ts';
import { inTurn } from '../in-turn.ts';
import { invalidField } from '../refusal.ts';
import { type HistoryReader, wholeHours } from '../results/analytics.ts';
import { batchesOf, type ReportedCheck, type SubjectReader } from '../results/reports.ts';

/** The query. `at` is a time in the period, epoch ms; absent = now. */
export interface LedgerQuestion {
  readonly period: 'day' | 'month';
  readonly at?: number;
}

/** A check with runs that did not pass. */
export interface LedgerCheck extends Pick<ReportedCheck, 'checkId' | 'name' | 'checkType'> {
  readonly runs: OutcomeCounts;
}

/** The ledger of an account. Times are epoch ms. */
export interface AccountLedger extends LedgerCounts, Pick<LedgerQuestion, 'period'> {
  readonly span: TimeSpan;
  readonly timeZone: string;
  readonly storedFrom: number;
  readonly createdAt: number;
  readonly differences: LedgerDifferences;
  /** Outcomes that are no longer stored; negative = more are stored than were recorded. */
  readonly unstored: number;
  /** Those with the most runs that did not pass. */
  readonly checks: readonly LedgerCheck[];
  readonly otherChecks: number;
}

/** The ledgers of all accounts. */
export interface SystemLedger extends LedgerCounts, Pick<LedgerQuestion, 'period'> {
  readonly createdAt: number;
  readonly accounts: number;
  readonly differences: LedgerDifferences;
  readonly unbalanced: readonly (LedgerDifferences & { readonly accountId: string; readonly name: string | null })[];
}

export interface LedgerDeps extends AccountZoneDeps, Pick<Store, 'ledger'> {
  readonly checkSubjects: SubjectReader;
  readonly checkHistory: HistoryReader;
  readonly retentionDays: number;
  readonly clock: Clock;
}

/** Checks and accounts that are listed. */
const maxListed = 50;
/** Ledgers in progress in this process; others wait, those of an account for each other first. */
const lanes = createSharedLanes(2, 1);

export type LedgerActions = ReturnType<typeof createLedgerActions>;

export function createLedgerActions(deps: LedgerDeps) {
  const { ledger, clock } = deps;
  return {
    /**
     * Refuses (`invalid`) a period of which counters are no longer stored by hour. Incomplete if the signal aborts: the
     * caller no longer waits.
     */
    async read(caller: Caller, question: LedgerQuestion, signal: AbortSignal): Promise<AccountLedger> {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      const timeZone = await accountZone(deps, accountId);
      const span = spanOf(deps, question, timeZone);
      return inTurn(lanes, accountId, signal, async () => {
        const before = await ledger.runs(accountId, span);
        const stored = await readStored(deps, accountId, span, signal);
        const counts = await readCounts(deps, accountId, span);
        const recorded = countedMeanwhile(sumOf(before.outcomes), stored.count, sumOf(counts.runs.outcomes));
        return {
          ...counts,
          period: question.period,
          span,
          timeZone,
          storedFrom: storedFrom(deps),
          createdAt: clock.now(),
          differences: differencesOf(counts),
          unstored: recorded - stored.count,
          checks: stored.checks,
          otherChecks: stored.otherChecks,
        };
      });
    },
    /** Each account has the day or month of its own time zone. */
    async readAll(caller: Caller, question: LedgerQuestion, signal: AbortSignal): Promise<SystemLedger> {
      requirePermission(caller, 'operate');
      return inTurn(lanes, '', signal, async () => {
        const accounts = await ledger.accounts();
        const unbalanced: SystemLedger['unbalanced'][number][] = [];
        let total = noLedger;
        for (const { id: accountId, name } of accounts) {
          if (signal.aborted) break;
          const span = spanOf(deps, question, await accountZone(deps, accountId));
          const counts = await readCounts(deps, accountId, span);
          const differences = differencesOf(counts);
          if (!isBalanced(differences) && unbalanced.length < maxListed) {
            unbalanced.push({ accountId, name, ...differences });
          }
          total = addLedgers(total, counts);
        }
        const differences = differencesOf(total);
        const { period } = question;
        return { ...total, period, createdAt: clock.now(), accounts: accounts.length, differences, unbalanced };
      });
    },
  };
}

function spanOf({ ledger, clock }: LedgerDeps, { period, at }: LedgerQuestion, timeZone: string): TimeSpan {
  const now = clock.now();
  if (at !== undefined && at > now) throw invalidField('at', 'must be in the past');
  const span = periodAt(period, at ?? now, timeZone);
  const countedFrom = ledger.countedFrom();
  if (span.from >= countedFrom) return span;
  const first = new Date(countedFrom).toISOString();
  throw invalidField('at', `must be in a ${period} that began after ${first}; earlier counts are not stored by hour`);
}

/** The first full hour of which the retention deletes nothing. */
function storedFrom({ clock, retentionDays }: LedgerDeps): number {
  return hourOf(clock.now() - retentionDays * dayMs) + hourMs;
}

async function readCounts(deps: LedgerDeps, accountId: string, span: TimeSpan): Promise<LedgerCounts> {
  const { ledger } = deps;
  const from = storedFrom(deps);
  return {
    runs: await ledger.runs(accountId, span),
    alerts: await ledger.alerts(accountId, span, from),
    deliveries: await ledger.deliveries(accountId, span, from),
  };
}

/** Outcomes as results and roll-ups have them, and the checks whose runs did not pass. */
async function readStored(
  { checkSubjects, checkHistory, clock }: LedgerDeps,
  accountId: string,
  span: TimeSpan,
  signal: AbortSignal,
): Promise<{ readonly count: number } & Pick<AccountLedger, 'checks' | 'otherChecks'>> {
  const whole = wholeHours(span, clock.now());
  const found: LedgerCheck[] = [];
  let [count, all] = [0, 0];
  const scope = { accountId, filter: { tags: [] }, atOnce: checkHistory.checksAtOnce, signal };
  for await (const some of batchesOf(checkSubjects, scope)) {
    const ids = some.map(({ checkId }) => checkId);
    const sums = await checkHistory.sums(accountId, ids, whole);
    for (const { checkId, name, checkType } of some) {
      const sum = sums.get(checkId) ?? emptyRollUp();
      const runs = { ...noOutcomes };
      for (const outcome of outcomes) runs[outcome] = sum[outcome];
      count += sumOf(runs);
      if (notPassed(runs) === 0) continue;
      all++;
      found.push({ checkId, name, checkType, runs });
    }
    // Keeps memory bounded: only the first ones are listed.
    found.sort((a, b) => notPassed(b.runs) - notPassed(a.runs));
    found.length = Math.min(found.length, maxListed);
  }
  return { count, checks: found, otherChecks: all - found.length };
}

function notPassed(runs: OutcomeCounts): number {
  return sumOf(runs) - runs.passed;
}
