// Actions on services of status pages (reference §4.7).
import type { Caller } from '#domain/accounts/api-key.ts';
import type { StatusService, StatusServiceWrite } from '#domain/status-pages/status-service.ts';
import type { ServiceState } from '#domain/status-pages/service-state.ts';
import { newId } from '#lib/id.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { type Problem, Refusal, refuseProblems, orNotFound } from '../refusal.ts';
import { type CursorPage, cursorPageOf } from './cursor-page.ts';
import type { ReadServiceStates } from './service-states.ts';

/** A service with the state that pages show. */
export interface ShownService extends StatusService {
  readonly state: ServiceState;
}

export interface StatusServiceDeps extends Pick<Store, 'statusServices'> {
  readonly maintenanceWindows: Pick<Store['maintenanceWindows'], 'unknownOf'>;
  readonly readStates: ReadServiceStates;
}

export type StatusServiceActions = ReturnType<typeof createStatusServiceActions>;

/** Pages that a refusal names. */
const namedPages = 5;

/** The refusal to delete a service that pages show. */
function shownBy(pages: readonly { readonly name: string }[]): Refusal {
  const named = pages.slice(0, namedPages).map(({ name }) => `“${name}”`);
  const more = pages.length > namedPages ? ` and ${pages.length - namedPages} more` : '';
  return new Refusal('conflict', `The pages ${named.join(', ')}${more} show this service. Remove it from them first.`);
}

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createStatusServiceActions({ statusServices, maintenanceWindows, readStates }: StatusServiceDeps) {
  const withState = async (service: StatusService): Promise<ShownService> => {
    const states = await readStates(service.accountId, [service]);
    return { ...service, state: states.get(service.id) ?? 'unknown' };
  };
  return {
    /** Oldest first. */
    async list(caller: Caller, after: string | null, limit: number): Promise<CursorPage<ShownService>> {
      requirePermission(caller, 'read');
      const { rows, nextId } = cursorPageOf(await statusServices.all(caller.accountId), after, limit);
      const states = await readStates(caller.accountId, rows);
      return { rows: rows.map((service) => ({ ...service, state: states.get(service.id) ?? 'unknown' })), nextId };
    },
    async find(caller: Caller, id: string): Promise<ShownService> {
      requirePermission(caller, 'read');
      const found = orNotFound(await statusServices.find(caller.accountId, id), 'service', id);
      return withState(found);
    },
    /** Refuses (`invalid`) unknown checks and groups. */
    async create(caller: Caller, write: StatusServiceWrite): Promise<ShownService> {
      requirePermission(caller, 'write');
      await refuseUnknownMembers(maintenanceWindows, caller.accountId, write, null);
      return withState(await statusServices.add({ ...write, accountId: caller.accountId, id: newId() }));
    },
    /** Keeps fields that are not given. Only checks and groups that it did not have must exist. */
    async change(
      caller: Caller,
      id: string,
      edit: (present: StatusService) => StatusServiceWrite,
    ): Promise<ShownService> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const present = orNotFound(await statusServices.find(accountId, id), 'service', id);
      const write = edit(present);
      await refuseUnknownMembers(maintenanceWindows, accountId, write, present);
      const changed = orNotFound(await statusServices.change(accountId, id, edit), 'service', id);
      return withState(changed);
    },
    /** Refused (`conflict`) while pages show it. */
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'write');
      const pages = orNotFound(await statusServices.remove(caller.accountId, id), 'service', id);
      if (pages.length > 0) throw shownBy(pages);
    },
  };
}

/** Refuses (`invalid`) checks and groups that the account does not have, unless the service has them already. */
export async function refuseUnknownMembers(
  { unknownOf }: StatusServiceDeps['maintenanceWindows'],
  accountId: string,
  write: Pick<StatusServiceWrite, 'checkIds' | 'groupIds'>,
  present: Pick<StatusServiceWrite, 'checkIds' | 'groupIds'> | null,
): Promise<void> {
  const unknown = await unknownOf(accountId, {
    checkIds: write.checkIds.filter((id) => present?.checkIds.includes(id) !== true),
    groupIds: write.groupIds.filter((id) => present?.groupIds.includes(id) !== true),
  });
  refuseProblems([
    ...unknown.checkIds.map((id): Problem => ({ path: 'checkIds', message: `contains the unknown check ${id}` })),
    ...unknown.groupIds.map((id): Problem => ({ path: 'groupIds', message: `contains the unknown group ${id}` })),
  ]);
}
