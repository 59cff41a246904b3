// Routes of reports on checks of an account, as JSON and CSV.
import type { AccountReportActions, AccountReportQuestion } from '#actions/results/account-reports.ts';
import type { AccountReportDeliveryActions } from '#actions/results/account-report-deliveries.ts';
import type { AccountReportBody, AccountReportQuery } from '#contract/results/account-report.ts';
import { invalidField } from '#actions/refusal.ts';
import type { AccountReport, ReportedRow, ReportFigures } from '#domain/results/account-report.ts';
import { csvAnswer, type CsvColumns } from './csv.ts';
import { deliveryToWire } from '../alerts/deliveries.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

export function accountReportRoutes(reports: AccountReportActions, deliveries: AccountReportDeliveryActions): Route[] {
  return [
    route('getAccountReport', async ({ caller, query, signal }) =>
      toWire(await reports.read(caller, questionOf(query), signal)),
    ),
    route('getAccountReportRows', ({ caller, query, signal }) => {
      const file = `tocsin-report-${query.fromOn ?? query.every}`;
      return csvAnswer(file, columns, reports.rows(caller, questionOf(query), signal), signal);
    }),
    route('sendAccountReport', async ({ caller, body: { alertChannelId, tags, ...query }, signal }) => {
      const question = questionOf({ ...query, ...(tags !== undefined && { tag: tags }) });
      return deliveryToWire(await deliveries.send(caller, alertChannelId, question, signal), []);
    }),
  ];
}

function questionOf({
  every,
  timezone,
  at,
  fromOn,
  toOn,
  groupId,
  tag,
  title,
}: AccountReportQuery): AccountReportQuestion {
  if ((fromOn === undefined) !== (toOn === undefined)) {
    const missing = fromOn === undefined ? 'fromOn' : 'toOn';
    throw invalidField(missing, 'is required: fromOn and toOn are the first and the last day');
  }
  return {
    every,
    ...(timezone !== undefined && { timeZone: timezone }),
    ...(at !== undefined && { at }),
    ...(fromOn !== undefined && toOn !== undefined && { days: { fromOn, toOn } }),
    ...(groupId !== undefined && { groupId }),
    ...(tag !== undefined && { tags: tag }),
    ...(title !== undefined && { title }),
  };
}

function toWire({ span, days, madeAt, total, incidents, certificates, ...report }: AccountReport): AccountReportBody {
  return {
    ...report,
    from: isoText(span.from),
    to: isoText(span.to),
    createdAt: isoText(madeAt),
    tags: [...report.tags],
    fromOn: days?.fromOn ?? null,
    toOn: days?.toOn ?? null,
    total: figuresToWire(total),
    rows: report.rows?.map(rowToWire) ?? null,
    leastAvailable: report.leastAvailable.map(rowToWire),
    slowest: report.slowest.map(rowToWire),
    leastKnown: report.leastKnown.map(rowToWire),
    incidents: incidents.map(({ startedAt, endedAt, ...incident }) => ({
      ...incident,
      startedAt: isoText(startedAt),
      endedAt: isoTextOrNull(endedAt),
    })),
    certificates: certificates.map(({ validTo, ...certificate }) => ({ ...certificate, validTo: isoText(validTo) })),
  };
}

function figuresToWire(figures: ReportFigures): AccountReportBody['total'] {
  const { availability, availabilityBefore, downMs, unknownMs, unknownRatio, incidents } = figures;
  return { availability, availabilityBefore, downTime: downMs, unknownTime: unknownMs, unknownRatio, incidents };
}

function rowToWire(row: ReportedRow): AccountReportBody['slowest'][number] {
  const { checkId, name, checkType, tags, successRatio, avg, p50, p95, p99 } = row;
  return { checkId, name, checkType, tags: [...tags], ...figuresToWire(row), successRatio, avg, p50, p95, p99 };
}

const columns: CsvColumns<ReportedRow> = [
  ['check_id', ({ checkId }) => checkId],
  ['name', ({ name }) => name],
  ['type', ({ checkType }) => checkType],
  ['tags', ({ tags }) => tags.join(', ')],
  ['availability_percent', ({ availability }) => availability],
  ['availability_before_percent', ({ availabilityBefore }) => availabilityBefore],
  ['failing_seconds', ({ downMs }) => downMs / 1000],
  ['unknown_seconds', ({ unknownMs }) => unknownMs / 1000],
  ['unknown_percent', ({ unknownRatio }) => unknownRatio],
  ['incidents', ({ incidents }) => incidents],
  ['passed', ({ runs }) => runs.passed],
  ['degraded', ({ runs }) => runs.degraded],
  ['failed', ({ runs }) => runs.failed],
  ['unknown', ({ runs }) => runs.unknown],
  ['missed', ({ runs }) => runs.missed],
  ['success_percent', ({ successRatio }) => successRatio],
  ['avg_ms', ({ avg }) => avg],
  ['p50_ms', ({ p50 }) => p50],
  ['p95_ms', ({ p95 }) => p95],
  ['p99_ms', ({ p99 }) => p99],
];
