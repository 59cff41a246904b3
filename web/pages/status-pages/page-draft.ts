// A status page as its form holds it.
import type { FormValue } from '#lib/schema/form.ts';
import { textsOf } from '../../ui/check-settings/section.ts';
import { type Draft, textOf } from '../../ui/form/draft.ts';
import { itemsOf } from '../../ui/form/pairs.tsx';
import type { StatusPage } from './frame.tsx';

/** The draft of a page; null = a new one. */
export function pageDraft(page: StatusPage | null): Draft {
  const cards = page?.cards ?? [{ id: null, name: '', services: [] }];
  return {
    name: page?.name ?? '',
    url: page?.url ?? '',
    customDomain: page?.customDomain ?? '',
    description: page?.description ?? '',
    isPublished: page?.isPublished ?? false,
    visibility: page?.visibility ?? 'PUBLIC',
    password: '',
    allowIndexing: page?.allowIndexing ?? true,
    language: page?.language ?? 'en',
    timeZone: page?.timeZone ?? '',
    cards: cards.map(({ id, name, services }) => ({
      key: id ?? 'first',
      id,
      name,
      services: services.map((service) => service.id),
    })),
    logo: page?.logo ?? null,
    favicon: page?.favicon ?? null,
    redirectTo: page?.redirectTo ?? '',
    defaultTheme: page?.defaultTheme ?? 'AUTO',
    light: page?.themeColors.light ?? '',
    dark: page?.themeColors.dark ?? '',
    links: (page?.links ?? []).map(({ label, url }) => ({ label, url })),
    footerText: page?.footerText ?? '',
    showResponseTimes: page?.showResponseTimes ?? false,
    texts: page?.texts ?? {},
    allowSubscribers: page?.allowSubscribers ?? true,
    alertChannelIds: page?.alertChannelIds ?? [],
  };
}

/** The body of a write. The server describes and validates it. */
export function pageBody(draft: Draft): Draft {
  const { password, cards, light, dark, ...rest } = draft;
  const given = ['customDomain', 'description', 'timeZone', 'redirectTo', 'footerText'] as const;
  return {
    ...rest,
    ...Object.fromEntries(given.map((name) => [name, orNull(draft[name])])),
    ...(textOf(password) !== '' && textOf(draft['visibility']) === 'PASSWORD' && { password: textOf(password) }),
    themeColors: { light: orNull(light), dark: orNull(dark) },
    // An empty card of a new page is no card.
    cards: itemsOf(cards)
      .filter(({ id, name, services }) => id !== null || textOf(name) !== '' || textsOf(services).length > 0)
      .map(({ id, name, services }) => ({
        ...(typeof id === 'string' && { id }),
        name: textOf(name),
        services: textsOf(services),
      })),
  };
}

function orNull(value: FormValue | undefined): string | null {
  return textOf(value).trim() || null;
}

/** The name as the last part of an address: `Example status` → `example-status`. */
export function urlOf(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-|-$/g, '');
}
