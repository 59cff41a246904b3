// What is published of a status page: everything that visitors can learn, and nothing else.
import type { PageImageName, PageLanguage, PageLink, PageVisibility, StatusPage } from './status-page.ts';
import type { ServiceState } from './service-state.ts';
import type { UpdateStatus } from './status-incident.ts';
import type { IncidentSeverity } from './status-service.ts';

/** A UTC day of a service. */
export interface PublicDay {
  /** Start, epoch ms. */
  readonly at: number;
  readonly knownMs: number;
  readonly downMs: number;
  readonly unknownMs: number;
}

/** A service as visitors see it. */
export interface PublicService {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly state: ServiceState;
  /** Epoch ms; null = not known. */
  readonly since: number | null;
  /** The last 90 UTC days, oldest first; a day without data has no known time. Empty if the history is hidden. */
  readonly days: readonly PublicDay[];
  /** Median response time by hour, oldest first: epoch ms and ms; null = not shown. */
  readonly responseTimes: readonly (readonly [at: number, ms: number | null])[] | null;
}

export interface PublicCard {
  readonly id: string;
  readonly name: string;
  readonly services: readonly PublicService[];
}

export interface PublicUpdate {
  readonly id: string;
  readonly status: UpdateStatus;
  /** Markdown. */
  readonly description: string;
  /** Epoch ms. */
  readonly at: number;
}

/** A published incident. Instants are epoch ms. */
export interface PublicIncident {
  readonly id: string;
  readonly name: string;
  readonly severity: IncidentSeverity;
  readonly status: UpdateStatus;
  /** Services of this page. */
  readonly serviceIds: readonly string[];
  readonly startedAt: number;
  readonly resolvedAt: number | null;
  readonly publishedAt: number;
  readonly isBackdated: boolean;
  /** Markdown; null = none. */
  readonly postmortem: string | null;
  /** Newest first. */
  readonly updates: readonly PublicUpdate[];
}

/** An occurrence of maintenance. Instants are epoch ms. */
export interface PublicMaintenance {
  /** Of this occurrence. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly serviceIds: readonly string[];
}

/** Settings of a page that visitors see. */
export interface PublicPage extends Pick<
  StatusPage,
  | 'name'
  | 'url'
  | 'customDomain'
  | 'description'
  | 'defaultTheme'
  | 'themeColors'
  | 'redirectTo'
  | 'footerText'
  | 'texts'
  | 'allowIndexing'
> {
  readonly id: string;
  readonly language: PageLanguage;
  readonly links: readonly PageLink[];
  readonly visibility: PageVisibility;
  /** IANA zone. */
  readonly timeZone: string;
  /** Images by name: media type and hash of the content. */
  readonly images: Readonly<Partial<Record<PageImageName, { readonly mediaType: string; readonly hash: string }>>>;
  /** Whether visitors can subscribe by email. */
  readonly takesSubscribers: boolean;
}

/** A published status page at a point in time. */
export interface PageSnapshot {
  /** Epoch ms. */
  readonly builtAt: number;
  readonly page: PublicPage;
  readonly state: ServiceState;
  /** When the state of the page began, epoch ms; null = not known. */
  readonly since: number | null;
  readonly cards: readonly PublicCard[];
  /** Open ones first, then the resolved ones of the last 12 months, newest first. */
  readonly incidents: readonly PublicIncident[];
  /** In progress, the next 60 days and the past 90 days, by start. */
  readonly maintenance: readonly PublicMaintenance[];
}

/** Days that pages show. */
export const shownDays = 90;

/** The process that builds snapshots. */
export interface PagePublisher {
  readonly owner: string;
  /** Epoch ms. */
  readonly leasedUntil: number;
}
