// Status pages: what an account shows its customers of its services.

export const pageVisibilities = ['PUBLIC', 'PASSWORD', 'LINK', 'ACCOUNT'] as const;
/** Who sees a published page: all, holders of its password or link, or people of the account. */
export type PageVisibility = (typeof pageVisibilities)[number];

export const pageThemes = ['AUTO', 'DARK', 'LIGHT'] as const;
export type PageTheme = (typeof pageThemes)[number];

export const pageLanguages = ['en', 'de'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

export const imageNames = ['logo', 'favicon'] as const;
export type PageImageName = (typeof imageNames)[number];

/** Services under a heading. */
export interface PageCard {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly serviceIds: readonly string[];
}

/** A link in the footer. */
export interface PageLink {
  readonly label: string;
  /** http, https or mailto. */
  readonly url: string;
}

/** A raster image. */
export interface PageImage {
  readonly mediaType: string;
  readonly content: Uint8Array;
}

/** A status page. Instants are epoch ms. */
export interface StatusPage {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  /** Last part of its address, unique in the installation. */
  readonly url: string;
  /** Host name that serves only this page, unique in the installation; null = none. */
  readonly customDomain: string | null;
  readonly description: string | null;
  /** false = a draft, which only the account sees. */
  readonly isPublished: boolean;
  readonly visibility: PageVisibility;
  /** Hash of its password; null = none. */
  readonly passwordHash: string | null;
  readonly defaultTheme: PageTheme;
  /** Accent colours on the light and the dark background, `#rrggbb`; null = the default. */
  readonly themeColors: { readonly light: string | null; readonly dark: string | null };
  /** Where the logo leads; null = the page itself. */
  readonly redirectTo: string | null;
  readonly links: readonly PageLink[];
  readonly footerText: string | null;
  readonly language: PageLanguage;
  /** Texts that replace those of the language, by key. */
  readonly texts: Readonly<Record<string, string>>;
  /** IANA zone of the page as readers without JavaScript see it; null = that of the account. */
  readonly timeZone: string | null;
  readonly showResponseTimes: boolean;
  readonly allowIndexing: boolean;
  /** Whether visitors may subscribe by email. */
  readonly allowSubscribers: boolean;
  readonly cards: readonly PageCard[];
  /** Channels of the account that are notified of changes. */
  readonly alertChannelIds: readonly number[];
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Fields of a page that a write sets. */
export type StatusPageWrite = Omit<StatusPage, 'accountId' | 'id' | 'createdAt' | 'updatedAt'>;

/** Most cards of a page, services of a card and services of a page. */
export const [mostCards, mostServicesOfCard, mostServicesOfPage] = [30, 100, 200];
/** Most channels of a page. */
export const mostChannelsOfPage = 20;
/** Most bytes of an image: the first view of a page takes at most 60 kB. */
export const largestImage = 32_768;

const words = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Whether it can be the last part of a page's address. */
export function isPageUrl(url: string): boolean {
  return words.test(url);
}

/** Whether it is a host name of at least two labels, in lower case and without port. */
export function isHostName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => words.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}

/** IDs of the services on a page, each once. */
export function servicesOf({ cards }: Pick<StatusPage, 'cards'>): string[] {
  return [...new Set(cards.flatMap(({ serviceIds }) => serviceIds))];
}

/** First bytes of raster images, in hex; `..` = any byte. */
const signatures: readonly (readonly [mediaType: string, start: string])[] = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '52494646........57454250'],
  ['image/x-icon', '00000100'],
];

/** The media type of a raster image by its first bytes; null = it is none. */
export function rasterType(content: Uint8Array): string | null {
  const digits = Array.from(content.subarray(0, 12), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return signatures.find(([, start]) => new RegExp(`^${start}`).test(digits))?.[0] ?? null;
}

/** Lowest contrast of an accent colour with its background (WCAG 2.2, AA). */
export const leastContrast = 4.5;
/** Backgrounds of the page, light and dark. */
export const pageBackgrounds = { light: '#ffffff', dark: '#14171c' } as const;

/** Contrast of two colours `#rrggbb`, 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Address of a page, with a slash at its end. @param publicUrl of this installation, without one */
export function pageRoot({ url, customDomain }: Pick<StatusPage, 'url' | 'customDomain'>, publicUrl: string): string {
  return customDomain === null ? `${publicUrl}/status/${url}/` : `https://${customDomain}/`;
}
