// Routes of services of status pages (reference §4.7).
import type { ShownService, StatusServiceActions } from '#actions/status-pages/status-services.ts';
import type { StatusServiceBody } from '#contract/status-pages/status-service.ts';
import { merged } from '#domain/patch.ts';
import type { StatusService, StatusServiceWrite } from '#domain/status-pages/status-service.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull, written } from '../wire.ts';
import { cursorBody } from './cursor-body.ts';

export function statusServiceRoutes(actions: StatusServiceActions): Route[] {
  return [
    route('listStatusServices', async ({ caller, query: { nextId = null, limit } }) =>
      cursorBody(await actions.list(caller, nextId, limit), serviceToWire),
    ),
    route('createStatusService', async ({ caller, body }) => serviceToWire(await actions.create(caller, body))),
    route('getStatusService', async ({ caller, params }) => serviceToWire(await actions.find(caller, params.id))),
    route('updateStatusService', async ({ caller, params, body }) => {
      const edit = (present: StatusService) => ({ ...present, ...merged<StatusServiceWrite>(body, present) });
      return serviceToWire(await actions.change(caller, params.id, edit));
    }),
    route('deleteStatusService', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

/** A service as responses show it. */
export function serviceToWire({ createdAt, updatedAt, ...service }: ShownService): StatusServiceBody {
  return {
    ...written(service),
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  };
}
