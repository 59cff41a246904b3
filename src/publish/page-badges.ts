// Badges of a page and its services: state and uptime as SVG.
import type { ServiceState } from '#domain/status-pages/service-state.ts';
import { type BadgeTone, drawBadge } from '#lib/markup/draw-badge.ts';
import { html } from '#lib/markup/html.ts';
import { stateOf } from './headline.ts';
import { uptimeOf } from './html/days.ts';
import type { PageView } from './page-view.ts';

const tones: Readonly<Record<ServiceState, BadgeTone>> = {
  operational: 'good',
  maintenance: 'neutral',
  unknown: 'neutral',
  degraded: 'warning',
  outage: 'bad',
};
const look = { style: 'flat', theme: 'default' } as const;

/** Badges by path. */
export function pageBadges(view: PageView): Map<string, string> {
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
export function stateFavicon(state: ServiceState): string {
  const markup = html;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${colors[state]}"/></svg>`
    .text;
}
