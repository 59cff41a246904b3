// Builds the snapshots of an account's status pages from what is stored.
import { hash } from 'node:crypto';
import type { CheckType } from '#domain/checks/check.ts';
import {
  type CalendarEntry,
  type MaintenanceWindow,
  occurrencesIn,
  nextOccurrence,
} from '#domain/checks/maintenance-window.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Sliced } from '#domain/sliced.ts';
import { dayMs } from '#domain/results/roll-up.ts';
import { createReadDays } from './service-days.ts';
import { createReadResponseTimes } from './response-times.ts';
import { createReadMembers } from './service-states.ts';
import { zoneOf } from '#domain/accounts/time-zone.ts';
import { type AccountFacts, buildSnapshot, publicIncident } from '#domain/status-pages/build-snapshot.ts';
import { noticeTimes, maintenanceChanges, updateChanges } from '#domain/status-pages/page-changes.ts';
import type { PageSnapshot, PublicPage, PublicMaintenance } from '#domain/status-pages/page-snapshot.ts';
import { followedChecks, followedServices, publishedServices } from '#domain/status-pages/followed-services.ts';
import { reopenedMs } from '#domain/status-pages/propose-incidents.ts';
import { isToSettle, type StatusIncident } from '#domain/status-pages/status-incident.ts';
import { servicesOf, type StatusPage } from '#domain/status-pages/status-page.ts';
import type { Clock } from '#lib/clock.ts';
import { derivedId } from '#lib/id.ts';
import { createTimeSlices } from '#lib/time-slices.ts';
import type { Store } from '#store/store.ts';
import { createProposeIncidents } from './propose-incidents.ts';
import { createRecent } from '#lib/recent.ts';

export interface SnapshotDeps {
  readonly store: Store;
  /** As the overview has it, which shares what is read. */
  readonly targetOf: (checkType: CheckType, settings: JsonObject) => string | null;
  /** Whether mail can be sent for an account. */
  readonly sendsMail: (accountId: string) => boolean;
  /** IANA zone of the server. */
  readonly serverTimeZone: string;
  readonly clock: Clock;
}

/** Most incidents, and most occurrences of maintenance in the past and ahead. */
const [mostIncidents, mostOccurrences] = [100, 200];
const [incidentDays, pastDays, nextDays] = [365, 90, 60];
/** How often a snapshot is stored whose content is the same, ms. */
const everyMs = 60_000;
/** When pages are built again whose past days are not all counted yet, ms. */
const goesOnMs = 1000;
/** Occurrences that are looked at to find the last ones of the past. */
const mostLooked = 2000;

/**
 * Builds and stores the snapshots of all pages of an account; returns when they are to be built again though nothing was
 * changed, epoch ms.
 */
