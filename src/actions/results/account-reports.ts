// The report on checks of an account in a period or some days: for a page, as CSV, and for channels (docs/decisions/0130).
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import {
  type DayRange,
  daysBefore,
  periodAt,
  periodBefore,
  spanOfDays,
  type TimeSpan,
} from '#domain/checks/calendar.ts';
import { isZone } from '#domain/checks/wall-time.ts';
import {
  type AccountReport,
  certificateDays,
  createReportTotals,
  lastPeriod,
  listedInReport,
  type ReportedCertificate,
  reportedRow,
  type ReportedRow,
  type ReportedSums,
  type ReportPeriod,
  type ReportSchedule,
  type ReportScope,
} from '#domain/results/account-report.ts';
import { dayOf, dayMs, dayRetentionDays, emptyRollUp } from '#domain/results/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField } from '../refusal.ts';
import { type HistoryReader, wholeHours } from './analytics.ts';
import { batchesOf, type SubjectReader } from './reports.ts';

/** The query. Absent parts of the scope = all checks of the account. */
export interface AccountReportQuestion extends Partial<ReportScope> {
  readonly every: ReportPeriod;
  /** Absent = that of the account. */
  readonly timeZone?: string;
  /** A time in the period, epoch ms; absent = the last complete period. */
  readonly at?: number;
  /** These days instead of a period. */
  readonly days?: DayRange;
}

export interface AccountReportDeps
  extends Pick<Store, 'accountReports' | 'certificates' | 'checkGroups'>, AccountZoneDeps {
  readonly checkSubjects: SubjectReader;
  readonly checkHistory: HistoryReader;
  readonly clock: Clock;
}

/** Incomplete if the signal aborts: the caller no longer waits. */
export type AccountReportActions = ReturnType<typeof createAccountReportActions>;

export function createAccountReportActions(deps: AccountReportDeps) {
  const { clock } = deps;
  return {
    /** Refuses (`invalid`) an unknown time zone or group, and a time of which nothing is stored. */
    async read(caller: Caller, question: AccountReportQuestion, signal: AbortSignal): Promise<AccountReport> {
      requirePermission(caller, 'read');
      return buildReport(deps, await coverageOf(deps, caller.accountId, question, signal));
    },
    /** All activated checks of the report, oldest first, in batches. Refuses on the first read. */
    async *rows(
      caller: Caller,
      question: AccountReportQuestion,
      signal: AbortSignal,
    ): AsyncIterable<readonly ReportedRow[]> {
      requirePermission(caller, 'read');
      const coverage = await coverageOf(deps, caller.accountId, question, signal);
      const { counts } = await deps.accountReports.incidents(caller.accountId, coverage.span);
      for await (const some of sumsOf(deps, coverage, counts)) yield some.map(reportedRow);
    },
    /** The report on the last complete period, for the account's channels. A group that was deleted has no checks. */
    build(accountId: string, schedule: ReportSchedule): Promise<AccountReport> {
      const { timeZone, every } = schedule;
      const madeAt = clock.now();
      const span = lastPeriod(schedule, madeAt);
      const before = periodBefore(span.from, every, timeZone);
      const { signal } = new AbortController();
      return buildReport(deps, {
        ...scopeOf(schedule),
        accountId,
        every,
        days: null,
        timeZone,
        span,
        before,
        madeAt,
        signal,
      });
    },
  };
}

/** What a report is about. */
interface Coverage extends ReportScope {
  readonly accountId: string;
  /** null = `days`. */
  readonly every: ReportPeriod | null;
  readonly days: DayRange | null;
  readonly timeZone: string;
  readonly span: TimeSpan;
  /** The time that it is compared with. */
  readonly before: TimeSpan;
  readonly madeAt: number;
  readonly signal: AbortSignal;
}

function scopeOf({ groupId = null, tags = [], title = null }: Partial<ReportScope>): ReportScope {
  return { groupId, tags, title };
}

async function coverageOf(
  deps: AccountReportDeps,
  accountId: string,
  question: AccountReportQuestion,
  signal: AbortSignal,
): Promise<Coverage> {
  const timeZone = question.timeZone ?? (await accountZone(deps, accountId));
  const madeAt = deps.clock.now();
  const spans = spansOf({ ...question, timeZone }, madeAt);
  const scope = scopeOf(question);
  if (scope.groupId !== null) await requireGroup(deps, accountId, 'groupId', scope.groupId);
  const { days = null } = question;
  const every = days === null ? question.every : null;
  return { ...scope, accountId, every, days, timeZone, ...spans, madeAt, signal };
}

