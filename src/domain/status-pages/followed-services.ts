// What opens and resolves incidents of an account: services on published pages, and checks that open incidents of these.
import type { MaintenanceWindow } from '../checks/maintenance-window.ts';
import type { OverviewCheck } from '../results/overview.ts';
import type { Sliced } from '../sliced.ts';
import type { FollowedService } from './propose-incidents.ts';
import { factsOfMembers, type MembersFacts, namedChecks } from './service-members.ts';
import { servicesOf, type StatusPage } from './status-page.ts';
import { atOnce } from './status-incident.ts';
import type { StatusService } from './status-service.ts';

/** A service in the language of the first published page that shows it. */
export type PublishedService = Pick<FollowedService, 'service' | 'language'>;

/** The services on published pages, by ID. */
export function publishedServices(
  pages: readonly StatusPage[],
  services: readonly StatusService[],
): ReadonlyMap<string, PublishedService> {
  const published = new Map<string, PublishedService>();
  for (const service of services) {
    const page = pages.find((each) => each.isPublished && servicesOf(each).includes(service.id));
    if (page !== undefined) published.set(service.id, { service, language: page.language });
  }
  return published;
}

/** Services whose state checks tell. */
export function followedServices(
  published: ReadonlyMap<string, PublishedService>,
  members: ReadonlyMap<string, MembersFacts>,
): FollowedService[] {
  return [...published.values()].flatMap((each) => {
    const facts = members.get(each.service.id);
    return facts === undefined ? [] : [{ ...each, checkId: null, state: facts.state, since: facts.since }];
  });
}

/**
 * Failing checks that open incidents of these services, and those that did.
 * @param proposers IDs of what opened the recent incidents
 * @param now epoch ms
 */
export function* followedChecks(
  published: ReadonlyMap<string, PublishedService>,
  checks: readonly OverviewCheck[],
  proposers: ReadonlySet<string | null>,
  windows: readonly MaintenanceWindow[],
  now: number,
): Sliced<FollowedService[]> {
  const found = checks.flatMap((check) => {
    const of = check.incidentOf === null ? undefined : published.get(check.incidentOf);
    const mayMatter = check.state?.status === 'failing' || proposers.has(check.checkId);
    return of !== undefined && mayMatter ? [{ ...of, check }] : [];
  });
  // Each as if it were a service of its own.
  const alone = found.map(({ service, check: { checkId: id } }): StatusService => {
    return { ...service, id, checkIds: [id], groupIds: [], tags: [], threshold: null };
  });
  const named = yield* namedChecks(
    found.map(({ check }) => check),
    alone,
  );
  const facts = yield* factsOfMembers(alone, named, windows, new Map(), now);
  return found.flatMap(({ service, language, check: { checkId } }) => {
    const own = facts.get(checkId);
    // Its texts are read when they matter.
    const incidents = { ...service.incidents, ...atOnce };
    return own === undefined
      ? []
      : [{ service: { ...service, incidents }, language, checkId, state: own.state, since: own.since }];
  });
}
