// The first file of a page, `index.html`, and the small one for frames, `embed.html`.
import { type Html, markup } from '#lib/markup/html.ts';
import { headlineOf, stateOf } from '../headline.ts';
import { currentMaintenance, historyPath, incidentPath, openIncidents, type PageView, dayMark } from '../page-view.ts';
import { dayMs, describeDay, lookOf, problemDays, uptimeOf } from './days.ts';
import { icons, stateIcon } from './icons.ts';
import { renderMaintenance, renderOpenIncidents, severityWord } from './incidents.ts';
import { opening, renderSheet } from './layout.ts';
import { serviceChoices } from './subscription.ts';
import type { PublicCard, PublicDay, PublicService } from '#domain/status-pages/page-snapshot.ts';

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

function renderCards(view: PageView): Html {
  const cards = view.snapshot.cards.filter(({ services }) => services.length > 0);
  if (cards.length === 0) return markup``;
  return markup`<section class="cards"><h2>${view.writer.plain('services')}</h2>
${cards.map((card) => renderCard(view, card))}</section>`;
}

function renderCard(view: PageView, { id, name, services }: PublicCard): Html {
  return markup`<div class="card" id="c-${id}"><h3 dir="auto">${name}</h3><ul class="services">
${services.map((service) => renderService(view, service, id))}</ul></div>
`;
}

function renderService(view: PageView, service: PublicService, cardId: string): Html {
  const { writer, snapshot } = view;
  const { name, description, state, since, days, responseTimes } = service;
  const showSince = since !== null && state !== 'operational';
  const when =
    showSince &&
    markup` <span class="soft small desk">${writer.say('since', { time: writer.time(since, sinceStyle(since, snapshot.builtAt)) })}</span>`;
  return markup`<li class="service ${state}"><div class="line"><span class="name" dir="auto">${name}${
    description !== null && markup`<span class="soft small" dir="auto">${description}</span>`
  }</span><span class="state">${stateIcon(state)}<span data-now>${writer.plain(`state.${state}`)}</span>${when}</span></div>${
    days.length > 0 && renderHistory(view, service, cardId)
  }${responseTimes !== null && renderChart(view, responseTimes)}</li>
`;
}

/** Times of today are enough without their day. */
function sinceStyle(at: number, builtAt: number): 'time' | 'both' {
  return builtAt - at < 43_200_000 ? 'time' : 'both';
}

function renderHistory(view: PageView, service: PublicService, cardId: string): Html {
  const { writer, snapshot } = view;
  const { days } = service;
  const problems = problemDays(view, service);
  const { percent, monitored } = uptimeOf(days, snapshot.builtAt);
  const uptime =
    percent === null ? writer.plain('state.unknown') : writer.plain('uptime', { percent: writer.percent(percent) });
  const label = writer.plain('bars', { days: days.length, uptime, count: problems.length });
  const share = writer.plain('monitored', { percent: writer.percent(monitored), days: days.length });
  const isLong = days.length === 90;
  const ago = (count: number): string => writer.plain('days.ago', { count });
  return markup`<div class="bars" data-first="${days[0]?.at ?? 0}" data-count="${days.length}" data-odd="${oddDays(view, days)}"><svg${isLong && markup` class="long"`} viewBox="0 0 ${
    days.length * 4 - 1
  } 30" preserveAspectRatio="none" role="img" aria-label="${label}">${drawBars(days, snapshot.builtAt)}</svg></div><div class="legend"><span>${
    isLong ? markup`<span class="desk">${ago(90)}</span><span class="phone">${ago(30)}</span>` : ago(days.length)
  }</span><span class="mid"><b>${uptime}</b> · ${share}</span><span>${writer.plain('days.today')}</span></div>${
    problems.length > 0 && renderProblems(view, service, problems, cardId)
  }`;
}

function renderProblems(view: PageView, service: PublicService, problems: readonly PublicDay[], cardId: string): Html {
  const { writer } = view;
  const items = problems
    .toReversed()
    .map(
      (day) =>
        markup`<li><a href="${historyPath(day.at)}#${dayMark(day.at)}">${writer.calendar(day.at, 'day')}</a> <span class="soft">${describeDay(view, day)}</span></li>`,
    );
  return markup`<details class="days" id="p-${cardId}-${service.id}"><summary class="soft">${writer.plain('days.problems', { count: problems.length })}</summary><ul>${items}</ul></details>`;
}

/** Texts of the days that are not simply fine, by number: `3:12 min down|9:No data`. */
function oddDays(view: PageView, days: readonly PublicDay[]): string {
  const fine = view.writer.plain('day.fine');
  return days
    .flatMap((day, index) => {
      const text = describeDay(view, day);
      return text === fine ? [] : [`${index}:${text.replaceAll('|', '/')}`];
    })
    .join('|');
}

/** Runs of equal days as one dashed line each, because a page has up to 18,000 days. */
function drawBars(days: readonly PublicDay[], builtAt: number): Html[] {
  const paths = new Map<string, string>();
  const draw = (look: string, quarters: number, from: number, count: number): void => {
    const y = 30 - quarters * 3.75;
    const key = `${look}${quarters}`;
    paths.set(key, `${paths.get(key) ?? ''}M${from * 4} ${y}h${count * 4 - 1}`);
  };
  const looks = days.map((day) => lookOf(day, builtAt));
  for (let from = 0; from < looks.length;) {
    const { look, quarters } = looks[from]!;
    let end = from + 1;
    while (looks[end]?.look === look && looks[end]?.quarters === quarters) end += 1;
    if (quarters < 4) draw('n', 4, from, end - from);
    draw(look, quarters, from, end - from);
    from = end;
  }
  return [...paths]
    .sort(([one], [other]) => Number(other.startsWith('n')) - Number(one.startsWith('n')))
    .map(([key, path]) => {
      const [look, quarters] = [key[0], key[1]];
      return markup`<path class="${look}${quarters !== '4' && ` q${quarters}`}" d="${path}"/>`;
    });
}

/** A line of medians by hour; it ends where there is no data. */
function renderChart({ writer }: PageView, points: NonNullable<PublicService['responseTimes']>): Html | false {
  const known = points.flatMap(([, ms]) => (ms === null ? [] : [ms]));
  if (known.length < 3) return false;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const range = writer.plain('responseTime.range', { low: Math.round(low), high: Math.round(high) });
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 1];
  let path = '';
  let isDrawing = false;
  for (const [at, ms] of points) {
    if (ms !== null) {
      const [x, y] = [((at - first) / Math.max(1, last - first)) * 356, 42 - (ms / Math.max(1, high)) * 38];
      path += `${isDrawing ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}${isDrawing ? '' : 'h.01'}`;
    }
    isDrawing = ms !== null;
  }
  return markup`<div class="chart"><svg viewBox="0 0 356 44" preserveAspectRatio="none" role="img" aria-label="${writer.plain('responseTime.title')}: ${range}"><path d="${path}"/></svg></div><div class="legend"><span>${writer.plain('responseTime.title')}</span><span>${range}</span></div>`;
}
