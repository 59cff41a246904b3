// What checks and incidents say of services of status pages, for pages and for the API.
import type { CheckType } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import { publicIncident, stateOfService } from '#domain/status-pages/build-snapshot.ts';
import { factsOfMembers, membersOf, namedChecks } from '#domain/status-pages/service-members.ts';
import type { ServiceState } from '#domain/status-pages/service-state.ts';
import { isManual, type StatusService } from '#domain/status-pages/status-service.ts';
import type { Clock } from '#lib/clock.ts';
import { createTimeSlices } from '#lib/time-slices.ts';
import type { Store } from '#store/store.ts';

export interface MembersDeps {
  readonly overview: Pick<Store['overview'], 'checks'>;
  readonly statusSnapshots: Pick<Store['statusSnapshots'], 'locations'>;
  /** As the overview has it, which shares what is read. */
  readonly targetOf: (checkType: CheckType, settings: JsonObject) => string | null;
}

export interface ServiceStateDeps extends MembersDeps {
  readonly statusIncidents: Pick<Store['statusIncidents'], 'list'>;
  readonly clock: Clock;
}

/** States of services by ID. */
export type ReadServiceStates = (
  accountId: string,
  services: readonly StatusService[],
) => Promise<ReadonlyMap<string, ServiceState>>;

/** Open incidents that are looked at. */
const mostOpen = 100;

/** Reads the checks of services and what they say at `now`, epoch ms. */
export function createReadMembers({ overview, statusSnapshots, targetOf }: MembersDeps) {
  const inSlices = createTimeSlices();
  return async (accountId: string, services: readonly StatusService[], now: number) => {
    const { checks, windows } = await overview.checks(accountId, targetOf);
    const named = await inSlices(accountId, namedChecks(checks, services));
    const byLocation = new Set(
      services.flatMap((service) => (service.threshold?.of === 'LOCATIONS' ? membersOf(service, named) : [])),
    );
    const locations = await statusSnapshots.locations(
      accountId,
      [...byLocation].map(({ checkId }) => checkId),
    );
    const members = await inSlices(accountId, factsOfMembers(services, named, windows, locations, now));
    return { checks, windows, named, members };
  };
}

/** Reads the states that pages would show now. */
export function createServiceStates(deps: ServiceStateDeps): ReadServiceStates {
  const readMembers = createReadMembers(deps);
  const none = { members: new Map() };
  return async (accountId, services) => {
    const now = deps.clock.now();
    const followed = services.filter((service) => !isManual(service));
    const { members } = followed.length === 0 ? none : await readMembers(accountId, followed, now);
    const open = await deps.statusIncidents.list(accountId, { isOpen: true, isDraft: false }, null, mostOpen);
    const incidents = open.flatMap((incident) => publicIncident(incident, now) ?? []);
    const facts = { services: new Map(services.map((service) => [service.id, service])), members };
    return new Map(
      services.map(({ id }) => {
        const about = incidents.filter(({ serviceIds }) => serviceIds.includes(id));
        return [id, stateOfService(id, about, facts).state];
      }),
    );
  };
}
