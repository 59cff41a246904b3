// Changes of a status page that its subscribers and channels are notified of, each once.
import type { PageSnapshot, PublicIncident, PublicMaintenance } from './page-snapshot.ts';
import type { IncidentUpdate } from './status-incident.ts';

/** What a notification of maintenance says: it starts within a day or an hour, has started, is over, or does not take place. */
export const maintenanceEvents = ['DAY_BEFORE', 'HOUR_BEFORE', 'STARTED', 'ENDED', 'CANCELLED'] as const;
export type MaintenanceEvent = (typeof maintenanceEvents)[number];

/** What a change is about. */
export type PageChange =
  | { readonly kind: 'update'; readonly incidentId: string; readonly updateId: string }
  | { readonly kind: 'maintenance'; readonly event: MaintenanceEvent; readonly occurrence: PublicMaintenance };

/** A change that was noticed. */
export interface NoticedChange {
  /** Names the change: a page has each once. */
  readonly subject: string;
  readonly change: PageChange;
}

/** A change of maintenance that is not over. */
export interface OpenMaintenance {
  readonly pageId: string;
  readonly event: MaintenanceEvent;
  readonly occurrence: PublicMaintenance;
}

/** Changes within this time are one message, ms. */
export const gatheredMs = 60_000;
/** What became public longer ago is no news: Tocsin was stopped meanwhile, or the page is new. ms */
export const newsMs = 86_400_000;
const hourMs = 3_600_000;
/** Most changes in a message; further ones are in the next message. */
export const mostInMessage = 10;
/** Longest text of a change in a message, in characters. */
export const longestInMessage = 2000;

/**
 * Updates of incidents on a page that subscribers are notified of, oldest first.
 * @param updates those of the account's incidents, by ID
 */
export function updateChanges(
  { incidents, builtAt: now }: Pick<PageSnapshot, 'incidents' | 'builtAt'>,
  updates: ReadonlyMap<string, IncidentUpdate>,
): NoticedChange[] {
  const news = incidents.flatMap((incident) =>
    incident.updates.flatMap(({ id, at: publicAt }) => {
      const update = updates.get(id);
      if (update?.notifySubscribers !== true || visibleFrom(incident, update) <= now - newsMs) return [];
      const change = { kind: 'update', incidentId: incident.id, updateId: id } as const;
      return [{ publicAt, noticed: { subject: `update ${id}`, change } }];
    }),
  );
  // Pages show the newest first.
  return news
    .reverse()
    .sort((one, other) => one.publicAt - other.publicAt)
    .map(({ noticed: each }) => each);
}

/** Since when visitors see an update, epoch ms. */
function visibleFrom({ publishedAt }: PublicIncident, { publicAt, createdAt }: IncidentUpdate): number {
  return Math.max(publishedAt, publicAt, createdAt);
}

/**
 * Maintenance on a page that subscribers are notified of now.
 * @param told what was noticed of maintenance that is not over, of this page
 * @param isHeld whether an occurrence that the page does not show takes place all the same
 */
export function maintenanceChanges(
  { maintenance, builtAt: now }: Pick<PageSnapshot, 'maintenance' | 'builtAt'>,
  told: readonly OpenMaintenance[],
  isHeld: (occurrence: PublicMaintenance) => boolean,
): NoticedChange[] {
  const byId = Map.groupBy(told, ({ occurrence }) => occurrence.id);
  const shown = new Set(maintenance.map(({ id }) => id));
  const current = maintenance.flatMap((occurrence): NoticedChange[] => {
    const event = eventAt(occurrence, now);
    const events = (byId.get(occurrence.id) ?? []).map((each) => each.event);
    if (event === null || events.includes(event) || (event === 'ENDED' && events.length === 0)) return [];
    return [noticed(event, occurrence)];
  });
  const gone = [...byId].flatMap(([id, changes]): NoticedChange[] => {
    const last = changes.at(-1);
    if (shown.has(id) || last === undefined || last.occurrence.endsAt <= now) return [];
    if (changes.some(({ event }) => event === 'CANCELLED' || event === 'ENDED') || isHeld(last.occurrence)) return [];
    return [noticed(last.occurrence.startsAt <= now ? 'ENDED' : 'CANCELLED', last.occurrence)];
  });
  return [...current, ...gone];
}

