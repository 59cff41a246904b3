// A page in the widespread format of Statuspage, `/api/v2`, which existing readers know.
import type { PublicIncident, PublicMaintenance } from '#domain/status-pages/page-snapshot.ts';
import type { ServiceState } from '#domain/status-pages/service-state.ts';
import type { IncidentSeverity } from '#domain/status-pages/status-service.ts';
import { headlineOf, stateOf } from '../headline.ts';
import { currentMaintenance, incidentPath, openIncidents, type PageView } from '../page-view.ts';

/** The format has no word for a state that is not known: it must not read as operational. */
const componentStatus: Readonly<Record<ServiceState, string>> = {
  operational: 'operational',
  maintenance: 'under_maintenance',
  unknown: 'degraded_performance',
  degraded: 'degraded_performance',
  outage: 'major_outage',
};
const indicators: Readonly<Record<ServiceState, string>> = {
  operational: 'none',
  maintenance: 'maintenance',
  unknown: 'minor',
  degraded: 'minor',
  outage: 'major',
};
const impacts: Readonly<Record<IncidentSeverity, string>> = {
  MINOR: 'minor',
  MEDIUM: 'minor',
  MAJOR: 'major',
  CRITICAL: 'critical',
};
/** A component or a group of them. */
type Component = object & { readonly id: string };

/** Most incidents, and most maintenance, that the format lists. */
const mostListed = 50;
/** Most components that the incidents or the maintenance of a file name together: each is repeated as a whole. */
const mostComponents = 1000;

/** Values of its files by path. */
export function statuspageFiles(view: PageView): Map<string, object> {
  const { snapshot } = view;
  const page = pageJson(view);
  const status = { indicator: indicatorOf(view), description: headlineOf(view).text };
  const components = componentsJson(view);
  const { now, ahead } = currentMaintenance(view);
  const incidentsOf = (list: readonly PublicIncident[]): object[] => {
    const componentsOf = limitedComponents(components);
    return list.slice(0, mostListed).map((incident) => incidentJson(view, componentsOf, incident));
  };
  const maintenanceOf = (list: readonly PublicMaintenance[]): object[] => {
    const componentsOf = limitedComponents(components);
    return list.slice(0, mostListed).map((window) => maintenanceJson(view, componentsOf, window));
  };
  const unresolved = incidentsOf(openIncidents(view));
  const begun = snapshot.maintenance.filter(({ startsAt }) => startsAt <= snapshot.builtAt);
  const nearest = ahead.slice(0, Math.max(mostListed / 2, mostListed - begun.length));
  const newest = [...nearest.toReversed(), ...begun.toReversed()];
  return new Map<string, object>([
    [
      'summary',
      {
        page,
        components,
        incidents: unresolved,
        scheduled_maintenances: maintenanceOf([...now, ...ahead]),
        status,
      },
    ],
    ['status', { page, status }],
    ['components', { page, components }],
    ['incidents', { page, incidents: incidentsOf(snapshot.incidents) }],
    ['incidents/unresolved', { page, incidents: unresolved }],
    ['scheduled-maintenances', { page, scheduled_maintenances: maintenanceOf(newest) }],
    ['scheduled-maintenances/active', { page, scheduled_maintenances: maintenanceOf(now) }],
    ['scheduled-maintenances/upcoming', { page, scheduled_maintenances: maintenanceOf(ahead) }],
  ]);
}

function pageJson({ snapshot, address }: PageView): object {
  const { id, name, timeZone } = snapshot.page;
  return { id, name, url: address ?? '', time_zone: timeZone, updated_at: iso(snapshot.builtAt) };
}

function indicatorOf(view: PageView): string {
  const state = stateOf(view);
  const services = [...view.services.values()];
  const isCritical =
    openIncidents(view).some(({ severity }) => severity === 'CRITICAL') ||
    (services.length > 0 && services.every((service) => service.state === 'outage'));
  return state === 'outage' && isCritical ? 'critical' : indicators[state];
}

