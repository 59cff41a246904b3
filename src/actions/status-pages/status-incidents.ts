// Actions on incidents of status pages (reference §4.7).
import type { Caller } from '#domain/accounts/api-key.ts';
import { type IncidentUpdate, mostUpdates, type StatusIncident } from '#domain/status-pages/status-incident.ts';
import type { StatusService } from '#domain/status-pages/status-service.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import type { IncidentFilter } from '#store/status-pages/status-incidents.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound, Refusal, refuseProblems } from '../refusal.ts';
import { type CursorPage, firstOf } from './cursor-page.ts';

/** Fields of an incident that a request sets. */
export interface IncidentInput extends Pick<
  StatusIncident,
  'name' | 'severity' | 'serviceIds' | 'isDraft' | 'postmortem'
> {
  /** Epoch ms; null = now, or as it is. */
  readonly startedAt: number | null;
}

/** An update in a request. */
export interface UpdateInput extends Pick<IncidentUpdate, 'status' | 'description' | 'notifySubscribers'> {
  /** Epoch ms; null = now, or as it is. */
  readonly publicAt: number | null;
}

/** An incident with the names of services. */
export interface ShownIncident extends StatusIncident {
  readonly services: ReadonlyMap<string, Pick<StatusService, 'id' | 'name'>>;
}

export interface StatusIncidentDeps {
  readonly statusIncidents: Store['statusIncidents'];
  readonly statusServices: Pick<Store['statusServices'], 'all' | 'unknownOf'>;
  readonly clock: Clock;
}

export type StatusIncidentActions = ReturnType<typeof createStatusIncidentActions>;

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createStatusIncidentActions({ statusIncidents, statusServices, clock }: StatusIncidentDeps) {
  const shown = async (incident: StatusIncident): Promise<ShownIncident> => ({
    ...incident,
    services: await namesOf(incident.accountId),
  });
  const namesOf = async (accountId: string) =>
    new Map((await statusServices.all(accountId)).map((service) => [service.id, service]));
  const requireKnown = async (accountId: string, serviceIds: readonly string[]): Promise<void> => {
    const unknown = await statusServices.unknownOf(accountId, serviceIds);
    refuseProblems(unknown.map((id) => ({ path: 'services', message: `contains the unknown service ${id}` })));
  };
  const requireStart = (startedAt: number | null): void => {
    if (startedAt !== null && startedAt > clock.now()) throw invalidField('startedAt', 'must not be in the future');
  };
  const newUpdate = ({ publicAt, ...input }: UpdateInput): IncidentUpdate => {
    const now = clock.now();
    return { ...input, id: newId(), publicAt: publicAt ?? now, createdAt: now };
  };
  const find = async (accountId: string, id: string): Promise<StatusIncident> => {
    const found = await statusIncidents.find(accountId, id);
    if (found === null) throw notFound('incident', id);
    return found;
  };
  const findUpdate = async (accountId: string, id: string, updateId: string): Promise<IncidentUpdate> => {
    const update = (await find(accountId, id)).updates.find((each) => each.id === updateId);
    if (update === undefined) throw notFound('update', updateId);
    return update;
  };
  return {
    /** Newest first. */
    async list(caller: Caller, filter: IncidentFilter, after: string | null, limit: number) {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      const page: CursorPage<StatusIncident> = firstOf(
        await statusIncidents.list(accountId, filter, after, limit + 1),
        limit,
      );
      const services = await namesOf(accountId);
      return { rows: page.rows.map((incident): ShownIncident => ({ ...incident, services })), nextId: page.nextId };
    },
    async find(caller: Caller, id: string): Promise<ShownIncident> {
      requirePermission(caller, 'read');
      return shown(await find(caller.accountId, id));
    },
    /** Refuses (`invalid`) unknown services and a start in the future. */
    async create(
      caller: Caller,
      { startedAt, ...input }: IncidentInput,
      updates: readonly UpdateInput[],
    ): Promise<ShownIncident> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      await requireKnown(accountId, input.serviceIds);
      requireStart(startedAt);
      const first = Math.min(clock.now(), ...updates.flatMap(({ publicAt }) => publicAt ?? []));
      const added = await statusIncidents.add({
        ...input,
        accountId,
        id: newId(),
        publishAt: null,
        startedAt: startedAt ?? first,
        checkIncidentIds: [],
        updates: updates.map(newUpdate),
      });
      return shown(added);
    },
    /** Keeps fields that are not given. Only services that it did not have must exist. */
    async change(caller: Caller, id: string, edit: (present: StatusIncident) => IncidentInput): Promise<ShownIncident> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const present = await find(accountId, id);
      const { serviceIds, startedAt } = edit(present);
      await requireKnown(
        accountId,
        serviceIds.filter((each) => !present.serviceIds.includes(each)),
      );
      requireStart(startedAt);
      const changed = await statusIncidents.change(accountId, id, (now) => {
        const write = edit(now);
        const { publishAt, checkIncidentIds } = now;
        return { ...write, publishAt, checkIncidentIds, startedAt: write.startedAt ?? now.startedAt };
      });
      if (changed === null) throw notFound('incident', id);
      return shown(changed);
    },
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await statusIncidents.remove(caller.accountId, id))) throw notFound('incident', id);
    },
    /** Oldest first. */
    async updates(caller: Caller, id: string): Promise<readonly IncidentUpdate[]> {
      requirePermission(caller, 'read');
      return (await find(caller.accountId, id)).updates;
    },
    async findUpdate(caller: Caller, id: string, updateId: string): Promise<IncidentUpdate> {
      requirePermission(caller, 'read');
      return findUpdate(caller.accountId, id, updateId);
    },
    /** Refuses (`conflict`) one more than an incident can have. */
    async addUpdate(caller: Caller, id: string, input: UpdateInput): Promise<IncidentUpdate> {
      requirePermission(caller, 'write');
      const update = newUpdate(input);
      const saved = await statusIncidents.saveUpdate(caller.accountId, id, update);
      if (saved === null) throw notFound('incident', id);
      if (saved === 'full')
        throw new Refusal('conflict', `The incident has ${mostUpdates} updates, which is the most.`);
      return update;
    },
    /** Keeps fields that are not given. */
    async changeUpdate(
      caller: Caller,
      id: string,
      updateId: string,
      edit: (present: IncidentUpdate) => UpdateInput,
    ): Promise<IncidentUpdate> {
      requirePermission(caller, 'write');
      const present = await findUpdate(caller.accountId, id, updateId);
      const input = edit(present);
      const update = { ...present, ...input, publicAt: input.publicAt ?? present.publicAt };
      const saved = await statusIncidents.saveUpdate(caller.accountId, id, update);
      if (saved === null || saved === 'full') throw notFound('incident', id);
      return update;
    },
    /** Refuses (`conflict`) the only update. */
    async removeUpdate(caller: Caller, id: string, updateId: string): Promise<void> {
      requirePermission(caller, 'write');
      const left = await statusIncidents.removeUpdate(caller.accountId, id, updateId);
      if (left === null) throw notFound('update', updateId);
      if (left === 'last')
        throw new Refusal('conflict', 'An incident needs an update. Change this one, or delete the incident.');
    },
  };
}
