// Builds snapshots of status pages for tests: an example page, and the states that it can be in.
import type {
  PageSnapshot,
  PublicDay,
  PublicIncident,
  PublicMaintenance,
  PublicPage,
  PublicService,
} from '#domain/status-pages/page-snapshot.ts';

/** Sunday, 29 November 2026, 14:02 UTC. */
export const snapshotAt = Date.UTC(2026, 10, 29, 14, 2);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const today = Math.floor(snapshotAt / day) * day;

/** A UUID by number. */
export function numberedId(number: number): string {
  return `0198c0de-0000-7000-8000-${String(number).padStart(12, '0')}`;
}

export function examplePage(changes: Partial<PublicPage> = {}): PublicPage {
  return {
    id: numberedId(1),
    name: 'Example status',
    url: 'example',
    customDomain: null,
    description: null,
    defaultTheme: 'AUTO',
    themeColors: { light: null, dark: null },
    redirectTo: null,
    footerText: null,
    texts: {},
    allowIndexing: true,
    language: 'en',
    links: [],
    visibility: 'PUBLIC',
    timeZone: 'UTC',
    images: {},
    takesSubscribers: false,
    ...changes,
  };
}

/** The last 90 days: fine but for those that `changes` names by their age in days. */
export function exampleDays(changes: Readonly<Record<number, Partial<PublicDay>>> = {}): PublicDay[] {
  return Array.from({ length: 90 }, (_, index) => {
    const at = today - (89 - index) * day;
    const knownMs = Math.min(day, snapshotAt - at);
    return { at, knownMs, downMs: 0, unknownMs: 0, ...changes[89 - index] };
  });
}

/** A day without data. */
export const gap: Partial<PublicDay> = { knownMs: 0, downMs: 0, unknownMs: day };

export function exampleService(number: number, changes: Partial<PublicService> = {}): PublicService {
  return {
    id: numberedId(100 + number),
    name: `Service ${number}`,
    description: null,
    state: 'operational',
    since: snapshotAt - 12 * day,
    days: exampleDays(),
    responseTimes: null,
    ...changes,
  };
}

export function exampleIncident(number: number, changes: Partial<PublicIncident> = {}): PublicIncident {
  const startedAt = snapshotAt - 40 * minute;
  return {
    id: numberedId(1000 + number),
    name: 'Payments are declined',
    severity: 'MAJOR',
    status: 'IDENTIFIED',
    serviceIds: [numberedId(102)],
    startedAt,
    resolvedAt: null,
    publishedAt: startedAt + 2 * minute,
    isBackdated: false,
    postmortem: null,
    updates: [
      {
        id: numberedId(5000 + number * 10 + 1),
        status: 'IDENTIFIED',
        description: 'A provider rejects **all cards**. We are switching to another one.',
        at: startedAt + 25 * minute,
      },
      {
        id: numberedId(5000 + number * 10),
        status: 'INVESTIGATING',
        description: 'We are investigating declined payments.',
        at: startedAt + 2 * minute,
      },
    ],
    ...changes,
  };
}

export function exampleMaintenance(number: number, changes: Partial<PublicMaintenance> = {}): PublicMaintenance {
  return {
    id: `${numberedId(9000 + number)}-1`,
    name: 'Database upgrade',
    description: 'Orders cannot be placed for a few minutes.',
    startsAt: snapshotAt + 2 * day,
    endsAt: snapshotAt + 2 * day + hour,
    serviceIds: [numberedId(101)],
    ...changes,
  };
}

