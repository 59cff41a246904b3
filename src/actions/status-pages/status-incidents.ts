// Actions on incidents of status pages and their updates (reference §4.7).
import type { Caller } from '#domain/accounts/api-key.ts';
import {
  lengthOf,
  longestIncident,
  type StatusIncident,
  type IncidentUpdate,
  mostUpdates,
} from '#domain/status-pages/status-incident.ts';
import { servicesOfCheck } from '#domain/status-pages/service-members.ts';
import type { StatusService } from '#domain/status-pages/status-service.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import type { IncidentFilter } from '#store/status-pages/status-incidents.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound, refuseProblems, orNotFound, Refusal } from '../refusal.ts';
import { firstOf } from './cursor-page.ts';
import type { ChangeProgress } from '#domain/status-pages/page-changes.ts';

/** Fields of an incident that a request sets. */
export interface IncidentInput extends Pick<
  StatusIncident,
  'name' | 'severity' | 'serviceIds' | 'isDraft' | 'postmortem'
> {
  /** Epoch ms; null = now, or as it is. */
  readonly startedAt: number | null;
}

/** An incident with the names of services. */
export interface ShownIncident extends StatusIncident {
  readonly updates: readonly ShownUpdate[];
  readonly services: ReadonlyMap<string, Pick<StatusService, 'id' | 'name'>>;
}

export interface StatusIncidentDeps extends Pick<
  Store,
  'pageChanges' | 'statusServices' | 'checks' | 'checkGroups' | 'statusIncidents'
> {
  readonly clock: Clock;
}

/** Open incidents that are looked at for a check. */
const mostOpen = 100;

export type StatusIncidentActions = ReturnType<typeof createStatusIncidentActions>;

/** Refuses (`invalid`) unknown services and a start in the future. */
async function requireValid(
  { statusServices, clock }: StatusIncidentDeps,
  accountId: string,
  serviceIds: readonly string[],
  startedAt: number | null,
): Promise<void> {
  const unknown = await statusServices.unknownOf(accountId, serviceIds);
  refuseProblems(unknown.map((id) => ({ path: 'services', message: `contains the unknown service ${id}` })));
  if (startedAt !== null && startedAt > clock.now()) throw invalidField('startedAt', 'must not be in the future');
}

/** Refuses (`invalid`) more text than an incident can have. */
function requireLength(incident: Parameters<typeof lengthOf>[0]): void {
  if (lengthOf(incident) <= longestIncident) return;
  const most = longestIncident.toLocaleString('en-US');
  throw invalidField('postmortem', `and updates must have at most ${most} characters together`);
}

async function asShown(
  { statusServices, pageChanges }: StatusIncidentDeps,
  incident: StatusIncident,
): Promise<ShownIncident> {
  const { accountId, updates } = incident;
  return {
    ...incident,
    services: await serviceNames(statusServices, accountId),
    updates: await withProgress(pageChanges, accountId, updates),
  };
}

/** Names of services by ID. */
async function serviceNames(statusServices: StatusIncidentDeps['statusServices'], accountId: string) {
  return new Map((await statusServices.all(accountId)).map((service) => [service.id, service]));
}

/** The incident; refuses (`not-found`) an unknown ID. */
async function requireIncident(
  statusIncidents: Pick<Store['statusIncidents'], 'find'>,
  accountId: string,
  id: string,
): Promise<StatusIncident> {
  return orNotFound(await statusIncidents.find(accountId, id), 'incident', id);
}

async function incidentsOfCheck(
  { checks, checkGroups, statusIncidents, statusServices }: StatusIncidentDeps,
  accountId: string,
  checkId: string,
): Promise<ShownIncident[]> {
  const found = orNotFound(await checks.find(accountId, checkId), 'check', checkId);
  const all = await statusServices.all(accountId);
  if (all.length === 0) return [];
  const { groupId, tags, triggerIncident } = found.check;
  const group = groupId === null ? null : await checkGroups.find(accountId, groupId);
  const named = servicesOfCheck({ checkId, groupId, tags, groupTags: group?.group.tags ?? [] }, all);
  const concerned = new Set([...named, ...(triggerIncident === null ? [] : [triggerIncident.serviceId])]);
  if (concerned.size === 0) return [];
  const services = new Map(all.map((service) => [service.id, service]));
  const open = await statusIncidents.list(accountId, { isOpen: true }, null, mostOpen);
  const about = open.filter(({ serviceIds }) => serviceIds.some((id) => concerned.has(id)));
  return about.map((incident): ShownIncident => ({ ...incident, services }));
}

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createStatusIncidentActions(deps: StatusIncidentDeps) {
  const { statusIncidents, statusServices, clock } = deps;
  const shown = (incident: StatusIncident) => asShown(deps, incident);
  return {
    /** Newest first. */
    async list(caller: Caller, filter: IncidentFilter, after: string | null, limit: number) {
      requirePermission(caller, 'read');
      const { rows, nextId } = firstOf(await statusIncidents.list(caller.accountId, filter, after, limit + 1), limit);
      const services = await serviceNames(statusServices, caller.accountId);
      return { rows: rows.map((incident): ShownIncident => ({ ...incident, services })), nextId };
    },
    /** Open ones of services whose state a check tells, newest first; refuses (`not-found`) an unknown check. */
    async ofCheck(caller: Caller, checkId: string): Promise<ShownIncident[]> {
      requirePermission(caller, 'read');
      return incidentsOfCheck(deps, caller.accountId, checkId);
    },
    async find(caller: Caller, id: string): Promise<ShownIncident> {
      requirePermission(caller, 'read');
      return shown(await requireIncident(statusIncidents, caller.accountId, id));
    },
    /** Refuses (`invalid`) unknown services and a start in the future. */
    async create(
      caller: Caller,
      { startedAt, ...input }: IncidentInput,
      updates: readonly UpdateInput[],
    ): Promise<ShownIncident> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      await requireValid(deps, accountId, input.serviceIds, startedAt);
      requireLength({ updates, postmortem: input.postmortem });
      const first = Math.min(clock.now(), ...updates.flatMap(({ publicAt }) => publicAt ?? []));
      const added = await statusIncidents.add({
        ...input,
        accountId,
        id: newId(),
        publishAt: null,
        startedAt: startedAt ?? first,
        proposedFor: null,
        automaticUpdates: [],
        updates: updates.map((update) => newUpdate(update, clock.now())),
      });
      return shown(added);
    },
    /** Keeps fields that are not given. Only services that it did not have must exist. */
    async change(caller: Caller, id: string, edit: (present: StatusIncident) => IncidentInput): Promise<ShownIncident> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const present = await requireIncident(statusIncidents, accountId, id);
      const { serviceIds, startedAt } = edit(present);
      const added = serviceIds.filter((each) => !present.serviceIds.includes(each));
      await requireValid(deps, accountId, added, startedAt);
      const changed = await statusIncidents.change(accountId, id, (now) => {
        const write = edit(now);
        requireLength({ ...now, ...write });
        return { ...now, ...write, startedAt: write.startedAt ?? now.startedAt };
      });
      return shown(changed ?? present);
    },
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await statusIncidents.remove(caller.accountId, id))) throw notFound('incident', id);
    },
  };
}

