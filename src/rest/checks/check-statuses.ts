// Routes of check statuses and alerts (reference §4.7).
import type { CheckAlertActions } from '#actions/alerts/check-alerts.ts';
import type { CheckStatusActions, ShownStatus } from '#actions/checks/check-statuses.ts';
import type { CheckStatusBody } from '#contract/checks/check-status.ts';
import { alertToWire, suppressorToWire } from '../alerts/check-alert.ts';
import { JsonText, pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

export function checkStatusRoutes(statuses: CheckStatusActions, alerts: CheckAlertActions): Route[] {
  const written: Written = { pieces: new WeakMap(), lists: new WeakMap() };
  return [
    route('listCheckStatuses', async ({ caller }) => writeStatuses(await statuses.list(caller), written)),
    route('getCheckStatus', async ({ caller, params }) => statusToWire(await statuses.find(caller, params.checkId))),
    route('listCheckAlerts', async ({ caller, query }) =>
      pageOf(await alerts.list(caller, null, query, sliceOf(query)), alertToWire),
    ),
    route('listAlertsOfCheck', async ({ caller, params, query }) =>
      pageOf(await alerts.list(caller, params.checkId, query, sliceOf(query)), alertToWire),
    ),
  ];
}

/** JSON of list chunks, cached while they are in use. */
interface Written {
  readonly pieces: WeakMap<readonly ShownStatus[], Buffer>;
  /** The last list that began with these bytes. */
  readonly lists: WeakMap<Buffer, { readonly parts: readonly Buffer[]; readonly text: JsonText }>;
}

const [opening, comma, closing] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

/** The list as JSON; reuses the text of unchanged chunks (docs/decisions/0040). */
async function writeStatuses(pieces: readonly (readonly ShownStatus[])[], written: Written): Promise<JsonText> {
  const parts: Buffer[] = [];
  for (const piece of pieces) {
    let bytes = written.pieces.get(piece);
    if (bytes === undefined) {
      bytes = Buffer.from(piece.map((status) => JSON.stringify(statusToWire(status))).join(','));
      written.pieces.set(piece, bytes);
      // Yields, so that a list of thousands does not block the event loop.
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
    parts.push(parts.length === 0 ? opening : comma, bytes);
  }
  if (parts.length === 0) parts.push(opening);
  parts.push(closing);
  // Avoids concatenating megabytes per response, which would lengthen garbage collection.
  const first = parts[1] ?? closing;
  const before = written.lists.get(first);
  if (before?.parts.length === parts.length && parts.every((part, at) => part === before.parts[at])) return before.text;
  const text = new JsonText(Buffer.concat(parts));
  written.lists.set(first, { parts, text });
  return text;
}

function statusToWire(status: ShownStatus): CheckStatusBody {
  return {
    name: status.name,
    checkId: status.checkId,
    state: status.isActive ? (status.status ?? 'pending') : 'paused',
    since: status.isActive ? isoText(status.since ?? status.createdAt) : null,
    reason: status.lastReason,
    nextRunAt: isoTextOrNull(status.nextRunAt),
    hasFailures: status.status === 'failing',
    hasErrors: status.lastOutcome === 'unknown' || status.lastOutcome === 'missed',
    isDegraded: status.status === 'degraded',
    longestRun: wholeOrNull(status.longestMs),
    shortestRun: wholeOrNull(status.shortestMs),
    lastRunLocation: status.lastLocation,
    lastCheckRunId: status.lastResultId,
    sslDaysRemaining: status.sslDaysRemaining,
    incidentId: status.incidentId,
    acknowledgedAt: isoTextOrNull(status.acknowledgedAt),
    acknowledgedBy: status.acknowledgedBy,
    suppressedBy: suppressorToWire(status.suppressedBy),
    flappingSince: isoTextOrNull(status.flappingSince),
    created_at: isoText(status.createdAt),
    updated_at: isoTextOrNull(status.updatedAt),
  };
}

function wholeOrNull(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms);
}
