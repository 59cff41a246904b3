// Records of status pages for tests.
import { defaultIncidentRule } from '#domain/status-pages/status-service.ts';
import { newId } from '#lib/id.ts';
import type { NewIncident } from '#store/status-pages/status-incidents.ts';
import type { NewPage } from '#store/status-pages/status-pages.ts';
import type { NewService } from '#store/status-pages/status-services.ts';

export function aStatusPage(accountId: string, fields: Partial<NewPage> = {}): NewPage {
  const id = newId();
  return {
    accountId,
    id,
    name: 'Example status',
    url: `page-${id}`,
    customDomain: null,
    description: null,
    isPublished: true,
    visibility: 'PUBLIC',
    passwordHash: null,
    defaultTheme: 'AUTO',
    themeColors: { light: null, dark: null },
    redirectTo: null,
    links: [],
    footerText: null,
    language: 'en',
    texts: {},
    timeZone: null,
    showResponseTimes: false,
    allowIndexing: true,
    allowSubscribers: true,
    cards: [],
    alertChannelIds: [],
    ...fields,
  };
}

export function aStatusService(accountId: string, fields: Partial<NewService> = {}): NewService {
  return {
    accountId,
    id: newId(),
    name: 'Checkout',
    description: null,
    checkIds: [],
    groupIds: [],
    tags: [],
    threshold: null,
    incidents: defaultIncidentRule,
    showHistory: true,
    ...fields,
  };
}

export function aStatusIncident(accountId: string, fields: Partial<NewIncident> = {}): NewIncident {
  const at = 1_700_000_000_000;
  const update = { id: newId(), status: 'INVESTIGATING', notifySubscribers: true } as const;
  return {
    accountId,
    id: newId(),
    name: 'Payments fail',
    severity: 'MAJOR',
    serviceIds: [],
    isDraft: false,
    publishAt: null,
    startedAt: at,
    proposedFor: null,
    automaticUpdates: [],
    postmortem: null,
    updates: [{ ...update, description: 'We are looking into it.', publicAt: at, createdAt: at }],
    ...fields,
  };
}
