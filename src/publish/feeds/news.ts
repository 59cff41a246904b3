// Entries of feeds: updates of incidents, newest first.
import { incidentPath, listedNames, type PageView } from '../page-view.ts';
import { updateWord } from '../html/incidents.ts';
import { type Html, html } from '#lib/markup/html.ts';
import { renderMarkdown } from '../markdown.ts';

const markup = html;

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