export function createPublishAccount({ store, targetOf, sendsMail, serverTimeZone, clock }: SnapshotDeps) {
  const inSlices = createTimeSlices();
  const readMembers = createReadMembers({ ...store, targetOf });
  const readDays = createReadDays({ ...store, inSlices });
  const readTimes = createReadResponseTimes({ ...store, inSlices });
  const readImages = createReadImages(store);
  const propose = createProposeIncidents({ ...store, clock });
  return async (accountId: string): Promise<number> => {
    const pages = await store.statusPages.all(accountId);
    const now = clock.now();
    const used = new Set(pages.flatMap(servicesOf));
    const services = (await store.statusServices.all(accountId)).filter(({ id }) => used.has(id));
    const { checks, windows, named, members } = await readMembers(accountId, services, now);
    const touching = new Set(
      [...members.values()].flatMap((facts) => [...facts.windows].filter((each) => each.isPublic)),
    );
    const recent = await store.statusIncidents.recent(accountId, now - reopenedMs);
    const published = publishedServices(pages, services);
    const proposers = new Set(recent.map(({ proposedFor }) => proposedFor));
    const failing = await inSlices(accountId, followedChecks(published, checks, proposers, windows, now));
    await propose(accountId, [...failing, ...followedServices(published, members)], recent);
    const incidents = await readIncidents(store, accountId, now);
    const days = await readDays({ accountId, services, named, now });
    const timedIds = new Set(pages.filter(({ showResponseTimes }) => showResponseTimes).flatMap(servicesOf));
    const timed = services.filter(({ id }) => timedIds.has(id));
    const [account] = await store.accounts.list([accountId]);
    const facts: AccountFacts = {
      now,
      timeZone: zoneOf(account, serverTimeZone),
      services: new Map(services.map((service) => [service.id, service])),
      members,
      incidents: incidents.flatMap((incident) => publicIncident(incident, now) ?? []),
      maintenance: await inSlices(accountId, shownOccurrences([...touching], now)),
      occurrenceId: occurrenceIdOf(accountId),
      days: days.days,
      responseTimes: await readTimes({ accountId, services: timed, named, now }),
    };
    const note = await createNoteChanges(store, accountId, { ...facts, incidents, windows });
    const againAt = await writePages({ ...store, readImages }, pages, facts, sendsMail(accountId), note);
    return Math.min(againAt, days.isComplete ? (nextChange(incidents, facts) ?? Infinity) : now + goesOnMs);
  };
}

/** Stores what is published anew, and each minute what is not; returns when the next is due, epoch ms. */
async function writePages(
  {
    statusSnapshots,
    readImages,
  }: Pick<Store, 'statusSnapshots'> & { readonly readImages: ReturnType<typeof createReadImages> },
  pages: readonly StatusPage[],
  facts: AccountFacts,
  sendsMail: boolean,
  note: (page: StatusPage, snapshot: PageSnapshot) => Promise<void>,
): Promise<number> {
  const { now } = facts;
  const accountId = pages[0]?.accountId ?? '';
  const stored = await statusSnapshots.ofAccount(accountId);
  let againAt = now + everyMs;
  for (const page of pages) {
    const images = await readImages(page);
    const takesSubscribers = sendsMail && page.allowSubscribers && page.visibility !== 'ACCOUNT';
    const snapshot = buildSnapshot(page, { images, takesSubscribers }, facts);
    const fingerprint = fingerprintOf(page, snapshot);
    const before = stored.get(page.id);
    // Every result of a check may be a reason to build, and few change anything.
    const isSame = before?.fingerprint === fingerprint && Math.abs(now - before.builtAt) < everyMs;
    if (isSame) againAt = Math.min(againAt, before.builtAt + everyMs);
    else await statusSnapshots.write(accountId, [{ snapshot, fingerprint }]);
    await note(page, snapshot);
    await breathe();
  }
  return againAt;
}

/** Open ones with drafts, and published ones of the last year, newest first; those that time alone changes are settled. */
async function readIncidents(
  { statusIncidents }: SnapshotDeps['store'],
  accountId: string,
  now: number,
): Promise<StatusIncident[]> {
  const recent = await statusIncidents.published(accountId, now - incidentDays * dayMs, mostIncidents);
  const known = new Set(recent.map(({ id }) => id));
  const open = (await statusIncidents.open(accountId)).filter(({ id }) => !known.has(id));
  const all: StatusIncident[] = [];
  for (const incident of [...recent, ...open]) {
    if (isToSettle(incident, now)) {
      await statusIncidents.settle(accountId, incident.id);
      all.push((await statusIncidents.find(accountId, incident.id)) ?? incident);
    } else all.push(incident);
  }
  return all.sort((one, other) => other.startedAt - one.startedAt);
}

/** Identifies occurrences of maintenance of an account. */
export function occurrenceIdOf(accountId: string): AccountFacts['occurrenceId'] {
  return ({ id }, startsAt) => derivedId(startsAt, accountId, id);
}

