// The one sentence of a page: its state, what is affected, and since when.
import { type ServiceState, serviceStates } from '#domain/status-pages/service-state.ts';
import type { Html } from '#lib/markup/html.ts';
import { markup } from '#lib/markup/html.ts';
import { openIncidents, type PageView } from './page-view.ts';
import type { TextKey } from '#domain/status-pages/page-texts.ts';

/** A headline in both forms. */
export interface Headline {
  readonly html: Html;
  readonly text: string;
  /** Whether it names the time of the snapshot. */
  readonly hasTime: boolean;
}

/** The state that a page shows: never better than that of its services. */
export function stateOf({ snapshot, services }: PageView): ServiceState {
  const known = [snapshot.state, ...[...services.values()].map(({ state }) => state)];
  return known.reduce((one, other) => (serviceStates.indexOf(other) > serviceStates.indexOf(one) ? other : one));
}

export function headlineOf(view: PageView): Headline {
  const { snapshot, services } = view;
  const { builtAt } = snapshot;
  const state = stateOf(view);
  const affected = [...services.values()].filter((service) => service.state === state);
  const incidents = openIncidents(view).length;
  if (services.size === 0 && incidents === 0) return worded(view, 'headline.empty', builtAt, {});
  if (state === 'operational')
    return worded(view, incidents > 0 ? 'headline.incident' : 'headline.operational', builtAt, {});
  if (affected.length === 0) return worded(view, 'headline.incident', builtAt, {});
  const names = nameList(
    view,
    affected.map(({ name }) => name),
  );
  if (state === 'unknown' || state === 'maintenance')
    return worded(view, `headline.${state}`, builtAt, { services: names });
  const starts = affected.flatMap(({ since }) => (since === null ? [] : [since]));
  if (starts.length === 0) {
    const word = view.writer.plain(`state.${state}`);
    return worded(view, 'headline.now', builtAt, { services: names, state: word });
  }
  const key = affected.length > 1 ? (`headline.${state}Many` as const) : (`headline.${state}` as const);
  return worded(view, key, Math.min(...starts), { services: names });
}

function nameList({ writer }: PageView, names: readonly string[]): string {
  const [first = '', second = ''] = names;
  if (names.length === 1) return first;
  if (names.length === 2) return writer.plain('names.two', { first, second });
  return writer.plain('names.more', { first, count: names.length - 1 });
}

function worded(
  { writer, snapshot }: PageView,
  key: TextKey,
  at: number,
  values: Readonly<Record<string, string>>,
): Headline {
  const style = snapshot.builtAt - at < 43_200_000 ? 'time' : 'both';
  const text = writer.plain(key, { ...values, time: '{time}' });
  return {
    html: markup`${writer.say(key, { ...values, time: writer.time(at, style) })}`,
    text: writer.plain(key, { ...values, time: writer.plainTime(at, style) }),
    hasTime: at === snapshot.builtAt && text.includes('{time}'),
  };
}
