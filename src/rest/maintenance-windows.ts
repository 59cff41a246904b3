// Maintenance windows over HTTP (reference §4.7).
import type { MaintenanceWindowActions, ShownWindow } from '#actions/maintenance-windows.ts';
import type { Warned } from '#actions/warnings.ts';
import type { MaintenanceWindowBody } from '#contract/maintenance-window.ts';
import { pageOf, type Route, route, sliceOf } from './route.ts';
import { isoText, isoTextOrNull } from './wire.ts';

/** The routes of maintenance windows. */
export function maintenanceWindowRoutes(actions: MaintenanceWindowActions): Route[] {
  return [
    route('listMaintenanceWindows', async ({ caller, query }) =>
      pageOf(await actions.list(caller, sliceOf(query)), toWire),
    ),
    route('createMaintenanceWindow', async ({ caller, body }) => toWire(await actions.create(caller, body))),
    route('getMaintenanceWindow', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('updateMaintenanceWindow', async ({ caller, params, body }) =>
      toWire(await actions.change(caller, params.id, body)),
    ),
    route('deleteMaintenanceWindow', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

function toWire({
  accountId: _account,
  next,
  createdAt,
  updatedAt,
  warnings,
  ...window
}: Warned<ShownWindow>): MaintenanceWindowBody {
  const { startsAt, endsAt, repeatEndsAt } = window;
  return {
    ...window,
    tags: [...window.tags],
    checkIds: [...window.checkIds],
    groupIds: [...window.groupIds],
    silenceAlertsTags: [...window.silenceAlertsTags],
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
