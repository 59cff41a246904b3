// Routes of maintenance windows and their occurrences (reference §4.7).
import {
  type InstantField,
  instantFields,
  type MaintenanceWindowActions,
  type ShownWindow,
  type WindowInput,
} from '#actions/checks/maintenance-windows.ts';
import type { Warned } from '#actions/warnings.ts';
import type {
  MaintenanceWindowBody,
  MaintenanceCalendarBody,
  MaintenanceOccurrenceBody,
} from '#contract/checks/maintenance-window.ts';
import { type Call, pageOf, type Route, route, sliceOf } from '../route.ts';
import { isoText, isoTextOrNull, written } from '../wire.ts';
import type { MaintenanceCalendar, MaintenanceOccurrenceActions } from '#actions/checks/maintenance-occurrences.ts';
import type { CalendarEntry } from '#domain/checks/maintenance-window.ts';

export function maintenanceWindowRoutes(actions: MaintenanceWindowActions): Route[] {
  return [
    route('listMaintenanceWindows', async ({ caller, query }) =>
      pageOf(await actions.list(caller, sliceOf(query)), windowToWire),
    ),
    route('createMaintenanceWindow', async ({ caller, body }) =>
      windowToWire(await actions.create(caller, windowInput(body), unzonedOf(body))),
    ),
    route('getMaintenanceWindow', async ({ caller, params }) => windowToWire(await actions.find(caller, params.id))),
    route('updateMaintenanceWindow', async ({ caller, params, body }) => {
      const { startsAt, endsAt, repeatEndsAt, ...rest } = body;
      const change = {
        ...rest,
        ...(startsAt && { startsAt: startsAt[0] }),
        ...(endsAt && { endsAt: endsAt[0] }),
        ...(repeatEndsAt !== undefined && { repeatEndsAt: repeatEndsAt?.[0] ?? null }),
      };
      return windowToWire(await actions.change(caller, params.id, change, unzonedOf(body)));
    }),
    route('previewMaintenanceWindow', async ({ caller, body: { startsAt, endsAt, repeatEndsAt, ...draft } }) => {
      const times = { ...(startsAt && { startsAt: startsAt[0] }), ...(endsAt && { endsAt: endsAt[0] }) };
      const shown = await actions.preview(caller, { ...draft, ...times, repeatEndsAt: repeatEndsAt?.[0] ?? null });
      const occurrences = shown.occurrences.map(({ from, to }) => ({ startsAt: isoText(from), endsAt: isoText(to) }));
      const bodyOf = ({ total, checks }: typeof shown.paused) => ({ total, checks: [...checks] });
      return { ...shown, paused: bodyOf(shown.paused), silenced: bodyOf(shown.silenced), occurrences };
    }),
    route('deleteMaintenanceWindow', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

/** The window that a body describes. */
export function windowInput(body: Call<'createMaintenanceWindow'>['body']): WindowInput {
  const { startsAt, endsAt, repeatEndsAt } = body;
  return { ...body, startsAt: startsAt[0], endsAt: endsAt[0], repeatEndsAt: repeatEndsAt?.[0] ?? null };
}

type Instants = Partial<Pick<Call<'createMaintenanceWindow'>['body'], InstantField>>;

/** Names of the times in a body that have no UTC offset. */
function unzonedOf(body: Instants): InstantField[] {
  return instantFields.filter((field) => body[field]?.[1] === false);
}

/** A window as responses show it. */
export function windowToWire({
  accountId: _account,
  next,
  createdAt,
  updatedAt,
  warnings,
  ...window
}: Warned<ShownWindow>): MaintenanceWindowBody {
  const { startsAt, endsAt, repeatEndsAt } = window;
  return {
    ...written(window),
    skippedOccurrences: window.skippedOccurrences.map(({ startsAt: start, endedAt }) => ({
      startsAt: isoText(start),
      endedAt: isoTextOrNull(endedAt),
    })),
    startsAt: isoText(startsAt),
    endsAt: isoText(endsAt),
    repeatEndsAt: isoTextOrNull(repeatEndsAt),
    nextStartsAt: isoTextOrNull(next?.from ?? null),
    nextEndsAt: isoTextOrNull(next?.to ?? null),
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
    ...(warnings !== undefined && { warnings: [...warnings] }),
  };
}

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
