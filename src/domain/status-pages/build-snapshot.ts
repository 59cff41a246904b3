// Builds what is published of a status page from the facts of its account.
import type { CalendarEntry, MaintenanceWindow } from '../checks/maintenance-window.ts';
import type { MembersFacts } from './service-members.ts';
import { stateOfSeverity, type StateSince, worstState } from './service-state.ts';
import { isBackdated, lengthOf, publicUpdates, type StatusIncident } from './status-incident.ts';
import { servicesOf, type StatusPage } from './status-page.ts';
import { isManual, type StatusService } from './status-service.ts';
import type {
  PageSnapshot,
  PublicDay,
  PublicIncident,
  PublicMaintenance,
  PublicPage,
  PublicService,
} from './page-snapshot.ts';

/** What pages of an account are built from. Instants are epoch ms. */
export interface AccountFacts {
  readonly now: number;
  /** IANA zone of pages that have none. */
  readonly timeZone: string;
  readonly services: ReadonlyMap<string, StatusService>;
  readonly members: ReadonlyMap<string, MembersFacts>;
  /** Incidents that visitors see, with all their services, newest first. */
  readonly incidents: readonly PublicIncident[];
  /** Occurrences that visitors may see, by start. */
  readonly maintenance: readonly CalendarEntry[];
  /** Identifies an occurrence without telling what it is of. */
  readonly occurrenceId: (window: MaintenanceWindow, startsAt: number) => string;
  readonly days: ReadonlyMap<string, readonly PublicDay[]>;
  readonly responseTimes: ReadonlyMap<string, PublicService['responseTimes']>;
}

/** Most characters of the incidents of a page. */
export const mostText = 500_000;

/** What a page has besides its own record. */
export type PageFacts = Pick<PublicPage, 'images' | 'takesSubscribers'>;

export function buildSnapshot(page: StatusPage, own: PageFacts, facts: AccountFacts): PageSnapshot {
  const serviceIds = new Set(servicesOf(page).filter((id) => facts.services.has(id)));
  const about = new Map<string, PublicIncident[]>([...serviceIds].map((id) => [id, []]));
  const onPage = facts.incidents.flatMap((incident): PublicIncident[] => {
    const shown = incident.serviceIds.filter((id) => serviceIds.has(id));
    for (const id of shown) about.get(id)?.push(incident);
    return incident.serviceIds.length === 0 || shown.length > 0 ? [{ ...incident, serviceIds: shown }] : [];
  });
  const states = new Map([...about].map(([id, incidents]) => [id, stateOfService(id, incidents, facts)]));
  const general = facts.incidents.filter((incident) => incident.serviceIds.length === 0);
  const cards = page.cards.map(({ id, name, serviceIds: ids }) => ({
    id,
    name,
    services: ids.flatMap((serviceId) => publicService(serviceId, page, states, facts)),
  }));
  const isOpen = ({ resolvedAt }: PublicIncident): boolean => resolvedAt === null;
  return {
    builtAt: facts.now,
    page: publicPage(page, own, facts.timeZone),
    ...worseOf([...states.values(), ...raisedBy(general)]),
    cards,
    incidents: withinText([...onPage.filter(isOpen), ...onPage.filter((incident) => !isOpen(incident))]),
    maintenance: maintenanceOf(serviceIds, facts),
  };
}

/** The first incidents whose texts fit into a page together: one account must not fill the memory that all share. */
export function withinText(incidents: readonly PublicIncident[]): PublicIncident[] {
  let left = mostText;
  return incidents.filter((incident) => (left -= lengthOf(incident)) >= 0);
}

function publicPage(page: StatusPage, own: PageFacts, timeZone: string): PublicPage {
  const { id, name, url, customDomain, description, defaultTheme, themeColors, redirectTo, footerText } = page;
  const { texts, allowIndexing, language, links, visibility } = page;
  return {
    id,
    name,
    url,
    customDomain,
    description,
    defaultTheme,
    themeColors,
    redirectTo,
    footerText,
    texts,
    allowIndexing,
    language,
    links: links.map(({ label, url: address }) => ({ label, url: address })),
    visibility,
    timeZone: page.timeZone ?? timeZone,
    ...own,
  };
}

/** What its checks say, or open incidents if that is worse. */
export function stateOfService(
  id: string,
  about: readonly PublicIncident[],
  facts: Pick<AccountFacts, 'services' | 'members'>,
): StateSince {
  const service = facts.services.get(id);
  const isByHand = service === undefined || isManual(service);
  const ended = about.flatMap(({ resolvedAt }) => resolvedAt ?? []);
  const calm: StateSince = { state: 'operational', since: ended.length === 0 ? null : Math.max(...ended) };
  const own = isByHand ? calm : (facts.members.get(id) ?? { state: 'unknown', since: null });
  return worseOf([own, ...raisedBy(about)]);
}

function raisedBy(incidents: readonly PublicIncident[]): StateSince[] {
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null);
  return open.map(({ severity, startedAt }) => ({ state: stateOfSeverity[severity], since: startedAt }));
}

/** The worst state; of several, it lasts since the first, and being operational since the last. */
function worseOf(all: readonly StateSince[]): StateSince {
  const state = worstState(all.map((each) => each.state));
  const starts = all.flatMap((each) => (each.state === state && each.since !== null ? [each.since] : []));
  if (starts.length === 0) return { state, since: null };
  return { state, since: state === 'operational' ? Math.max(...starts) : Math.min(...starts) };
}

function publicService(
  id: string,
  page: StatusPage,
  states: ReadonlyMap<string, StateSince>,
  { services, days, responseTimes }: AccountFacts,
): PublicService[] {
  const [service, state] = [services.get(id), states.get(id)];
  if (service === undefined || state === undefined) return [];
  const { name, description, showHistory } = service;
  return [
    {
      id,
      name,
      description,
      ...state,
      // Without checks there is nothing to count.
      days: showHistory && !isManual(service) ? (days.get(id) ?? []) : [],
      responseTimes: page.showResponseTimes ? (responseTimes.get(id) ?? null) : null,
    },
  ];
}

/** An incident as visitors see it at `now` (epoch ms), with all its services; null = they do not. */
export function publicIncident(incident: StatusIncident, now: number): PublicIncident | null {
  const { id, name, severity, serviceIds, startedAt, publishedAt, createdAt, postmortem } = incident;
  const updates = publicUpdates(incident, now).reverse();
  const [newest] = updates;
  if (incident.isDraft || newest === undefined) return null;
  return {
    id,
    name,
    severity,
    status: newest.status,
    serviceIds,
    startedAt,
    resolvedAt: newest.status === 'RESOLVED' ? newest.publicAt : null,
    publishedAt: publishedAt ?? createdAt,
    isBackdated: isBackdated(incident),
    postmortem,
    updates: updates.map((update) => {
      return { id: update.id, status: update.status, description: update.description, at: update.publicAt };
    }),
  };
}

function maintenanceOf(onPage: ReadonlySet<string>, facts: AccountFacts): PublicMaintenance[] {
  const { maintenance, members, occurrenceId } = facts;
  const byWindow = new Map<MaintenanceWindow, string[]>();
  for (const id of onPage) {
    for (const window of members.get(id)?.windows ?? []) byWindow.set(window, [...(byWindow.get(window) ?? []), id]);
  }
  return maintenance.flatMap(({ window, span }) => {
    const serviceIds = byWindow.get(window);
    if (serviceIds === undefined || span === null) return [];
    const { name, description } = window;
    const id = occurrenceId(window, span.from);
    return [{ id, name, description, startsAt: span.from, endsAt: span.to, serviceIds }];
  });
}