/** An update in a request. */
export interface UpdateInput extends Pick<IncidentUpdate, 'status' | 'description' | 'notifySubscribers'> {
  /** Epoch ms; null = now, or as it is. */
  readonly publicAt: number | null;
}

/** An update, and how far its notification is. */
export interface ShownUpdate extends IncidentUpdate {
  /** null = no notifications; absent = not requested. */
  readonly notified?: ChangeProgress | null;
}

interface IncidentUpdateDeps extends Pick<Store, 'pageChanges' | 'statusIncidents'> {
  readonly clock: Clock;
}

/** Updates with how far their notifications are. */
async function withProgress(
  pageChanges: Pick<Store['pageChanges'], 'progress'>,
  accountId: string,
  updates: readonly IncidentUpdate[],
): Promise<ShownUpdate[]> {
  const progress = await pageChanges.progress(
    accountId,
    updates.map(({ id }) => id),
  );
  return updates.map((update) => ({ ...update, notified: progress.get(update.id) ?? null }));
}

export type IncidentUpdateActions = ReturnType<typeof createIncidentUpdateActions>;

/** The update that a request describes. @param now epoch ms */
function newUpdate({ publicAt, ...input }: UpdateInput, now: number): IncidentUpdate {
  return { ...input, id: newId(), publicAt: publicAt ?? now, createdAt: now };
}

function full(): Refusal {
  const most = `${mostUpdates} updates and ${longestIncident.toLocaleString('en-US')} characters, with its postmortem`;
  return new Refusal('conflict', `An incident has at most ${most}. Shorten its texts, or create another one.`);
}

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createIncidentUpdateActions({ statusIncidents, pageChanges, clock }: IncidentUpdateDeps) {
  const find = async ({ accountId }: Caller, id: string): Promise<StatusIncident> => {
    return orNotFound(await statusIncidents.find(accountId, id), 'incident', id);
  };
  const findUpdate = async (caller: Caller, id: string, updateId: string): Promise<ShownUpdate> => {
    const updates = (await find(caller, id)).updates.filter((each) => each.id === updateId);
    const [update] = await withProgress(pageChanges, caller.accountId, updates);
    if (update === undefined) throw notFound('update', updateId);
    return update;
  };
  return {
    /** Oldest first. */
    async list(caller: Caller, id: string): Promise<readonly ShownUpdate[]> {
      requirePermission(caller, 'read');
      return withProgress(pageChanges, caller.accountId, (await find(caller, id)).updates);
    },
    async find(caller: Caller, id: string, updateId: string): Promise<ShownUpdate> {
      requirePermission(caller, 'read');
      return findUpdate(caller, id, updateId);
    },
    /** Refuses (`conflict`) more updates or text than an incident can have. */
    async add(caller: Caller, id: string, input: UpdateInput): Promise<ShownUpdate> {
      requirePermission(caller, 'write');
      const update = newUpdate(input, clock.now());
      const saved = orNotFound(await statusIncidents.saveUpdate(caller.accountId, id, update), 'incident', id);
      if (saved === 'full') throw full();
      return update;
    },
    /** Keeps fields that are not given. */
    async change(
      caller: Caller,
      id: string,
      updateId: string,
      edit: (present: IncidentUpdate) => UpdateInput,
    ): Promise<ShownUpdate> {
      requirePermission(caller, 'write');
      const present = await findUpdate(caller, id, updateId);
      const input = edit(present);
      const update = { ...present, ...input, publicAt: input.publicAt ?? present.publicAt };
      const saved = orNotFound(await statusIncidents.saveUpdate(caller.accountId, id, update), 'incident', id);
      if (saved === 'full') throw full();
      return update;
    },
    /** Refuses (`conflict`) the only update. */
    async remove(caller: Caller, id: string, updateId: string): Promise<void> {
      requirePermission(caller, 'write');
      const left = orNotFound(await statusIncidents.removeUpdate(caller.accountId, id, updateId), 'update', updateId);
      if (left === 'last')
        throw new Refusal('conflict', 'An incident needs an update. Change this one, or delete the incident.');
    },
  };
}
