// The history of a page by month: days with incidents, maintenance and downtime.
import type { PublicIncident, PublicMaintenance, PublicService } from '#domain/status-pages/page-snapshot.ts';
import { type Html, markup } from '#lib/markup/html.ts';
import { dayMark, historyPath, incidentPath, type PageView } from '../page-view.ts';
import { dayMs, describeDay } from './days.ts';
import { severityWord } from './incidents.ts';
import { renderSheet } from './layout.ts';

/** Months that a page has at most. */
const mostMonths = 24;

/** What happened on a UTC day. */
interface Day {
  readonly at: number;
  readonly incidents: PublicIncident[];
  readonly maintenance: PublicMaintenance[];
  readonly downtimes: { readonly service: PublicService; readonly text: string }[];
}

/** Files of the history by path: each month from the first event on, newest first. */
export function renderHistory(view: PageView): Map<string, string> {
  const days = daysOf(view);
  const { builtAt } = view.snapshot;
  const first = Math.min(builtAt, ...days.keys());
  const months: number[] = [];
  for (let at = monthOf(builtAt); at >= monthOf(first) && months.length < mostMonths; at = monthOf(at - dayMs))
    months.push(at);
  const byMonth = Map.groupBy(days.values(), ({ at }) => monthOf(at));
  return new Map(
    months.map((month) => {
      const own = (byMonth.get(month) ?? []).sort((one, other) => other.at - one.at);
      return [historyPath(month), renderMonth(view, month, months, own)];
    }),
  );
}

function daysOf(view: PageView): Map<number, Day> {
  const { incidents, maintenance, builtAt } = view.snapshot;
  const days = new Map<number, Day>();
  const on = (at: number): Day => {
    const start = Math.floor(at / dayMs) * dayMs;
    const day = days.get(start) ?? { at: start, incidents: [], maintenance: [], downtimes: [] };
    days.set(start, day);
    return day;
  };
  // Long ones are on each day that bars show, and always on the first.
  const shownFrom = Math.floor(builtAt / dayMs) * dayMs - 90 * dayMs;
  const spread = (from: number, to: number, add: (day: Day) => void): void => {
    add(on(from));
    const second = Math.floor(from / dayMs) * dayMs + dayMs;
    for (let at = Math.max(second, shownFrom); at <= Math.min(to, builtAt); at += dayMs) add(on(at));
  };
  for (const incident of incidents)
    spread(incident.startedAt, incident.resolvedAt ?? builtAt, (day) => day.incidents.push(incident));
  for (const window of maintenance)
    if (window.startsAt <= builtAt) spread(window.startsAt, window.endsAt - 1, (day) => day.maintenance.push(window));
  for (const service of view.services.values())
    for (const day of service.days)
      if (day.downMs > 0) on(day.at).downtimes.push({ service, text: describeDay(view, day) });
  return days;
}

function monthOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function renderMonth(view: PageView, month: number, months: readonly number[], days: readonly Day[]): string {
  const { writer, snapshot } = view;
  const title = writer.calendar(month, 'month');
  const links = months.map(
    (at) =>
      markup`<li><a href="../${historyPath(at)}"${at === month && markup` aria-current="page"`}>${writer.calendar(at, 'month')}</a></li>`,
  );
  const body = markup`<h1>${writer.plain('history.title')}: ${title}</h1><nav aria-label="${writer.plain('history.months')}"><ul class="months">${links}</ul></nav>
${days.length > 0 ? days.map((day) => renderDay(view, day)) : markup`<p>${writer.plain('history.quiet')}</p>`}
<p class="soft small">${writer.plain('history.utc')}</p>`;
  return renderSheet(view, {
    title: `${writer.plain('history.title')}, ${title} · ${snapshot.page.name}`,
    root: '../',
    body,
  });
}

function renderDay(view: PageView, { at, incidents, maintenance, downtimes }: Day): Html {
  const { writer } = view;
  const items = [
    ...incidents.map(
      (incident) =>
        markup`<li><a href="../${incidentPath(incident)}" dir="auto">${incident.name}</a> <span class="soft small">${severityWord(writer, incident)} · ${span(view, incident.startedAt, incident.resolvedAt)}</span></li>`,
    ),
    ...maintenance.map(
      ({ name, startsAt, endsAt }) =>
        markup`<li><span dir="auto">${name}</span> <span class="soft small">${writer.plain('maintenance.past')} · ${writer.range(startsAt, endsAt)}</span></li>`,
    ),
    ...downtimes.map(
      ({ service, text }) =>
        markup`<li><span dir="auto">${service.name}</span> <span class="soft small">${text}</span></li>`,
    ),
  ];
  return markup`<section class="day" id="${dayMark(at)}"><h2>${writer.calendar(at, 'day')}</h2><ul>${items}</ul></section>
`;
}

function span({ writer }: PageView, from: number, to: number | null): Html {
  if (to === null) return writer.say('since', { time: writer.time(from, 'both') });
  return markup`${writer.range(from, to)}`;
}
