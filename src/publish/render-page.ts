// Renders a snapshot of a status page to its files.
import type { PageSnapshot } from '#domain/status-pages/page-snapshot.ts';
import { renderAtom, renderRss } from './feeds/news.ts';
import { renderCalendar } from './feeds/icalendar.ts';
import { stateOf } from './headline.ts';
import { renderCurrent, renderEmbed } from './html/current.ts';
import { renderHistory } from './html/history.ts';
import { renderIncident } from './html/incidents.ts';
import { statuspageFiles } from './json/statuspage-json.ts';
import { summaryJson } from './json/summary-json.ts';
import { pageStyle } from './html/page-style.ts';
import { createPageView, incidentPath, type PageImages, type PublishedFile, type PageView } from './page-view.ts';
import type { ServiceState } from '#domain/status-pages/service-state.ts';
import { type BadgeTone, drawBadge } from '#lib/markup/draw-badge.ts';
import { markup } from '#lib/markup/html.ts';
import { uptimeOf } from './html/days.ts';

const mediaTypes = {
  html: 'text/html; charset=utf-8',
  json: 'application/json; charset=utf-8',
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  ics: 'text/calendar; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
} as const;

/**
 * Files of a page by relative path, `index.html` first. Links in HTML are relative, so that the files work in any folder.
 * @param address of the page, ending in a slash, for feeds and JSON; null = that of its own host name, if it has one
 */
export function renderPage(
  snapshot: PageSnapshot,
  images: PageImages = {},
  address: string | null = null,
): ReadonlyMap<string, PublishedFile> {
  const view = createPageView(snapshot, images, address);
  const files = new Map<string, PublishedFile>();
  const add = (path: string, type: keyof typeof mediaTypes, content: string): void => {
    files.set(path, { mediaType: mediaTypes[type], content });
  };
  add('index.html', 'html', renderCurrent(view));
  add('embed.html', 'html', renderEmbed(view));
  for (const [path, content] of renderHistory(view)) add(path, 'html', content);
  for (const incident of view.snapshot.incidents) add(incidentPath(incident), 'html', renderIncident(view, incident));
  add('feed.rss', 'rss', renderRss(view));
  add('feed.atom', 'atom', renderAtom(view));
  add('maintenance.ics', 'ics', renderCalendar(view));
  add('summary.json', 'json', JSON.stringify(summaryJson(view)));
  for (const [name, value] of statuspageFiles(view)) add(`api/v2/${name}.json`, 'json', JSON.stringify(value));
  for (const [path, content] of pageBadges(view)) add(path, 'svg', content);
  add('favicon.svg', 'svg', stateFavicon(stateOf(view)));
  for (const [path, file] of view.assetFiles) files.set(path, file);
  return files;
}

/** The first file of a page without other files: its style is apart, its images are data URLs, and it has no script. */
export function renderPreview(
  snapshot: PageSnapshot,
  images: PageImages,
): { readonly html: string; readonly style: string } {
  const view = createPageView(snapshot, images, null);
  const logo =
    images.logo && `data:${images.logo.mediaType};base64,${Buffer.from(images.logo.content).toString('base64')}`;
  const assets = { style: '', script: '', ...(logo !== undefined && { logo }) };
  return { html: renderCurrent({ ...view, assets }), style: pageStyle(view.snapshot.page) };
}

const tones: Readonly<Record<ServiceState, BadgeTone>> = {
  operational: 'good',
  maintenance: 'neutral',
  unknown: 'neutral',
  degraded: 'warning',
  outage: 'bad',
};
const look = { style: 'flat', theme: 'default' } as const;

/** Badges by path. */
function pageBadges(view: PageView): Map<string, string> {
  const { snapshot, writer, services } = view;
  const ofState = (label: string, state: ServiceState): string =>
    drawBadge({ ...look, label, value: writer.plain(`state.${state}`), tone: tones[state] });
  const badges = new Map([['badge.svg', ofState(snapshot.page.name, stateOf(view))]]);
  for (const { id, name, state, days } of services.values()) {
    badges.set(`services/${id}/badge.svg`, ofState(name, state));
    if (days.length === 0) continue;
    const { percent } = uptimeOf(days, snapshot.builtAt);
    const value =
      percent === null ? writer.plain('state.unknown') : writer.plain('uptime', { percent: writer.percent(percent) });
    badges.set(`services/${id}/uptime.svg`, drawBadge({ ...look, label: name, value, tone: toneOf(percent) }));
  }
  return badges;
}

function toneOf(percent: string | null): BadgeTone {
  if (percent === null) return 'neutral';
  return Number(percent) >= 99.9 ? 'good' : Number(percent) >= 99 ? 'warning' : 'bad';
}

const colors: Readonly<Record<ServiceState, string>> = {
  operational: '#2f9e78',
  maintenance: '#5b86e0',
  unknown: '#8a919b',
  degraded: '#d9962b',
  outage: '#d6453f',
};

/** The icon of the browser's tab for pages without one of their own. */
function stateFavicon(state: ServiceState): string {
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${colors[state]}"/></svg>`
    .text;
}
