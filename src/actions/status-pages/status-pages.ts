// Actions on status pages (reference §4.7).
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import {
  contrastOf,
  largestImage,
  leastContrast,
  mostServicesOfPage,
  pageBackgrounds,
  type PageImage,
  type PageImageName,
  rasterType,
  servicesOf,
  type StatusPage,
  type StatusPageWrite,
} from '#domain/status-pages/status-page.ts';
import type { StatusService } from '#domain/status-pages/status-service.ts';
import { newId } from '#lib/id.ts';
import type { PageImages, StoredImages, TakenAddress } from '#store/status-pages/status-pages.ts';
import type { Store } from '#store/store.ts';
import type { Passwords } from '../accounts/passwords.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, type Problem, Refusal, refuseProblems, orNotFound } from '../refusal.ts';
import { cursorPageOf } from './cursor-page.ts';

/** A page as a request describes it. */
export interface PageInput extends Omit<StatusPageWrite, 'passwordHash'> {
  /** null = no password; absent = as it is. */
  readonly password?: string | null;
}

/** Images as data URLs; null = remove, absent = keep. */
export type ImageInput = Readonly<Partial<Record<PageImageName, string | null>>>;

/** A page with the names of its services and its images. */
export interface ShownPage extends StatusPage {
  readonly services: ReadonlyMap<string, Pick<StatusService, 'id' | 'name'>>;
  readonly images: StoredImages;
  /** Confirmed ones. */
  readonly subscribers: number;
}

export interface StatusPageDeps extends Pick<Store, 'statusServices' | 'statusPages' | 'statusSubscribers'> {
  readonly alertChannels: Pick<Store['alertChannels'], 'kindsOf'>;
  /** Why a channel cannot be notified of changes; null = it can. */
  readonly refusesNews: (channel: Pick<AlertChannel, 'type' | 'config'>) => string | null;
  readonly passwords: Pick<Passwords, 'hash'>;
}

export type StatusPageActions = ReturnType<typeof createStatusPageActions>;

const takenMessages: Readonly<Record<TakenAddress['taken'], string>> = {
  url: 'Another page of this installation has this url. Choose another one.',
  customDomain: 'Another page of this installation has this customDomain.',
};

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createStatusPageActions(deps: StatusPageDeps) {
  const { statusPages, passwords } = deps;
  const shown = (accountId: string, pages: readonly StatusPage[]) => withShown(deps, accountId, pages);
  const shownOne = async (page: StatusPage): Promise<ShownPage> =>
    (await shown(page.accountId, [page]))[0] as ShownPage;
  return {
    /** Oldest first. */
    async list(caller: Caller, after: string | null, limit: number) {
      requirePermission(caller, 'read');
      const { rows, nextId } = cursorPageOf(await statusPages.all(caller.accountId), after, limit);
      return { rows: await shown(caller.accountId, rows), nextId };
    },
    async find(caller: Caller, id: string): Promise<ShownPage> {
      requirePermission(caller, 'read');
      const found = orNotFound(await statusPages.find(caller.accountId, id), 'status page', id);
      return shownOne(found);
    },
    /** Refuses (`invalid`) unknown services, images that are none and pale colours; `conflict` a taken address. */
    async create(caller: Caller, { password, ...input }: PageInput, images: ImageInput): Promise<ShownPage> {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const hasPassword = typeof password === 'string';
      refuseProblems(await pageProblems(deps, accountId, input, null, images, hasPassword));
      refuseProblems(await channelProblems(deps, accountId, input.alertChannelIds, []));
      const passwordHash = typeof password === 'string' ? await passwords.hash(password) : null;
      const page = { ...input, passwordHash, accountId, id: newId() };
      return shownOne(untaken(await statusPages.add(page, decoded(images))));
    },
    /** Keeps fields that are not given. Only services that it did not have must exist. */
    async change(caller: Caller, id: string, edit: (present: StatusPage) => PageInput, images: ImageInput) {
      requirePermission(caller, 'write');
      const { accountId } = caller;
      const present = orNotFound(await statusPages.find(accountId, id), 'status page', id);
      const { password, ...input } = edit(present);
      const isKept = password === undefined;
      const hasPassword = isKept ? present.passwordHash !== null : password !== null;
      refuseProblems(await pageProblems(deps, accountId, input, present, images, hasPassword));
      refuseProblems(await channelProblems(deps, accountId, input.alertChannelIds, present.alertChannelIds));
      const hash = typeof password === 'string' ? await passwords.hash(password) : null;
      const changed = await statusPages.change(
        accountId,
        id,
        (now) => {
          const { password: _password, ...write } = edit(now);
          return { ...write, passwordHash: isKept ? now.passwordHash : hash };
        },
        decoded(images),
      );
      return shownOne(untaken(orNotFound(changed, 'status page', id)));
    },
    async remove(caller: Caller, id: string): Promise<void> {
      requirePermission(caller, 'write');
      if (!(await statusPages.remove(caller.accountId, id))) throw notFound('status page', id);
    },
  };
}

