// Feeds of a page as Atom and RSS 2.0: updates of incidents, newest first.
import { incidentPath, listedNames, type PageView } from '../page-view.ts';
import { updateWord } from '../html/incidents.ts';
import { type Html, markup } from '#lib/markup/html.ts';
import { renderMarkdown } from '../markdown.ts';

/** An update of an incident. */
export interface NewsEntry {
  readonly id: string;
  readonly title: string;
  /** Relative to the page. */
  readonly path: string;
  /** Epoch ms. */
  readonly at: number;
  readonly content: Html;
}

/** Most entries of a feed. */
const mostEntries = 50;

export function newsOf(view: PageView): NewsEntry[] {
  return view.snapshot.incidents
    .flatMap((incident) => {
      const names = listedNames(view, incident.serviceIds);
      return incident.updates.map((update) => ({ incident, update, names }));
    })
    .sort((one, other) => other.update.at - one.update.at)
    .slice(0, mostEntries)
    .map(({ incident, update, names }) => ({
      id: update.id,
      title: `${incident.name}: ${updateWord(view.writer, update)}`,
      path: `${incidentPath(incident)}#u-${update.id}`,
      at: update.at,
      content: markup`${renderMarkdown(update.description)}${names !== '' && markup`<p>${view.writer.plain('incident.affects', { services: names })}</p>`}`,
    }));
}

/** When the feed last changed, epoch ms: it stays the same while nothing happens. */
export function lastChange(entries: readonly NewsEntry[]): number {
  return entries[0]?.at ?? 0;
}

export function renderAtom(view: PageView): string {
  const { page } = view.snapshot;
  const entries = newsOf(view);
  // Relative references are resolved against the address of the feed.
  const address = (path: string): string => `${view.address ?? ''}${path}`;
  const items = entries.map(({ id, title, path, at, content }) => {
    const updated = new Date(at).toISOString();
    return markup`<entry><id>urn:uuid:${id}</id><title>${title}</title><link href="${address(path)}"/><updated>${updated}</updated><published>${updated}</published><content type="html">${content.text}</content></entry>\n`;
  });
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${view.writer.language}"><id>urn:uuid:${page.id}</id><title>${page.name}</title><updated>${new Date(lastChange(entries)).toISOString()}</updated><author><name>${page.name}</name></author><link rel="alternate" type="text/html" href="${address('index.html')}"/><link rel="self" type="application/atom+xml" href="${address('feed.atom')}"/>
${items}</feed>
`.text;
}

export function renderRss(view: PageView): string {
  const { snapshot, writer } = view;
  const { page } = snapshot;
  const entries = newsOf(view);
  const address = (path: string): string => `${view.address ?? ''}${path}`;
  const items = entries.map(
    ({ id, title, path, at, content }) =>
      markup`<item><title>${title}</title><link>${address(path)}</link><guid isPermaLink="false">${id}</guid><pubDate>${rfc822(at)}</pubDate><description>${content.text}</description></item>\n`,
  );
  const built = entries.length > 0 && markup`<lastBuildDate>${rfc822(lastChange(entries))}</lastBuildDate>`;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>${page.name}</title><link>${address('index.html')}</link><description>${page.description ?? page.name}</description><language>${writer.language}</language>${view.address !== null && markup`<atom:link href="${address('feed.rss')}" rel="self" type="application/rss+xml"/>`}${built}<ttl>5</ttl>
${items}</channel></rss>
`.text;
}

function rfc822(at: number): string {
  return new Date(at).toUTCString();
}
