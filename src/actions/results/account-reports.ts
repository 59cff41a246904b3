// The report on all checks of an account in a week or month: for a page, as CSV, and for channels (docs/decisions/0130).
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { periodAt, periodBefore, type TimeSpan } from '#domain/checks/calendar.ts';
import { isZone } from '#domain/checks/wall-time.ts';
import {
  type AccountReport,
  createReportTotals,
  lastPeriod,
  reportedRow,
  type ReportedRow,
  type ReportedSums,
  type ReportSchedule,
  type ReportScheduleInput,
} from '#domain/results/account-report.ts';
import { dayOf, dayMs, dayRetentionDays, emptyRollUp } from '#domain/results/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField } from '../refusal.ts';
import { type HistoryReader, wholeHours } from './analytics.ts';
import { batchesOf, type SubjectReader } from './reports.ts';

/** The query. */
export interface AccountReportQuestion extends ReportScheduleInput {
  /** A time in the period, epoch ms; absent = the last complete period. */
  readonly at?: number;
}

export interface AccountReportDeps extends Pick<Store, 'accountReports'>, AccountZoneDeps {
  readonly checkSubjects: SubjectReader;
  readonly checkHistory: HistoryReader;
  readonly clock: Clock;
}

/** Incomplete if the signal aborts: the caller no longer waits. */
export type AccountReportActions = ReturnType<typeof createAccountReportActions>;

export function createAccountReportActions(deps: AccountReportDeps) {
  const { clock } = deps;
  return {
    /** Refuses (`invalid`) an unknown time zone and a period of which nothing is stored. */
    async read(caller: Caller, question: AccountReportQuestion, signal: AbortSignal): Promise<AccountReport> {
      requirePermission(caller, 'read');
      const madeAt = clock.now();
      const zoned = await withZone(deps, caller.accountId, question);
      return buildReport(deps, scopeOf(caller.accountId, zoned, spanOf(zoned, madeAt), signal), madeAt);
    },
    /** All activated checks in that period, oldest first, in batches. Refuses on the first read. */
    async *rows(
      caller: Caller,
      question: AccountReportQuestion,
      signal: AbortSignal,
    ): AsyncIterable<readonly ReportedRow[]> {
      requirePermission(caller, 'read');
      const zoned = await withZone(deps, caller.accountId, question);
      const span = spanOf(zoned, clock.now());
      const { counts } = await deps.accountReports.incidents(caller.accountId, span);
      const scope = scopeOf(caller.accountId, zoned, span, signal);
      for await (const some of sumsOf(deps, scope, counts)) yield some.map(reportedRow);
    },
    /** The report on the last complete period, for the account's channels. */
    build(accountId: string, schedule: ReportSchedule): Promise<AccountReport> {
      const madeAt = clock.now();
      const span = lastPeriod(schedule, madeAt);
      return buildReport(deps, scopeOf(accountId, schedule, span, new AbortController().signal), madeAt);
    },
  };
}

/** What a report is about. */
interface Scope extends ReportSchedule {
  readonly accountId: string;
  readonly span: TimeSpan;
  readonly signal: AbortSignal;
}

function scopeOf(accountId: string, { every, timeZone }: ReportSchedule, span: TimeSpan, signal: AbortSignal): Scope {
  return { accountId, every, timeZone, span, signal };
}

/** A question or schedule with the zone of the account if it has none. */
async function withZone<Input extends ReportScheduleInput>(
  deps: AccountZoneDeps,
  accountId: string,
  input: Input,
): Promise<Input & ReportSchedule> {
  return { ...input, timeZone: input.timeZone ?? (await accountZone(deps, accountId)) };
}

/** The requested period; it ends now if it is not over. */
function spanOf({ every, timeZone, at }: AccountReportQuestion & ReportSchedule, now: number): TimeSpan {
  if (!isZone(timeZone)) throw invalidField('timezone', 'must be an IANA time zone name, such as Europe/Berlin');
  if (at === undefined) return lastPeriod({ every, timeZone }, now);
  const { from, to } = periodAt(every, at, timeZone);
  if (from >= now) throw invalidField('at', 'must be in the past');
  if (to <= dayOf(now) - dayRetentionDays * dayMs) {
    throw invalidField('at', `must be in the last ${dayRetentionDays} days, for which data is stored`);
  }
  return { from, to: Math.min(to, now) };
}

async function buildReport(deps: AccountReportDeps, scope: Scope, madeAt: number): Promise<AccountReport> {
  const { accounts, accountReports } = deps;
  const { accountId, every, timeZone, span, signal } = scope;
  const [account] = await accounts.list([accountId]);
  const incidents = await accountReports.incidents(accountId, span);
  const totals = createReportTotals();
  for await (const some of sumsOf(deps, scope, incidents.counts)) {
    if (signal.aborted) break;
    totals.add(some);
  }
  return {
    accountName: account?.name ?? null,
    every,
    timeZone,
    span,
    madeAt,
    ...totals.total(incidents.total),
    incidents: incidents.longest,
    certificates: await accountReports.certificates(accountId, madeAt),
  };
}

async function* sumsOf(
  { checkSubjects, checkHistory, clock }: AccountReportDeps,
  { accountId, every, timeZone, span, signal }: Scope,
  incidents: ReadonlyMap<string, number>,
): AsyncIterable<readonly ReportedSums[]> {
  const now = clock.now();
  const [own, before] = [wholeHours(span, now), wholeHours(periodBefore(span.from, every, timeZone), now)];
  const filter = { tags: [], activated: true };
  const scope = { accountId, filter, atOnce: checkHistory.checksAtOnce, signal };
  for await (const some of batchesOf(checkSubjects, scope)) {
    const ids = some.map(({ checkId }) => checkId);
    const sums = await checkHistory.sums(accountId, ids, own);
    const sumsBefore = await checkHistory.sums(accountId, ids, before);
    yield some.map(({ checkId, name, checkType, tags }) => ({
      check: { checkId, name, checkType, tags },
      sum: sums.get(checkId) ?? emptyRollUp(),
      before: sumsBefore.get(checkId) ?? emptyRollUp(),
      incidents: incidents.get(checkId) ?? 0,
    }));
  }
}
