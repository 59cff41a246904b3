// Route of the overview of all checks.
import type { OverviewActions, OverviewRow } from '#actions/results/overview.ts';
import type { OverviewBody } from '#contract/results/overview.ts';
import type { OverviewSort } from '#domain/results/overview.ts';
import { type Route, route, sliceOf } from '../route.ts';
import { suppressorToWire } from '../alerts/check-alert.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

export function overviewRoutes(actions: OverviewActions): Route[] {
  return [
    route('getOverview', async ({ caller, query }) => {
      const { state, tag, sort, limit, page, ...filter } = query;
      const isDescending = sort.startsWith('-');
      const { summary, deliveries, statusDrafts, nextMaintenance, gapsPending, total, sections, rows } =
        await actions.read(caller, {
          ...filter,
          ...(state !== undefined && { states: state }),
          ...(tag !== undefined && { tags: tag.flatMap((text) => text.split(',')) }),
          sort: (isDescending ? sort.slice(1) : sort) as OverviewSort,
          isDescending,
          ...sliceOf({ limit, page }),
        });
      return {
        summary,
        deliveries,
        statusDrafts,
        gapsPending,
        nextMaintenance:
          nextMaintenance === null
            ? null
            : {
                ...nextMaintenance,
                startsAt: isoText(nextMaintenance.startsAt),
                endsAt: isoText(nextMaintenance.endsAt),
              },
        total,
        page,
        limit,
        sections: [...sections],
        rows: rows.map(rowToWire),
      };
    }),
  ];
}

const hourTexts = new Map<number, string>();

/** The start of a bucket; the same for all rows of a page. */
function hourText(at: number): string {
  const known = hourTexts.get(at);
  if (known !== undefined) return known;
  if (hourTexts.size > 100) hourTexts.clear();
  const text = isoText(at);
  hourTexts.set(at, text);
  return text;
}

/** A missing ping is a result, but no run. */
function lastResultToWire(
  checkType: string,
  last: OverviewRow['lastResult'],
): Pick<OverviewBody['rows'][number], 'lastRunAt' | 'lastResult'> {
  if (last === null) return { lastRunAt: null, lastResult: null };
  const { pingedAt, startedAt, ...result } = last;
  return {
    lastRunAt: isoTextOrNull(checkType === 'HEARTBEAT' ? pingedAt : startedAt),
    lastResult: { ...result, startedAt: isoText(startedAt) },
  };
}

function rowToWire({ check, figures, lastResult, ...entry }: OverviewRow): OverviewBody['rows'][number] {
  const { buckets, sparkline, responseTimes, availability } = figures;
  return {
    checkId: check.checkId,
    name: check.name,
    checkType: check.checkType,
    tags: [...check.tags],
    groupId: check.groupId,
    groupName: check.groupName,
    url: check.url,
    activated: check.activated,
    muted: entry.isMuted,
    inMaintenance: entry.isInMaintenance,
    silent: entry.isSilent,
    state: entry.state,
    since: isoTextOrNull(entry.since),
    incidentId: check.state?.incidentId ?? null,
    acknowledgedAt: isoTextOrNull(check.state?.acknowledgedAt ?? null),
    acknowledgedBy: check.state?.acknowledgedBy ?? null,
    suppressedBy: suppressorToWire(check.state?.suppressedBy ?? null),
    flappingSince: isoTextOrNull(check.state?.flappingSince ?? null),
    changesLastHour: entry.changesLastHour,
    frequencySeconds: check.frequencyMs / 1000,
    nextRunAt: isoTextOrNull(entry.nextRunAt),
    ...lastResultToWire(check.checkType, lastResult),
    buckets: buckets.map((bucket) => ({ ...bucket, from: hourText(bucket.from) })),
    responseTimes,
    sparkline: [...sparkline],
    availability,
  };
}
