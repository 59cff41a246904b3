// A page as JSON in our own words.
import type { PublicIncident, PublicMaintenance, PublicService } from '#domain/status-pages/page-snapshot.ts';
import { headlineOf, stateOf } from '../headline.ts';
import { uptimeOf } from '../html/days.ts';
import { currentMaintenance, incidentPath, type PageView } from '../page-view.ts';

export function summaryJson(view: PageView): object {
  const { snapshot } = view;
  const { page, builtAt, since, cards, incidents } = snapshot;
  const { now, ahead } = currentMaintenance(view);
  return {
    page: { id: page.id, name: page.name, url: view.address, timeZone: page.timeZone, language: page.language },
    updatedAt: iso(builtAt),
    state: stateOf(view),
    since: orNull(since),
    summary: headlineOf(view).text,
    cards: cards.map(({ id, name, services }) => ({
      id,
      name,
      services: services.map((service) => serviceJson(service, builtAt)),
    })),
    incidents: incidents
      .filter(({ resolvedAt }) => resolvedAt === null)
      .map((incident) => incidentJson(view, incident)),
    maintenance: { inProgress: now.map(maintenanceJson), scheduled: ahead.map(maintenanceJson) },
  };
}

function serviceJson({ id, name, description, state, since, days }: PublicService, builtAt: number): object {
  const { percent, monitored } = uptimeOf(days, builtAt);
  const uptime = { days: days.length, percent: percent === null ? null : Number(percent), monitoredPercent: monitored };
  return { id, name, description, state, since: orNull(since), uptime: days.length === 0 ? null : uptime };
}

function incidentJson(view: PageView, incident: PublicIncident): object {
  const { id, name, severity, status, serviceIds, startedAt, publishedAt, isBackdated, updates } = incident;
  return {
    id,
    name,
    url: `${view.address ?? ''}${incidentPath(incident)}`,
    severity,
    status,
    serviceIds,
    startedAt: iso(startedAt),
    publishedAt: iso(publishedAt),
    isBackdated,
    updates: updates.map(({ id, status, description, at }) => ({ id, status, description, at: iso(at) })),
  };
}

function maintenanceJson({ id, name, description, startsAt, endsAt, serviceIds }: PublicMaintenance): object {
  return { id, name, description, startsAt: iso(startsAt), endsAt: iso(endsAt), serviceIds };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function orNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}