/** Refuses (`invalid`) a group that the account does not have. */
export async function requireGroup(
  { checkGroups }: Pick<Store, 'checkGroups'>,
  accountId: string,
  path: string,
  groupId: number,
): Promise<void> {
  if ((await checkGroups.find(accountId, groupId)) === null) {
    throw invalidField(path, `must be the ID of a group: group ${groupId} not found`);
  }
}

/** The requested time and the one before; it ends now if it is not over. */
function spansOf(
  { every, timeZone, at, days }: AccountReportQuestion & { readonly timeZone: string },
  now: number,
): { readonly span: TimeSpan; readonly before: TimeSpan } {
  if (!isZone(timeZone)) throw invalidField('timezone', 'must be an IANA time zone name, such as Europe/Berlin');
  const storedFrom = dayOf(now) - dayRetentionDays * dayMs;
  const tooOld = `must be in the last ${dayRetentionDays} days, for which data is stored`;
  if (days !== undefined) {
    if (days.toOn < days.fromOn) throw invalidField('toOn', `must not be before fromOn, ${days.fromOn}`);
    const { from, to } = spanOfDays(days, timeZone);
    if (from >= now) throw invalidField('fromOn', 'must be in the past');
    if (from < storedFrom - dayMs) throw invalidField('fromOn', tooOld);
    return { span: { from, to: Math.min(to, now) }, before: { ...spanOfDays(daysBefore(days), timeZone), to: from } };
  }
  const { from, to } = at === undefined ? lastPeriod({ every, timeZone }, now) : periodAt(every, at, timeZone);
  if (from >= now) throw invalidField('at', 'must be in the past');
  if (to <= storedFrom) throw invalidField('at', tooOld);
  return { span: { from, to: Math.min(to, now) }, before: periodBefore(from, every, timeZone) };
}

async function buildReport(deps: AccountReportDeps, coverage: Coverage): Promise<AccountReport> {
  const { accounts, accountReports, checkGroups } = deps;
  const { accountId, every, days, timeZone, span, madeAt, signal, groupId, tags, title } = coverage;
  const [account] = await accounts.list([accountId]);
  const group = groupId === null ? null : await checkGroups.find(accountId, groupId);
  const isWhole = groupId === null && tags.length === 0;
  const only = isWhole ? null : await idsOf(deps, coverage);
  const incidents = await accountReports.incidents(accountId, span, only);
  const totals = createReportTotals();
  for await (const some of sumsOf(deps, coverage, incidents.counts)) {
    if (signal.aborted) break;
    totals.add(some);
  }
  return {
    accountName: account?.name ?? null,
    groupId,
    groupName: group?.group.name ?? null,
    tags,
    title,
    every,
    days,
    timeZone,
    span,
    madeAt,
    ...totals.total(incidents.total),
    incidents: incidents.longest,
    certificates: await expiring(deps, coverage),
  };
}

async function expiring({ certificates }: AccountReportDeps, coverage: Coverage): Promise<ReportedCertificate[]> {
  const { accountId, madeAt } = coverage;
  const filter = { ...filterOf(coverage), until: madeAt + certificateDays * dayMs };
  const { rows } = await certificates.list(accountId, filter, { limit: listedInReport, offset: 0 });
  return rows.map(({ checkId, name, domain, validTo }) => ({ checkId, name, domain, validTo }));
}

function filterOf({ groupId, tags }: ReportScope) {
  return { tags, activated: true, ...(groupId !== null && { groupId }) };
}

function batchesIn({ checkSubjects, checkHistory }: AccountReportDeps, coverage: Coverage) {
  const { accountId, signal } = coverage;
  const scope = { accountId, filter: filterOf(coverage), atOnce: checkHistory.checksAtOnce, signal };
  return batchesOf(checkSubjects, scope);
}

async function idsOf(deps: AccountReportDeps, coverage: Coverage): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const some of batchesIn(deps, coverage)) for (const { checkId } of some) ids.add(checkId);
  return ids;
}

async function* sumsOf(
  deps: AccountReportDeps,
  coverage: Coverage,
  incidents: ReadonlyMap<string, number>,
): AsyncIterable<readonly ReportedSums[]> {
  const { checkHistory, clock } = deps;
  const { accountId } = coverage;
  const now = clock.now();
  const [own, before] = [wholeHours(coverage.span, now), wholeHours(coverage.before, now)];
  for await (const some of batchesIn(deps, coverage)) {
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
