// What all files of a page share: its snapshot with clean texts, its writer, and the names of its other files.
import { createHash } from 'node:crypto';
import type {
  PageSnapshot,
  PublicIncident,
  PublicMaintenance,
  PublicService,
} from '#domain/status-pages/page-snapshot.ts';
import type { PageImage, PageImageName } from '#domain/status-pages/status-page.ts';
import { cleanText } from '#lib/markup/clean-text.ts';
import { pageScript } from './html/page-script.ts';
import { pageStyle } from './html/page-style.ts';
import { createPageWriter, type PageWriter } from './texts/page-writer.ts';

/** A file of a published page. */
export interface PublishedFile {
  readonly mediaType: string;
  readonly content: string | Uint8Array;
}

export type PageImages = Readonly<Partial<Record<PageImageName, PageImage>>>;

export interface PageView {
  readonly snapshot: PageSnapshot;
  readonly writer: PageWriter;
  /** Address of the page, ending in a slash; null = not known here: links are relative. */
  readonly address: string | null;
  /** Services by ID, each once. */
  readonly services: ReadonlyMap<string, PublicService>;
  /** Paths of style, script and images. */
  readonly assets: Readonly<Record<'style' | 'script', string>> & Readonly<Partial<Record<PageImageName, string>>>;
  readonly assetFiles: ReadonlyMap<string, PublishedFile>;
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/x-icon': 'ico',
};

export function createPageView(raw: PageSnapshot, images: PageImages, address: string | null): PageView {
  const snapshot = cleaned(raw);
  const { customDomain } = snapshot.page;
  const files = new Map<string, PublishedFile>();
  const add = (name: string, extension: string, mediaType: string, content: string | Uint8Array): string => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
    const path = `assets/${name}-${hash}.${extension}`;
    files.set(path, { mediaType, content });
    return path;
  };
  const style = add('style', 'css', 'text/css; charset=utf-8', pageStyle(snapshot.page));
  const script = add('script', 'js', 'text/javascript; charset=utf-8', pageScript);
  const shown: Partial<Record<PageImageName, string>> = {};
  for (const name of ['logo', 'favicon'] as const) {
    const image = images[name];
    const extension = extensions[image?.mediaType ?? ''];
    if (image !== undefined && extension !== undefined)
      shown[name] = add(name, extension, image.mediaType, image.content);
  }
  return {
    snapshot,
    writer: createPageWriter(snapshot),
    address: address ?? (customDomain === null ? null : `https://${customDomain}/`),
    services: new Map(snapshot.cards.flatMap(({ services }) => services.map((service) => [service.id, service]))),
    assets: { style, script, ...shown },
    assetFiles: files,
  };
}

/** The same value with every text cleaned: no format can carry other characters. */
function cleaned<Value>(value: Value): Value {
  if (typeof value === 'string') return cleanText(value) as Value;
  if (Array.isArray(value)) return value.map((each: unknown) => cleaned(each)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleaned(each)])) as Value;
}

/** Names of services of the page, in the order of the page. */
function namesOf({ services }: PageView, ids: readonly string[]): string[] {
  const wanted = new Set(ids);
  return [...services.values()].flatMap(({ id, name }) => (wanted.has(id) ? [name] : []));
}

/** Most characters of a list of names: pages repeat them with each of hundreds of incidents. */
const longestNames = 1000;

/** Names of services of the page in one text, as many as fit. */
export function listedNames(view: PageView, ids: readonly string[]): string {
  const names = namesOf(view, ids);
  let length = 0;
  const fitting = names.filter((name) => (length += name.length + 2) <= longestNames);
  return fitting.length === names.length ? names.join(', ') : [...fitting, '…'].join(', ');
}

export function openIncidents({ snapshot }: PageView): PublicIncident[] {
  return snapshot.incidents.filter(({ resolvedAt }) => resolvedAt === null);
}

/** Maintenance in progress and ahead, by start. */
export function currentMaintenance({ snapshot }: PageView): Record<'now' | 'ahead', PublicMaintenance[]> {
  const { maintenance, builtAt } = snapshot;
  return {
    now: maintenance.filter(({ startsAt, endsAt }) => startsAt <= builtAt && endsAt > builtAt),
    ahead: maintenance.filter(({ startsAt }) => startsAt > builtAt),
  };
}

export function incidentPath({ id }: Pick<PublicIncident, 'id'>): string {
  return `incidents/${id}.html`;
}

/** The history of the UTC month of an instant. */
export function historyPath(at: number): string {
  return `history/${new Date(at).toISOString().slice(0, 7)}.html`;
}

/** Mark of a UTC day on the page of its month. */
export function dayMark(at: number): string {
  return `d${new Date(at).toISOString().slice(0, 10)}`;
}
