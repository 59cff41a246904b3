// Drafts of declared status pages and their services.
import { createHash } from 'node:crypto';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { JsonObject } from '#domain/json.ts';
import { imageNames, type StatusPageWrite } from '#domain/status-pages/status-page.ts';
import type { PageImages } from '#store/status-pages/status-pages.ts';
import { declaredPage, type DeclaredPageDeps } from '../status-pages/declared-page.ts';
import { refuseUnknownMembers, type StatusServiceDeps } from '../status-pages/status-services.ts';
import { type Drafted, type Identity, plain, unmanaged } from './draft-records.ts';
import type { ResourceInputs } from './inputs.ts';

export async function draftedService(
  { accountId }: Caller,
  write: ResourceInputs['status-service'],
  { stored }: Identity<'status-service'>,
  windows: StatusServiceDeps['maintenanceWindows'],
): Promise<Drafted<'status-service'>> {
  await refuseUnknownMembers(windows, accountId, write, stored);
  return {
    write,
    name: write.name,
    declared: plain(write, unmanaged),
    stored: stored && plain(stored, unmanaged),
    changedSecret: null,
  };
}

export async function draftedPage(
  { accountId }: Caller,
  input: ResourceInputs['status-page'],
  { stored, physicalId }: Identity<'status-page'>,
  deps: DeclaredPageDeps,
): Promise<Drafted<'status-page'>> {
  const { page, images } = await declaredPage(accountId, physicalId, input, stored?.page ?? null, deps);
  const isNewPassword = stored !== null && page.passwordHash !== stored.page.passwordHash;
  return {
    write: { page, images },
    name: page.name,
    declared: documentOf(page, images),
    stored: stored && documentOf(stored.page, stored.images),
    changedSecret: isNewPassword ? 'password' : null,
  };
}

/** A page as it is compared: an image is its size and hash, and a card has no ID. */
function documentOf({ cards, ...page }: StatusPageWrite, images: PageImages): JsonObject {
  return {
    ...plain(page, [...unmanaged, 'passwordHash']),
    ...Object.fromEntries(imageNames.map((name) => [name, shownImage(images[name])])),
    cards: cards.map(({ name, serviceIds }) => ({ name, services: serviceIds })),
  };
}

function shownImage(image: PageImages['logo']): string | null {
  if (!image) return null;
  const hash = createHash('sha256').update(image.content).digest('hex').slice(0, 16);
  return `${image.mediaType}, ${image.content.length} bytes, SHA-256 ${hash}`;
}
