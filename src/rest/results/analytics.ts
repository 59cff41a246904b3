// Routes of analytics and reports (reference §4.7).
import type {
  AnalyticsActions,
  AnalyticsEntry,
  AnalyticsQuestion,
  CheckAnalytics,
} from '#actions/results/analytics.ts';
import type { ReportActions, ReportedCheck } from '#actions/results/reports.ts';
import { analyticsPaths, type CheckAnalyticsBody, type ReportedCheckBody } from '#contract/results/analytics.ts';
import {
  availabilityOf,
  meaningOf,
  type Metric,
  metricOf,
  successRatioOf,
  unknownRatioOf,
} from '#domain/results/analytics.ts';
import type { RollUp } from '#domain/results/roll-up.ts';
import { JsonText, type Route, route } from '../route.ts';
import { isoText } from '../wire.ts';

export function analyticsRoutes(analytics: AnalyticsActions, reports: ReportActions): Route[] {
  return [
    route('getCheckAnalytics', async ({ caller, params, query }) =>
      analyticsToWire(
        await analytics.ofCheck(caller, analyticsPaths.get(params.type) ?? '', params.checkId, query),
        query,
      ),
    ),
    route('getAnalyticsOfChecks', async ({ caller, query, body }) =>
      (await analytics.ofChecks(caller, body.checkIds, query.quickRange)).map(({ values, ...summary }) => ({
        ...summary,
        ...values,
      })),
    ),
    route('listAnalyticsMetrics', ({ caller, query }) =>
      analytics.metrics(caller, query.checkType).map((metric) => ({ metric, ...meaningOf(metric) })),
    ),
    route('getReport', async ({ caller, query, signal }) => {
      const quickRange = query.quickRange === 'last24Hrs' ? 'last24Hours' : query.quickRange;
      return writeReport(reports.report(caller, { ...query, quickRange }, signal), signal);
    }),
  ];
}

/**
 * Streamed check by check, so that a report on thousands does not block the event loop. Stops if the client has
 * disconnected.
 */
async function writeReport(report: AsyncIterable<readonly ReportedCheck[]>, signal: AbortSignal): Promise<JsonText> {
  const parts: string[] = [];
  for await (const some of report) {
    if (signal.aborted) break;
    const bodies: readonly ReportedCheckBody[] = some.map(reportedToWire);
    parts.push(JSON.stringify(bodies).slice(1, -1));
  }
  return new JsonText(Buffer.from(`[${parts.join(',')}]`));
}

/** Analytics of a check in a response. */
export function analyticsToWire(
  { check, isMuted, span, series }: CheckAnalytics,
  { metrics }: AnalyticsQuestion,
): CheckAnalyticsBody {
  return {
    checkId: check.id,
    name: check.name,
    checkType: check.checkType,
    activated: check.activated,
    muted: isMuted,
    frequency: check.frequency,
    from: isoText(span.from),
    to: isoText(span.to),
    monitoredSince: isoText(Math.min(Math.max(check.createdAt, span.from), span.to)),
    tags: [...check.tags],
    series: series.map(({ group: { location, status }, entries }) => ({
      ...(location !== undefined && { runLocation: location }),
      ...(status !== undefined && { statusCode: String(status) }),
      data: entries.map(entryToWire),
    })),
    pagination: { page: 1, limit: Math.max(0, ...series.map(({ entries }) => entries.length)) },
    metadata: Object.fromEntries(metrics.map((metric: Metric) => [metric, meaningOf(metric)])),
  };
}

function entryToWire({ span, rollUp, values }: AnalyticsEntry): CheckAnalyticsBody['series'][number]['data'][number] {
  const stamps = { startsAt: isoText(span.from), endsAt: isoText(span.to) };
  // The compiler applies the known fields to metrics as well, whose names are open.
  return { ...values, ...stamps, ...countsToWire(rollUp) } as CheckAnalyticsBody['series'][number]['data'][number];
}

function countsToWire(rollUp: RollUp) {
  const { passed, degraded, failed, unknown, missed, knownMs, unknownMs } = rollUp;
  return {
    runs: { passed, degraded, failed, unknown, missed },
    knownTime: knownMs,
    unknownTime: unknownMs,
    unknownRatio: unknownRatioOf(rollUp),
  };
}

function reportedToWire(reported: ReportedCheck): ReportedCheckBody {
  return {
    name: reported.name,
    checkId: reported.checkId,
    checkType: reported.checkType,
    deactivated: !reported.activated,
    tags: [...reported.tags],
    aggregate: figuresToWire(reported.total),
    aggregates: reported.periods.map(({ span, rollUp }) => ({
      from: isoText(span.from),
      to: isoText(span.to),
      ...figuresToWire(rollUp),
    })),
  };
}

function figuresToWire(rollUp: RollUp) {
  const time = (metric: Metric): number | null => metricOf(metric, rollUp, ['success', 'failure']);
  return {
    successRatio: successRatioOf(rollUp),
    avg: time('responseTime_avg'),
    p95: time('responseTime_p95'),
    p99: time('responseTime_p99'),
    availability: availabilityOf(rollUp),
    ...countsToWire(rollUp),
  };
}