function noticed(event: MaintenanceEvent, occurrence: PublicMaintenance): NoticedChange {
  return { subject: `maintenance ${occurrence.id} ${event}`, change: { kind: 'maintenance', event, occurrence } };
}

/** Late announcements are made as soon as possible; null = there is nothing to say now. */
function eventAt({ startsAt, endsAt }: PublicMaintenance, now: number): MaintenanceEvent | null {
  if (now >= endsAt) return now < endsAt + hourMs ? 'ENDED' : null;
  if (now >= startsAt) return now < startsAt + hourMs ? 'STARTED' : null;
  if (now >= startsAt - hourMs) return 'HOUR_BEFORE';
  return now >= startsAt - 24 * hourMs ? 'DAY_BEFORE' : null;
}

/** When there is something to say of maintenance, epoch ms. */
export function noticeTimes({ from, to }: { readonly from: number; readonly to: number }): number[] {
  return [from - 24 * hourMs, from - hourMs, from, to];
}

/** Until when it must be known what was said of an occurrence, epoch ms. */
export function knownUntil({ endsAt }: Pick<PublicMaintenance, 'endsAt'>): number {
  return endsAt + 2 * hourMs;
}

/**
 * Whether a change is still true of what is published of its page: nothing is sent of incidents that became drafts, or
 * of maintenance that was moved.
 */
export function isStillTrue(change: PageChange, snapshot: Pick<PageSnapshot, 'incidents' | 'maintenance'>): boolean {
  if (change.kind === 'update') {
    const incident = snapshot.incidents.find(({ id }) => id === change.incidentId);
    return incident?.updates.some(({ id }) => id === change.updateId) === true;
  }
  const { event, occurrence } = change;
  const isShown = snapshot.maintenance.some(({ id }) => id === occurrence.id);
  return event === 'ENDED' || (event === 'CANCELLED' ? !isShown : isShown);
}

/** Services that a change is about; null = the whole page. */
export function changedServices(change: PageChange, { incidents }: Pick<PageSnapshot, 'incidents'>) {
  if (change.kind === 'maintenance') return change.occurrence.serviceIds;
  const ids = incidents.find(({ id }) => id === change.incidentId)?.serviceIds ?? [];
  return ids.length === 0 ? null : ids;
}

/** `WITHDRAWN`: nothing was sent, because the change was not true any more or the page is not published. */
export const changeStatuses = ['DUE', 'SENDING', 'SENT', 'WITHDRAWN'] as const;

/** How far the notification of a change is. */
export interface ChangeProgress {
  readonly status: (typeof changeStatuses)[number];
  /** When sending begins or began, epoch ms. */
  readonly dueAt: number;
  /** Subscribers whose message was handed to sending, and all of them. */
  readonly notified: number;
  readonly subscribers: number;
}

/** How far the notification of one change on several pages is; null = on no page it is a change. */
export function combinedProgress(pages: readonly ChangeProgress[]): ChangeProgress | null {
  const [first] = pages;
  if (first === undefined) return null;
  const status = (['SENDING', 'DUE', 'SENT'] as const).find((each) => pages.some((page) => page.status === each));
  const total = (valueOf: (page: ChangeProgress) => number): number =>
    pages.reduce((sum, page) => sum + valueOf(page), 0);
  return {
    status: status ?? 'WITHDRAWN',
    dueAt: Math.min(...pages.map(({ dueAt }) => dueAt)),
    notified: total(({ notified }) => notified),
    subscribers: total(({ subscribers }) => subscribers),
  };
}
