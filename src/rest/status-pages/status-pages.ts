// Routes of status pages (reference §4.7).
import type { PreviewActions } from '#actions/status-pages/preview-page.ts';
import type { ImageInput, PageInput, ShownPage, StatusPageActions } from '#actions/status-pages/status-pages.ts';
import { pageAddress, type PageAddresses } from '#actions/status-pages/page-access.ts';
import type { StatusPageBody, StatusPageCreate } from '#contract/status-pages/status-page.ts';
import { merged } from '#domain/patch.ts';
import type { PageImage, PageImageName, StatusPage } from '#domain/status-pages/status-page.ts';
import { newId } from '#lib/id.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull, written } from '../wire.ts';
import { cursorBody, namedServices } from './cursor-body.ts';

export function statusPageRoutes(actions: StatusPageActions, addresses: PageAddresses): Route[] {
  const toWire = (page: ShownPage): StatusPageBody => pageToWire(page, addresses);
  return [
    route('listStatusPages', async ({ caller, query: { nextId = null, limit } }) =>
      cursorBody(await actions.list(caller, nextId, limit), toWire),
    ),
    route('createStatusPage', async ({ caller, body }) => {
      const { page, images } = pageInput(body);
      return toWire(await actions.create(caller, page, images));
    }),
    route('getStatusPage', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('updateStatusPage', async ({ caller, params, body }) => {
      const { logo, favicon, cards, ...change } = body;
      const edit = (present: StatusPage): PageInput => ({
        ...present,
        ...merged<Omit<PageInput, 'cards'>>(change, present),
        ...(cards !== undefined && { cards: cardsOf(cards) }),
      });
      return toWire(await actions.change(caller, params.id, edit, given({ logo, favicon })));
    }),
    route('deleteStatusPage', ({ caller, params }) => actions.remove(caller, params.id)),
  ];
}

export function pagePreviewRoute(actions: PreviewActions): Route {
  return route('previewStatusPage', async ({ caller, body: { pageId, ...body } }) => {
    const { page, images } = pageInput(body);
    return actions.render(caller, page, images, pageId);
  });
}

/** The page and the images that a body describes. */
export function pageInput({ logo, favicon, cards, ...page }: StatusPageCreate): {
  readonly page: PageInput;
  readonly images: ImageInput;
} {
  return { page: { ...page, cards: cardsOf(cards) }, images: { logo, favicon } };
}

function cardsOf(cards: StatusPageCreate['cards']): StatusPage['cards'] {
  return cards.map(({ id = newId(), name, services }) => ({ id, name, serviceIds: services }));
}

function given(images: Readonly<Record<PageImageName, string | null | undefined>>): ImageInput {
  return Object.fromEntries(Object.entries(images).filter(([, image]) => image !== undefined));
}

/** A page as responses show it. */
export function pageToWire(page: ShownPage, addresses: PageAddresses): StatusPageBody {
  const { accountId, passwordHash, createdAt, updatedAt, services, images, cards, ...shown } = page;
  return {
    ...written(shown),
    pageUrl: pageAddress(page, addresses),
    isPrivate: page.visibility !== 'PUBLIC',
    hasPassword: passwordHash !== null,
    logo: dataUrl(images.logo),
    favicon: dataUrl(images.favicon),
    cards: cards.map(({ id, name, serviceIds }) => ({
      id,
      name,
      services: namedServices(accountId, serviceIds, services),
    })),
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  };
}

function dataUrl(image: PageImage | undefined): string | null {
  return image === undefined ? null : `data:${image.mediaType};base64,${Buffer.from(image.content).toString('base64')}`;
}