/** Pages as they are shown: deleted channels are left out. */
async function withShown(
  { statusPages, statusServices, statusSubscribers, alertChannels }: StatusPageDeps,
  accountId: string,
  pages: readonly StatusPage[],
): Promise<ShownPage[]> {
  const services = new Map((await statusServices.all(accountId)).map((service) => [service.id, service]));
  const ids = pages.map(({ id }) => id);
  const images = await statusPages.images(accountId, ids);
  const subscribers = await statusSubscribers.counts(accountId, ids);
  const named = [...new Set(pages.flatMap(({ alertChannelIds }) => alertChannelIds))];
  const present = new Set((await alertChannels.kindsOf(accountId, named)).map(({ id }) => id));
  return pages.map((page) => {
    const alertChannelIds = page.alertChannelIds.filter((id) => present.has(id));
    const { id } = page;
    return { ...page, alertChannelIds, services, images: images.get(id) ?? {}, subscribers: subscribers.get(id) ?? 0 };
  });
}

function untaken(outcome: StatusPage | TakenAddress): StatusPage {
  if ('taken' in outcome) {
    const message = takenMessages[outcome.taken];
    throw new Refusal('conflict', message, { attributes: { [outcome.taken]: message } });
  }
  return outcome;
}

/** What is wrong with the channels of a page. @param known those that it had */
export async function channelProblems(
  { alertChannels, refusesNews }: Pick<StatusPageDeps, 'alertChannels' | 'refusesNews'>,
  accountId: string,
  ids: readonly number[],
  known: readonly number[],
): Promise<Problem[]> {
  const added = ids.filter((id) => !known.includes(id));
  const found = new Map((await alertChannels.kindsOf(accountId, added)).map((channel) => [channel.id, channel]));
  return added.flatMap((id): Problem[] => {
    const channel = found.get(id);
    const reason = channel === undefined ? 'is unknown' : refusesNews(channel);
    return reason === null ? [] : [{ path: 'alertChannelIds', message: `names the channel ${id}, which ${reason}` }];
  });
}

/** What is wrong with a page, beyond its schema. @param present null = it is new */
export async function pageProblems(
  { statusServices }: { readonly statusServices: Pick<StatusPageDeps['statusServices'], 'unknownOf'> },
  accountId: string,
  input: Omit<PageInput, 'password'>,
  present: StatusPage | null,
  images: ImageInput,
  hasPassword: boolean,
): Promise<Problem[]> {
  const services = servicesOf(input);
  const known = present === null ? [] : servicesOf(present);
  const unknown = await statusServices.unknownOf(
    accountId,
    services.filter((id) => !known.includes(id)),
  );
  const problems = unknown.map((id): Problem => ({ path: 'cards', message: `contains the unknown service ${id}` }));
  if (services.length > mostServicesOfPage)
    problems.push({ path: 'cards', message: `must contain at most ${mostServicesOfPage} services` });
  for (const theme of ['light', 'dark'] as const) {
    const color = input.themeColors[theme];
    if (color === null || contrastOf(color, pageBackgrounds[theme]) >= leastContrast) continue;
    const found = contrastOf(color, pageBackgrounds[theme]).toFixed(1);
    const message = `has a contrast of ${found} with the ${theme} background; it must be at least ${leastContrast}`;
    problems.push({ path: `themeColors.${theme}`, message });
  }
  for (const [name, image] of Object.entries(images)) {
    if (image === null || imageOf(image) !== null) continue;
    const message = `must be a PNG, JPEG, GIF, WebP or ICO image of at most ${largestImage / 1024} kB`;
    problems.push({ path: name, message });
  }
  if (input.visibility === 'PASSWORD' && !hasPassword)
    problems.push({ path: 'password', message: 'is required for the visibility PASSWORD' });
  return problems;
}

function imageOf(url: string): PageImage | null {
  const content = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  const mediaType = rasterType(content);
  return mediaType === null || content.length > largestImage ? null : { mediaType, content };
}

/** Images of data URLs that have no problem. */
export function decoded(images: ImageInput): PageImages {
  return Object.fromEntries(Object.entries(images).map(([name, url]) => [name, url === null ? null : imageOf(url)]));
}
