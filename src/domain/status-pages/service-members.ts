// The checks of services, and what they and the maintenance windows of the account say of each service.
import type { CheckStatus } from '../checks/check-state.ts';
import { effectOn, type MaintenanceWindow, maintenanceAt, occurrenceAt } from '../checks/maintenance-window.ts';
import { type OverviewCheck, overviewEntry } from '../results/overview.ts';
import { mapped, type Sliced } from '../sliced.ts';
import { type MemberState, stateOfMembers, type StateSince } from './service-state.ts';
import { isManual, type StatusService } from './status-service.ts';

/** Checks that services name by ID, by group, or by a tag of their own or of their group. */
export interface NamedChecks {
  readonly all: readonly OverviewCheck[];
  /** In the form of `namesOf`. */
  readonly byName: ReadonlyMap<string, readonly OverviewCheck[]>;
}

/** What the checks of a service say of it. */
export interface MembersFacts extends StateSince {
  /** Maintenance windows that touch one of its checks. */
  readonly windows: ReadonlySet<MaintenanceWindow>;
}

/** The names by which these services find their checks. */
function namesOf({ checkIds, groupIds, tags }: Pick<StatusService, 'checkIds' | 'groupIds' | 'tags'>): string[] {
  return [
    ...checkIds.map((id) => `check ${id}`),
    ...groupIds.map((id) => `group ${id}`),
    ...tags.map((tag) => `tag ${tag}`),
  ];
}

/** What services can name a check by. */
type Nameable = Pick<OverviewCheck, 'checkId' | 'groupId' | 'tags' | 'groupTags'>;

function namesOfCheck({ checkId, groupId, tags, groupTags }: Nameable): readonly string[] {
  const named = { checkIds: [checkId], groupIds: groupId === null ? [] : [groupId], tags: [...tags, ...groupTags] };
  return [...new Set(namesOf(named))];
}

/** IDs of the services whose state a check tells. */
export function servicesOfCheck(check: Nameable, services: readonly StatusService[]): ReadonlySet<string> {
  const names = new Set(namesOfCheck(check));
  const found = services.filter((service) => namesOf(service).some((name) => names.has(name)));
  return new Set(found.map(({ id }) => id));
}

/** Finds the checks that any of the services has. */
export function* namedChecks(
  checks: readonly OverviewCheck[],
  services: readonly StatusService[],
): Sliced<NamedChecks> {
  const byName = new Map<string, OverviewCheck[]>();
  for (const service of services) for (const name of namesOf(service)) byName.set(name, []);
  const found = yield* mapped(checks, (check) => {
    const lists = namesOfCheck(check).flatMap((name) => {
      const list = byName.get(name);
      return list === undefined ? [] : [list];
    });
    for (const list of lists) list.push(check);
    return lists.length > 0;
  });
  return { all: checks.filter((_, index) => found[index] === true), byName };
}

/** The checks of a service, each once. */
export function membersOf(service: StatusService, { byName }: NamedChecks): readonly OverviewCheck[] {
  const [first = [], ...others] = namesOf(service).map((name) => byName.get(name) ?? []);
  return others.length === 0 ? first : [...new Set([first, ...others].flat())];
}

/** IDs of the checks of services, each once. */
export function checkIdsOf(services: readonly StatusService[], named: NamedChecks): string[] {
  return [...new Set(services.flatMap((service) => membersOf(service, named).map(({ checkId }) => checkId)))];
}

/** What the checks say of each service that has some, by ID. @param now epoch ms */
export function* factsOfMembers(
  services: readonly StatusService[],
  named: NamedChecks,
  windows: readonly MaintenanceWindow[],
  locations: ReadonlyMap<string, readonly CheckStatus[]>,
  now: number,
): Sliced<ReadonlyMap<string, MembersFacts>> {
  const current = windows.filter((window) => occurrenceAt(window, now) !== null);
  const ofChecks = new Map<OverviewCheck, { state: MemberState; windows: readonly MaintenanceWindow[] }>();
  yield* mapped(named.all, (check) => {
    const { checkId: id, groupId, tags, groupTags } = check;
    const asNamed = { id, groupId, tags: [...tags, ...groupTags] };
    const isInMaintenance = current.length > 0 && maintenanceAt(current, asNamed, now).isSilenced;
    const { state, since } = overviewEntry(check, isInMaintenance, now);
    const status = state === 'paused' || state === 'unknown' ? null : state;
    const byLocation = status === null ? [] : (locations.get(id) ?? []);
    ofChecks.set(check, {
      state: { status, since, isActive: check.isActive, isInMaintenance, byLocation },
      windows: windows.filter((window) => effectOn(window, asNamed) !== null),
    });
  });
  const facts = new Map<string, MembersFacts>();
  for (const service of services) {
    if (isManual(service)) continue;
    const members = membersOf(service, named).flatMap((check) => ofChecks.get(check) ?? []);
    const touching = new Set<MaintenanceWindow>();
    for (const member of members) for (const window of member.windows) touching.add(window);
    const { state, since } = stateOfMembers(
      members.map((member) => member.state),
      service.threshold,
    );
    const starts = [...touching].flatMap((window) => occurrenceAt(window, now)?.from ?? []);
    const begun = starts.length === 0 ? null : Math.min(...starts);
    facts.set(service.id, { state, since: state === 'maintenance' ? begun : since, windows: touching });
    yield;
  }
  return facts;
}