/** The last ones of the past, those in progress and the next ones, by start. */
export function* shownOccurrences(windows: readonly MaintenanceWindow[], now: number): Sliced<CalendarEntry[]> {
  const past = yield* occurrencesIn(windows, { from: now - pastDays * dayMs, to: now }, mostLooked);
  const ahead = yield* occurrencesIn(windows, { from: now, to: now + nextDays * dayMs }, mostOccurrences);
  return [...past.entries.filter(({ planned }) => planned.to <= now).slice(-mostOccurrences), ...ahead.entries];
}

/** When the next draft or update becomes public, or the next maintenance begins or ends. */
function nextChange(incidents: readonly StatusIncident[], { maintenance, now }: AccountFacts): number | null {
  const bounds = maintenance.flatMap(({ span }) => (span === null ? [] : noticeTimes(span)));
  const updates = incidents.flatMap(({ isDraft, publishAt, updates: all }) =>
    isDraft ? (publishAt ?? []) : all.map(({ publicAt }) => publicAt),
  );
  const ahead = [...bounds, ...updates].filter((at) => at > now);
  return ahead.length === 0 ? null : ahead.reduce((one, other) => Math.min(one, other));
}

/** Tells contents apart, and who may see them, whatever the time. */
function fingerprintOf({ isPublished, passwordHash }: StatusPage, snapshot: PageSnapshot): string {
  return hashOf(JSON.stringify([isPublished, passwordHash, { ...snapshot, builtAt: 0 }]));
}

const hashOf = (content: string): string => hash('sha256', content).slice(0, 32);
const breathe = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Pages whose hashes are remembered. */
const mostPages = 10_000;

/** Reads the media types and hashes of the images of a page. */
function createReadImages({ statusPages }: { readonly statusPages: Pick<Store['statusPages'], 'images'> }) {
  const known = createRecent<PublicPage['images']>({ max: mostPages, sizeOf: () => 1 });
  return async ({ accountId, id, updatedAt }: StatusPage): Promise<PublicPage['images']> => {
    const key = `${id} ${updatedAt ?? ''}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const own = (await statusPages.images(accountId, [id])).get(id) ?? {};
    const images = Object.fromEntries(
      Object.entries(own).map(([name, { mediaType, content }]) => [
        name,
        { mediaType, hash: hash('sha256', content).slice(0, 32) },
      ]),
    );
    known.set(key, images);
    return images;
  };
}

interface NoteChangesFacts extends Pick<AccountFacts, 'now' | 'occurrenceId'> {
  readonly incidents: readonly StatusIncident[];
  /** All windows of the account. */
  readonly windows: readonly MaintenanceWindow[];
}

/** Prepares to note the changes of pages of an account; the result notes those of one page. */
async function createNoteChanges(
  { pageChanges }: Pick<Store, 'pageChanges'>,
  accountId: string,
  { now, incidents, windows, occurrenceId }: NoteChangesFacts,
): Promise<(page: StatusPage, snapshot: PageSnapshot) => Promise<void>> {
  const open = Map.groupBy(await pageChanges.openMaintenance(accountId, now), ({ pageId }) => pageId);
  const updates = new Map(incidents.flatMap((incident) => incident.updates.map((update) => [update.id, update])));
  const isHeld = ({ id, startsAt }: PublicMaintenance): boolean =>
    windows.some(
      (window) => occurrenceId(window, startsAt) === id && nextOccurrence(window, startsAt)?.from === startsAt,
    );
  return async (page, snapshot) => {
    const noticed = [
      ...updateChanges(snapshot, updates),
      ...maintenanceChanges(snapshot, open.get(page.id) ?? [], isHeld),
    ];
    if (noticed.length === 0) return;
    const subjects = noticed.map(({ subject }) => subject);
    const unknown = await pageChanges.newOf(accountId, page.id, subjects);
    const changes = noticed.filter(({ subject }) => unknown.has(subject));
    if (changes.length === 0) return;
    // Of a draft, nothing is sent, also not later.
    await pageChanges.note({ accountId, pageId: page.id }, changes, page.isPublished, now);
  };
}