/** Services, and cards as groups of them. */
function componentsJson(view: PageView): Component[] {
  const { page, cards, builtAt } = view.snapshot;
  const shared = { showcase: true, start_date: null, page_id: page.id, only_show_if_degraded: false };
  const listed = new Set<string>();
  return cards.flatMap(({ id: groupId, name, services }, position) => {
    const own = services.filter(({ id }) => !listed.has(id));
    for (const { id } of own) listed.add(id);
    const changed = Math.max(0, ...own.map(({ since }) => since ?? 0));
    const times = (at: number): object => ({ created_at: iso(at), updated_at: iso(at) });
    const worst = own.map((service) => componentStatus[service.state]).sort(byBadness)[0] ?? 'operational';
    return [
      {
        id: groupId,
        name,
        status: worst,
        ...times(changed || builtAt),
        position: position + 1,
        description: null,
        ...shared,
        group_id: null,
        group: true,
        components: own.map(({ id }) => id),
      },
      ...own.map(({ id, name, description, state, since }, index) => ({
        id,
        name,
        status: componentStatus[state],
        ...times(since ?? builtAt),
        position: index + 1,
        description,
        ...shared,
        group_id: groupId,
        group: false,
      })),
    ];
  });
}

const badness = ['operational', 'under_maintenance', 'degraded_performance', 'major_outage'];
function byBadness(one: string, other: string): number {
  return badness.indexOf(other) - badness.indexOf(one);
}

type ComponentsOf = (ids: readonly string[]) => Component[];

/** Finds the components of one entry of a file after the other, as long as they are not too many. */
function limitedComponents(components: readonly Component[]): ComponentsOf {
  let left = mostComponents;
  return (ids) => {
    const wanted = new Set(ids);
    const found = components.filter(({ id }) => wanted.has(id)).slice(0, left);
    left -= found.length;
    return found;
  };
}

function incidentJson(view: PageView, componentsOf: ComponentsOf, incident: PublicIncident): object {
  const { id, name, severity, status, startedAt, resolvedAt, publishedAt, serviceIds, updates } = incident;
  const monitoring = updates.findLast((update) => update.status === 'MONITORING');
  return {
    id,
    name,
    status: status.toLowerCase(),
    created_at: iso(startedAt),
    updated_at: iso(updates[0]?.at ?? publishedAt),
    monitoring_at: monitoring === undefined ? null : iso(monitoring.at),
    resolved_at: resolvedAt === null ? null : iso(resolvedAt),
    impact: impacts[severity],
    shortlink: `${view.address ?? ''}${incidentPath(incident)}`,
    started_at: iso(startedAt),
    page_id: view.snapshot.page.id,
    incident_updates: updates.map((update) => ({
      id: update.id,
      incident_id: id,
      status: update.status.toLowerCase(),
      body: update.description,
      created_at: iso(update.at),
      updated_at: iso(update.at),
      display_at: iso(update.at),
      affected_components: null,
      deliver_notifications: true,
      custom_tweet: null,
      tweet_id: null,
    })),
    components: componentsOf(serviceIds),
  };
}

function maintenanceJson(view: PageView, componentsOf: ComponentsOf, window: PublicMaintenance): object {
  const { id, name, description, startsAt, endsAt, serviceIds } = window;
  const { builtAt, page } = view.snapshot;
  const status = startsAt > builtAt ? 'scheduled' : endsAt > builtAt ? 'in_progress' : 'completed';
  const start = iso(startsAt);
  return {
    id,
    name,
    status,
    created_at: start,
    updated_at: start,
    monitoring_at: null,
    resolved_at: status === 'completed' ? iso(endsAt) : null,
    impact: 'maintenance',
    shortlink: `${view.address ?? ''}index.html`,
    started_at: start,
    page_id: page.id,
    incident_updates:
      description === null
        ? []
        : [
            {
              id,
              incident_id: id,
              status,
              body: description,
              created_at: start,
              updated_at: start,
              display_at: start,
              affected_components: null,
              deliver_notifications: true,
              custom_tweet: null,
              tweet_id: null,
            },
          ],
    components: componentsOf(serviceIds),
    scheduled_for: start,
    scheduled_until: iso(endsAt),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
