// Routes of occurrences of maintenance windows.
import type { MaintenanceCalendar, MaintenanceOccurrenceActions } from '#actions/checks/maintenance-occurrences.ts';
import type { MaintenanceCalendarBody, MaintenanceOccurrenceBody } from '#contract/checks/maintenance-occurrence.ts';
import type { CalendarEntry } from '#domain/checks/maintenance-window.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';
import { windowToWire } from './maintenance-windows.ts';

export function maintenanceOccurrenceRoutes(actions: MaintenanceOccurrenceActions): Route[] {
  return [
    route('listMaintenanceOccurrences', async ({ caller, query }) => toWire(await actions.list(caller, query))),
    route('listOccurrencesOfMaintenanceWindow', async ({ caller, params, query }) =>
      (await actions.ofWindow(caller, params.id, query.limit)).map(occurrenceToWire),
    ),
    route('skipMaintenanceOccurrence', async ({ caller, params, body }) =>
      windowToWire(await actions.skip(caller, params.id, body.startsAt)),
    ),
    route('restoreMaintenanceOccurrence', ({ caller, params }) => actions.restore(caller, params.id, params.startsAt)),
  ];
}

function toWire({ range, entries, isComplete }: MaintenanceCalendar): MaintenanceCalendarBody {
  return {
    from: isoText(range.from),
    to: isoText(range.to),
    occurrences: entries.map(occurrenceToWire),
    isComplete,
  };
}

function occurrenceToWire({ window, planned, span }: CalendarEntry): MaintenanceOccurrenceBody {
  return {
    windowId: window.id,
    name: window.name,
    startsAt: isoText(planned.from),
    endsAt: isoText(planned.to),
    skipped: span === null,
    endedAt: isoTextOrNull(span === null || span.to === planned.to ? null : span.to),
  };
}
