// A window as its form holds it: local times, and what happens to alerts and runs as one choice each.
import { type Draft, textOf } from '../../ui/form/draft.ts';
import { textsOf } from '../../ui/check-settings/section.ts';
import { instantText, localText } from '../../ui/text/zone.ts';
import type { Window } from './windows.tsx';

/** What a window does to alerts or runs. */
export type Mode = 'none' | 'some' | 'all';

/** The draft of a new window. */
export function emptyDraft(timezone: string): Draft {
  return {
    name: '',
    description: '',
    from: '',
    to: '',
    timezone,
    repeatUnit: '',
    repeatInterval: '',
    repeatUntil: '',
    alerts: 'some',
    silenceAlertsTags: [],
    isPublic: false,
    runs: 'none',
    tags: [],
    groupIds: [],
    checkIds: [],
  };
}

export function draftOf(window: Window): Draft {
  const { name, description, timezone, repeatUnit, repeatInterval, repeatEndsAt } = window;
  const { tags, groupIds, checkIds, silenceAlertsTags } = window;
  const isPausing = tags.length + groupIds.length + checkIds.length > 0;
  return {
    name,
    description: description ?? '',
    from: localText(window.startsAt, timezone),
    to: localText(window.endsAt, timezone),
    timezone,
    repeatUnit: repeatUnit ?? '',
    repeatInterval: repeatInterval === null || repeatInterval === 1 ? '' : String(repeatInterval),
    repeatUntil: repeatEndsAt === null ? '' : localText(repeatEndsAt, timezone),
    alerts: window.silenceAllAlerts ? 'all' : silenceAlertsTags.length > 0 || !isPausing ? 'some' : 'none',
    silenceAlertsTags: [...silenceAlertsTags],
    runs: window.pauseAllChecks ? 'all' : isPausing ? 'some' : 'none',
    isPublic: window.isPublic,
    tags: [...tags],
    groupIds: groupIds.map(String),
    checkIds: [...checkIds],
  };
}

export function modeOf(draft: Draft, name: 'alerts' | 'runs'): Mode {
  return textOf(draft[name]) as Mode;
}

/** The body of a write. */
export function bodyOf(draft: Draft) {
  const timezone = textOf(draft['timezone']);
  const at = (name: string): string => instantText(textOf(draft[name]), timezone);
  const repeatUnit = textOf(draft['repeatUnit']) as NonNullable<Window['repeatUnit']> | '';
  const interval = textOf(draft['repeatInterval']).trim();
  const repeats = repeatUnit !== '';
  const [alerts, runs] = [modeOf(draft, 'alerts'), modeOf(draft, 'runs')];
  const listed = (name: string, isUsed: boolean): string[] =>
    isUsed ? textsOf(draft[name]).filter((text) => text !== '') : [];
  return {
    name: textOf(draft['name']),
    description: textOf(draft['description']) || null,
    startsAt: at('from'),
    endsAt: at('to'),
    timezone,
    repeatUnit: repeats ? repeatUnit : null,
    // What is no number is refused by the server, beside its field.
    repeatInterval: repeats && interval !== '' ? Number(interval) : null,
    repeatEndsAt: repeats && textOf(draft['repeatUntil']) !== '' ? at('repeatUntil') : null,
    silenceAllAlerts: alerts === 'all',
    silenceAlertsTags: listed('silenceAlertsTags', alerts === 'some'),
    isPublic: draft['isPublic'] === true,
    pauseAllChecks: runs === 'all',
    tags: listed('tags', runs === 'some'),
    groupIds: listed('groupIds', runs === 'some').map(Number),
    checkIds: listed('checkIds', runs === 'some'),
  };
}
