// The first file of a page, `index.html`, and the small one for frames, `embed.html`.
import { type Html, html } from '#lib/markup/html.ts';
import { headlineOf, stateOf } from '../headline.ts';
import { currentMaintenance, historyPath, incidentPath, openIncidents, type PageView } from '../page-view.ts';
import { dayMs } from './days.ts';
import { icons, stateIcon } from './icons.ts';
import { renderMaintenance, renderOpenIncidents, severityWord } from './incidents.ts';
import { opening, renderSheet } from './layout.ts';
import { renderCards } from './services.ts';
import { serviceChoices } from './subscription.ts';

const markup = html;

export function renderCurrent(view: PageView): string {
  const { snapshot, writer } = view;
  const { page } = snapshot;
  const state = stateOf(view);
  const headline = headlineOf(view);
  const { now, ahead } = currentMaintenance(view);
  const asOf = !headline.hasTime && markup`<p class="soft">${timeOf(view)}</p>`;
  const body = markup`<section class="now ${state}">${stateIcon(state)}<div><h1 dir="auto">${headline.html}</h1>${asOf}${
    page.description !== null && markup`<p class="soft" dir="auto">${page.description}</p>`
  }</div></section>
${renderOpenIncidents(view, openIncidents(view))}${renderMaintenance(view, now, ahead)}${renderCards(view)}${renderPast(view)}${renderSubscribe(view)}`;
  const title = `${writer.plain(`state.${state}`)} · ${page.name}`;
  return renderSheet(view, { title, root: '', body, isCurrent: true });
}

/** The time of the snapshot, in words. */
function timeOf({ snapshot, writer }: PageView): Html {
  return writer.say('asOf', { time: writer.time(snapshot.builtAt, 'time') });
}

/** How long the first page shows resolved incidents, and how many. */
const [pastMs, mostPast] = [14 * dayMs, 10];

function renderPast(view: PageView): Html {
  const { snapshot, writer } = view;
  const { builtAt, incidents } = snapshot;
  const past = incidents.filter(({ resolvedAt }) => resolvedAt !== null && resolvedAt > builtAt - pastMs);
  const items = past.slice(0, mostPast).map((incident) => {
    const { name, startedAt, resolvedAt } = incident;
    const duration = writer.duration((resolvedAt ?? builtAt) - startedAt);
    return markup`<li class="box"><div class="head"><h3 dir="auto"><a href="${incidentPath(incident)}">${name}</a></h3><span class="soft small">${severityWord(writer, incident)}</span></div><p class="facts">${writer.say('incident.resolved', { time: writer.time(resolvedAt ?? builtAt, 'both'), duration })}</p></li>`;
  });
  return markup`<section><h2>${writer.plain('incidents.recent')}</h2>${
    items.length > 0
      ? markup`<ul class="updates">${items}</ul>`
      : markup`<p class="soft">${writer.plain('incidents.none')}</p>`
  }<p><a href="${historyPath(builtAt)}">${writer.plain('history.title')}</a></p></section>
`;
}

function renderSubscribe({ snapshot: { page }, services, writer: { plain } }: PageView): Html {
  const choices = serviceChoices([...services.values()], []);
  const form =
    page.takesSubscribers &&
    markup`<form method="post" action="subscribe"><div><label for="address">${plain('subscribe.email')}</label><input id="address" name="address" type="email" autocomplete="email" maxlength="254" required></div><button>${plain('subscribe.submit')}</button>${choices !== null && markup`<details><summary>${plain('subscribe.services')}</summary>${choices}</details>`}</form><p class="soft small">${plain('subscribe.confirm')}</p>`;
  return markup`<section class="subscribe" id="subscribe"><h2>${plain('subscribe.title')}</h2>${form}<ul class="feeds"><li><a href="feed.atom">Atom</a></li><li><a href="feed.rss">RSS</a></li><li><a href="maintenance.ics">${plain('subscribe.calendar')}</a></li><li><a href="summary.json">JSON</a></li></ul></section>`;
}

/** One line without script, for a frame on another page. */
export function renderEmbed(view: PageView): string {
  const { snapshot, writer, assets } = view;
  const state = stateOf(view);
  const headline = headlineOf(view);
  // No script can say that it is old.
  const asOf = !headline.hasTime && markup` <span class="soft small">${timeOf(view)}</span>`;
  return markup`${opening(writer.language)}
<meta name="robots" content="noindex,nofollow">
<title>${snapshot.page.name}</title>
<link rel="stylesheet" href="${assets.style}">
</head>
<body class="embed">
${icons}
<main><h1 class="${state}">${stateIcon(state)}<a href="index.html" target="_top" dir="auto">${headline.html}</a>${asOf}</h1></main>
</body>
</html>
`.text;
}
