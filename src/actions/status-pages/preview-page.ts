// Renders a status page as its form describes it, without saving it.
import { zoneOf } from '#domain/accounts/time-zone.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { buildSnapshot, publicIncident } from '#domain/status-pages/build-snapshot.ts';
import {
  type PageSnapshot,
  type PublicDay,
  type PublicService,
  shownDays,
} from '#domain/status-pages/page-snapshot.ts';
import { type PageImage, type PageImageName, servicesOf } from '#domain/status-pages/status-page.ts';
import { isManual, type StatusService } from '#domain/status-pages/status-service.ts';
import { dayMs, dayOf, noTimes } from '#domain/results/roll-up.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import { createTimeSlices } from '#lib/time-slices.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { occurrenceIdOf, shownOccurrences } from './page-snapshots.ts';
import { createReadMembers, type MembersDeps } from './service-states.ts';
import { decoded, type ImageInput, type PageInput } from './status-pages.ts';

/** A rendered page without links to files. */
export interface RenderedPreview {
  readonly html: string;
  readonly style: string;
}

export interface PreviewDeps extends MembersDeps {
  readonly accounts: Pick<Store['accounts'], 'list'>;
  readonly statusServices: Pick<Store['statusServices'], 'all'>;
  readonly statusIncidents: Pick<Store['statusIncidents'], 'list'>;
  readonly statusSnapshots: Pick<Store['statusSnapshots'], 'locations' | 'snapshot'>;
  readonly render: (
    snapshot: PageSnapshot,
    images: Readonly<Partial<Record<PageImageName, PageImage>>>,
  ) => RenderedPreview;
  /** IANA zone of the server. */
  readonly serverTimeZone: string;
  readonly clock: Clock;
}

/** Newest published incidents that are looked at. */
const mostIncidents = 100;

export type PreviewActions = ReturnType<typeof createPreviewActions>;

export function createPreviewActions(deps: PreviewDeps) {
  const readMembers = createReadMembers(deps);
  const inSlices = createTimeSlices();
  return {
    /** @param pageId of the page that is edited, whose last publication has the days of its services; null = a new one */
    async render(
      caller: Caller,
      input: PageInput,
      images: ImageInput,
      pageId: string | null,
    ): Promise<RenderedPreview> {
      requirePermission(caller, 'read');
      const { accountId } = caller;
      const now = deps.clock.now();
      const shown = new Set(servicesOf(input));
      const services = (await deps.statusServices.all(accountId)).filter(({ id }) => shown.has(id));
      const { members } = await readMembers(accountId, services, now);
      const incidents = await deps.statusIncidents.list(accountId, { isDraft: false }, null, mostIncidents);
      const windows = new Set([...members.values()].flatMap((facts) => [...facts.windows]));
      const last = pageId === null ? null : await deps.statusSnapshots.snapshot(accountId, pageId);
      const published = new Map((last?.cards ?? []).flatMap(({ services: all }) => all.map((each) => [each.id, each])));
      const [account] = await deps.accounts.list([accountId]);
      const page = { ...input, passwordHash: null, accountId, id: pageId ?? newId(), createdAt: now, updatedAt: null };
      const own = { images: {}, takesSubscribers: page.allowSubscribers && (last?.page.takesSubscribers ?? false) };
      const snapshot = buildSnapshot(page, own, {
        now,
        timeZone: zoneOf(account, deps.serverTimeZone),
        services: new Map(services.map((service) => [service.id, service])),
        members,
        incidents: incidents.flatMap((incident) => publicIncident(incident, now) ?? []),
        maintenance: await inSlices(
          accountId,
          shownOccurrences(
            [...windows].filter((window) => window.isPublic),
            now,
          ),
        ),
        occurrenceId: occurrenceIdOf(accountId),
        days: new Map(services.map((service) => [service.id, daysOf(service, published.get(service.id), now)])),
        responseTimes: new Map([...published].map(([id, service]) => [id, service.responseTimes])),
      });
      return deps.render(snapshot, imagesOf(images));
    },
  };
}

/** The published days; without them, as many without data. */
function daysOf(service: StatusService, published: PublicService | undefined, now: number): readonly PublicDay[] {
  if (published !== undefined && published.days.length > 0) return published.days;
  if (isManual(service)) return [];
  const today = dayOf(now);
  return Array.from({ length: shownDays }, (_, index) => ({ at: today - (shownDays - 1 - index) * dayMs, ...noTimes }));
}

function imagesOf(images: ImageInput): Parameters<PreviewDeps['render']>[1] {
  return Object.fromEntries(Object.entries(decoded(images)).filter(([, image]) => image != null));
}