/** A page of two cards, where everything is operational. */
export function exampleSnapshot(
  changes: Partial<Omit<PageSnapshot, 'page'>> & { readonly page?: Partial<PublicPage> } = {},
): PageSnapshot {
  const { page, ...rest } = changes;
  const times = Array.from({ length: 24 }, (_, index) => {
    const ms = index === 9 || index === 10 ? null : 180 + 60 * Math.sin(index / 3) + (index % 5) * 9;
    return [snapshotAt - (23 - index) * hour, ms] as const;
  });
  return {
    builtAt: snapshotAt,
    page: examplePage(page),
    state: 'operational',
    since: snapshotAt - 3 * day,
    cards: [
      {
        id: numberedId(11),
        name: 'Shop',
        services: [
          exampleService(1, { name: 'Storefront', description: 'Catalogue, search and cart', responseTimes: times }),
          exampleService(2, {
            name: 'Checkout',
            days: exampleDays({ 5: { downMs: 14 * minute }, 21: { downMs: 3 * hour }, 60: gap, 61: gap, 62: gap }),
          }),
        ],
      },
      {
        id: numberedId(12),
        name: 'Developers',
        services: [
          exampleService(3, { name: 'API', days: exampleDays({ 40: { knownMs: day / 2, unknownMs: day / 2 } }) }),
          exampleService(4, { name: 'Webhooks', days: [] }),
        ],
      },
    ],
    incidents: [
      exampleIncident(1, {
        name: 'Slow search',
        severity: 'MINOR',
        status: 'RESOLVED',
        serviceIds: [numberedId(101)],
        startedAt: snapshotAt - 5 * day,
        resolvedAt: snapshotAt - 5 * day + 50 * minute,
        publishedAt: snapshotAt - 5 * day + 5 * minute,
        postmortem: 'An index was missing.\n\n- We added it.\n- We alert on slow queries now.',
        updates: [
          { id: numberedId(5011), status: 'RESOLVED', description: 'Fixed.', at: snapshotAt - 5 * day + 50 * minute },
          {
            id: numberedId(5010),
            status: 'INVESTIGATING',
            description: 'Search is slow.',
            at: snapshotAt - 5 * day + 5 * minute,
          },
        ],
      }),
    ],
    maintenance: [exampleMaintenance(1)],
    ...rest,
  };
}

/** The example with its second service in a state. */
export function troubledSnapshot(
  state: PageSnapshot['state'],
  changes: Parameters<typeof exampleSnapshot>[0] = {},
): PageSnapshot {
  const since = snapshotAt - 40 * minute;
  const { cards, incidents, ...rest } = exampleSnapshot(changes);
  return {
    ...rest,
    state,
    since,
    cards: cards.map((card) => ({
      ...card,
      services: card.services.map((service) =>
        service.id === numberedId(102) ? { ...service, state, since } : service,
      ),
    })),
    incidents: state === 'outage' || state === 'degraded' ? [exampleIncident(2), ...incidents] : incidents,
  };
}

/** A page of the most services that a page may have. */
export function largestSnapshot(): PageSnapshot {
  const services = Array.from({ length: 200 }, (_, index) =>
    exampleService(index + 1, {
      name: `Service ${index + 1} in the region of Frankfurt`,
      days: exampleDays({ [index % 80]: { downMs: (index + 1) * minute }, [(index * 7) % 90]: gap }),
    }),
  );
  const cards = Array.from({ length: 10 }, (_, index) => ({
    id: numberedId(20 + index),
    name: `Region ${index + 1}`,
    services: services.slice(index * 20, index * 20 + 20),
  }));
  return exampleSnapshot({ cards });
}

/** A text that breaks out of each format that does not escape it. */
export const hostileText = `"><script>alert(1)</script>'&]]>\u0000\u0008\u202e\ud800\r\nBEGIN:VEVENT;,\\n{time}</title><img src=x onerror=alert(1)>`;

/** The same value with a hostile text in place of each text that people write. */
export function hostileSnapshot(): PageSnapshot {
  const page: Partial<PublicPage> = {
    name: hostileText,
    description: hostileText,
    footerText: hostileText,
    redirectTo: 'javascript:alert(1)',
    links: [
      { label: hostileText, url: 'javascript:alert(1)' },
      { label: hostileText, url: `https://example.com/"onclick="alert(1)` },
    ],
    texts: {
      'headline.outage': hostileText,
      'state.outage': hostileText,
      stale: hostileText,
      'days.today': hostileText,
    },
    takesSubscribers: true,
    themeColors: { light: 'red;}body{display:none', dark: null },
  };
  const { cards, maintenance, ...rest } = troubledSnapshot('outage', { page });
  const markdown = `${hostileText}\n\n- [x](javascript:alert(1)) [y](https://example.com/"onmouseover="alert(1))\n- \`${hostileText}\` **${hostileText}**`;
  return {
    ...rest,
    cards: cards.map((card) => ({
      ...card,
      name: hostileText,
      services: card.services.map((service) => ({ ...service, name: hostileText, description: hostileText })),
    })),
    incidents: rest.incidents.map((incident) => ({
      ...incident,
      name: hostileText,
      postmortem: markdown,
      updates: incident.updates.map((update) => ({ ...update, description: markdown })),
    })),
    maintenance: maintenance.map((window) => ({ ...window, name: hostileText, description: markdown })),
  };
}
