// Routes of incidents of status pages (reference §4.7).
import type {
  IncidentInput,
  ShownIncident,
  StatusIncidentActions,
  IncidentUpdateActions,
  ShownUpdate,
  UpdateInput,
} from '#actions/status-pages/status-incidents.ts';
import type {
  IncidentUpdateBody,
  IncidentUpdateCreate,
  StatusIncidentBody,
} from '#contract/status-pages/status-incident.ts';
import {
  type IncidentUpdate,
  isBackdated,
  statusOf,
  type StatusIncident,
} from '#domain/status-pages/status-incident.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';
import { cursorBody, namedServices } from './cursor-body.ts';

/** @param now current time, epoch ms */
export function statusIncidentRoutes(actions: StatusIncidentActions, now: () => number): Route[] {
  const toWire = (incident: ShownIncident): StatusIncidentBody => incidentToWire(incident, now());
  return [
    route('listStatusIncidents', async ({ caller, query: { nextId = null, limit, ...filter } }) =>
      cursorBody(await actions.list(caller, filter, nextId, limit), toWire),
    ),
    route('listStatusIncidentsOfCheck', async ({ caller, params }) =>
      (await actions.ofCheck(caller, params.id)).map(toWire),
    ),
    route('createStatusIncident', async ({ caller, body: { services, incidentUpdates, ...body } }) =>
      toWire(await actions.create(caller, { ...body, serviceIds: services }, incidentUpdates.map(updateInput))),
    ),
    route('getStatusIncident', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('updateStatusIncident', async ({ caller, params, body: { services, ...change } }) => {
      const edit = (present: StatusIncident): IncidentInput => ({
        ...present,
        ...change,
        ...(services !== undefined && { serviceIds: services }),
      });
      return toWire(await actions.change(caller, params.id, edit));
    }),
    route('deleteStatusIncident', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

/** @param now current time, epoch ms */
export function incidentUpdateRoutes(actions: IncidentUpdateActions, now: () => number): Route[] {
  const updateToWire = (update: ShownUpdate): IncidentUpdateBody => updateBody(update, now());
  return [
    route('listIncidentUpdates', async ({ caller, params }) =>
      (await actions.list(caller, params.id)).map(updateToWire),
    ),
    route('createIncidentUpdate', async ({ caller, params, body }) =>
      updateToWire(await actions.add(caller, params.id, updateInput(body))),
    ),
    route('getIncidentUpdate', async ({ caller, params: { id, updateId } }) =>
      updateToWire(await actions.find(caller, id, updateId)),
    ),
    route('updateIncidentUpdate', async ({ caller, params: { id, updateId }, body }) => {
      const { publicIncidentUpdateDate, ...change } = body;
      const edit = (present: IncidentUpdate): UpdateInput => ({
        ...present,
        ...change,
        publicAt: publicIncidentUpdateDate ?? present.publicAt,
      });
      return updateToWire(await actions.change(caller, id, updateId, edit));
    }),
    route('deleteIncidentUpdate', ({ caller, params: { id, updateId } }) => actions.remove(caller, id, updateId)),
  ];
}

function updateInput({ publicIncidentUpdateDate, ...update }: IncidentUpdateCreate): UpdateInput {
  return { ...update, publicAt: publicIncidentUpdateDate };
}

/** An incident as responses show it. @param now epoch ms */
export function incidentToWire(incident: ShownIncident, now: number): StatusIncidentBody {
  const { accountId, serviceIds, services, updates, proposedFor, automaticUpdates: _automatic, ...stored } = incident;
  const { createdAt, updatedAt, ...shown } = stored;
  return {
    ...shown,
    lastUpdateStatus: statusOf(incident, now),
    services: namedServices(accountId, serviceIds, services),
    publishAt: isoTextOrNull(shown.publishAt),
    isBackdated: isBackdated(incident),
    startedAt: isoText(shown.startedAt),
    resolvedAt: isoTextOrNull(shown.resolvedAt),
    publishedAt: isoTextOrNull(shown.publishedAt),
    isProposed: proposedFor !== null,
    incidentUpdates: updates.map((update) => updateBody(update, now)),
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  };
}

function updateBody({ publicAt, createdAt, notified, ...update }: ShownUpdate, now: number): IncidentUpdateBody {
  return {
    ...update,
    ...(notified !== undefined && { notified: notified && { ...notified, dueAt: isoText(notified.dueAt) } }),
    publicIncidentUpdateDate: isoText(publicAt),
    isScheduled: publicAt > now,
    created_at: isoText(createdAt),
  };
}
