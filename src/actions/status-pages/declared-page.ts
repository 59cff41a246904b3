// Validates a status page as a project declares it: as a whole, with what it keeps of the stored one.
import type { PageCard, StatusPage, StatusPageWrite } from '#domain/status-pages/status-page.ts';
import type { PageImages } from '#store/status-pages/status-pages.ts';
import { refuseProblems } from '../refusal.ts';
import type { PageAccess } from './page-access.ts';
import {
  channelProblems,
  decoded,
  type ImageInput,
  type PageInput,
  pageProblems,
  type StatusPageDeps,
} from './status-pages.ts';

/** A page of a project. A password of null keeps the stored one. */
export interface DeclaredPage {
  readonly page: PageInput;
  readonly images: ImageInput;
}

export interface DeclaredPageDeps extends Pick<StatusPageDeps, 'alertChannels' | 'refusesNews'> {
  readonly statusServices: Pick<StatusPageDeps['statusServices'], 'unknownOf'>;
  readonly passwords: Pick<PageAccess, 'hash' | 'isPassword'>;
}

/** Refuses (`invalid`) like `create` and `change`. @param present null = it is new */
export async function declaredPage(
  accountId: string,
  pageId: string,
  { page: { password = null, ...input }, images }: DeclaredPage,
  present: StatusPage | null,
  { passwords, ...deps }: DeclaredPageDeps,
): Promise<{ readonly page: StatusPageWrite; readonly images: PageImages }> {
  const kept = present?.passwordHash ?? null;
  const hasPassword = password !== null || kept !== null;
  refuseProblems(await pageProblems(deps, accountId, input, present, images, hasPassword));
  refuseProblems(await channelProblems(deps, accountId, input.alertChannelIds, present?.alertChannelIds ?? []));
  const guarded = { accountId, pageId, passwordHash: kept };
  const isKept = password === null || (kept !== null && (await passwords.isPassword(guarded, password)));
  const passwordHash = isKept ? kept : await passwords.hash(password);
  const cards = withKnownIds(input.cards, present?.cards ?? []);
  return { page: { ...input, cards, passwordHash }, images: decoded(images) };
}

/** Cards with the IDs of present ones that have the same name. */
function withKnownIds(cards: readonly PageCard[], present: readonly PageCard[]): PageCard[] {
  const left = [...present];
  return cards.map((card) => {
    const at = left.findIndex(({ name }) => name === card.name);
    const [same] = at === -1 ? [] : left.splice(at, 1);
    return { ...card, id: same?.id ?? card.id };
  });
}
