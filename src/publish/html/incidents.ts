// Incidents and maintenance on pages, and the page of an incident.
import type { PublicIncident, PublicMaintenance, PublicUpdate } from '#domain/status-pages/page-snapshot.ts';
import { stateOfSeverity } from '#domain/status-pages/service-state.ts';
import { type Html, markup } from '#lib/markup/html.ts';
import { renderMarkdown } from '../markdown.ts';
import { incidentPath, listedNames, type PageView } from '../page-view.ts';
import type { TextKey } from '#domain/status-pages/page-texts.ts';
import type { PageWriter } from '../texts/page-writer.ts';
import { stateIcon } from './icons.ts';
import { renderSheet } from './layout.ts';

/** Updates of an open incident on the first page, and incidents with their updates; others are links. */
const [shownUpdates, shownIncidents] = [5, 10];
/** Longest update on the first page, in characters; the page of the incident has all of it. */
const shownCharacters = 2000;

export function updateWord({ plain }: Pick<PageWriter, 'plain'>, { status }: Pick<PublicUpdate, 'status'>): string {
  return plain(`update.${status.toLowerCase()}` as TextKey);
}

export function severityWord(
  { plain }: Pick<PageWriter, 'plain'>,
  { severity }: Pick<PublicIncident, 'severity'>,
): string {
  return plain(`severity.${severity.toLowerCase()}` as TextKey);
}

export function renderOpenIncidents(view: PageView, incidents: readonly PublicIncident[]): Html {
  if (incidents.length === 0) return markup``;
  const shown = incidents.map((incident, index) => renderOpen(view, incident, index < shownIncidents));
  return markup`<section><h2>${view.writer.plain('incidents.open')}</h2>
${shown}</section>
`;
}

function renderOpen(view: PageView, incident: PublicIncident, isWhole: boolean): Html {
  const { writer } = view;
  const { name, severity, updates } = incident;
  const path = incidentPath(incident);
  const more =
    updates.length > shownUpdates &&
    markup`<p class="small"><a href="${path}">${writer.plain('incident.earlier', { count: updates.length })}</a></p>`;
  return markup`<article class="box open ${stateOfSeverity[severity]}"><div class="head"><h3 dir="auto"><a href="${path}">${name}</a></h3><span class="word">${severityWord(writer, incident)} · ${updateWord(writer, incident)}</span></div>${renderFacts(view, incident)}${
    isWhole && renderUpdates(view, updates.slice(0, shownUpdates).map(shortened))
  }${isWhole && more}</article>
`;
}

function shortened(update: PublicUpdate): PublicUpdate {
  const { description } = update;
  if (description.length <= shownCharacters) return update;
  return { ...update, description: `${description.slice(0, shownCharacters).toWellFormed()}…` };
}

function renderFacts(
  view: PageView,
  { startedAt, resolvedAt, publishedAt, isBackdated, serviceIds }: PublicIncident,
): Html {
  const { writer } = view;
  const names = listedNames(view, serviceIds);
  const duration = resolvedAt === null ? '' : writer.duration(resolvedAt - startedAt);
  return markup`<ul class="facts"><li>${writer.say('incident.started', { time: writer.time(startedAt, 'both') })}</li>${
    resolvedAt !== null &&
    markup`<li>${writer.say('incident.resolved', { time: writer.time(resolvedAt, 'both'), duration })}</li>`
  }${isBackdated && markup`<li>${writer.say('incident.backdated', { time: writer.time(publishedAt, 'both') })}</li>`}${
    names !== '' && markup`<li dir="auto">${writer.plain('incident.affects', { services: names })}</li>`
  }</ul>`;
}

function renderUpdates({ writer }: PageView, updates: readonly PublicUpdate[]): Html {
  if (updates.length === 0) return markup`<p class="soft">${writer.plain('incident.noUpdates')}</p>`;
  const items = updates.map(
    (update) =>
      markup`<li class="update" id="u-${update.id}"><div class="head"><strong>${updateWord(writer, update)}</strong> <span class="soft small">${writer.time(update.at, 'both')}</span></div><div class="text" dir="auto">${renderMarkdown(update.description)}</div></li>`,
  );
  return markup`<ol class="updates">${items}</ol>`;
}

/** The file of an incident. */
export function renderIncident(view: PageView, incident: PublicIncident): string {
  const { writer, snapshot } = view;
  const { name, severity, resolvedAt, postmortem, updates } = incident;
  const state = resolvedAt === null ? stateOfSeverity[severity] : 'operational';
  const body = markup`<article><section class="now ${state}">${stateIcon(state)}<div><h1 dir="auto">${name}</h1><p class="word">${severityWord(writer, incident)} · ${updateWord(writer, incident)}</p>${renderFacts(view, incident)}</div></section>${
    postmortem !== null &&
    markup`<section id="postmortem"><h2>${writer.plain('incident.postmortem')}</h2><div class="box text" dir="auto">${renderMarkdown(postmortem)}</div></section>`
  }<section class="${state}"><h2>${writer.plain('incident.updates')}</h2>${renderUpdates(view, updates)}</section></article>`;
  return renderSheet(view, { title: `${name} · ${snapshot.page.name}`, root: '../', body });
}

/** Most maintenance that the first page shows ahead. */
const shownAhead = 5;

export function renderMaintenance(
  view: PageView,
  now: readonly PublicMaintenance[],
  ahead: readonly PublicMaintenance[],
): Html {
  const { plain } = view.writer;
  const section = (title: string, list: readonly PublicMaintenance[]): Html | false =>
    list.length > 0 &&
    markup`<section><h2>${title}</h2>
${list.map((each) => renderWindow(view, each))}</section>
`;
  return markup`${section(plain('maintenance.now'), now)}${section(plain('maintenance.ahead'), ahead.slice(0, shownAhead))}`;
}

function renderWindow(view: PageView, { name, description, startsAt, endsAt, serviceIds }: PublicMaintenance): Html {
  const { writer } = view;
  const names = listedNames(view, serviceIds);
  return markup`<article class="box open maintenance"><div class="head"><h3 dir="auto">${name}</h3><span class="word">${writer.range(startsAt, endsAt)}</span></div>${
    description !== null && markup`<div class="text" dir="auto">${renderMarkdown(description)}</div>`
  }${names !== '' && markup`<p class="facts" dir="auto">${writer.plain('incident.affects', { services: names })}</p>`}</article>
`;
}
