// Checkly: variables, private locations, snippets, channels and maintenance windows as Tocsin's API would return them.
import { mask } from '#domain/deliveries/shown-url.ts';
import type { JsonObject } from '#domain/json.ts';
import { switchedOff, switchOnNote } from '../channels.ts';
import { nameOf } from '../check-parts.ts';
import { type Foreign, objectOf, textOf } from '../values.ts';
import { type Context, plainObject, without } from './context.ts';

/** What the name of a variable looks like. */
export const variableName = /^[A-Za-z_]\w{0,255}$/;
/** Longest snippet, characters. */
const longestSnippet = 65_536;

/** @returns null = not carried over, and the notes say why */
export function variableOf(foreign: Foreign, _context: Context, notes: string[]): JsonObject | null {
  const key = textOf(foreign['key']);
  if (!variableName.test(key)) return refused(notes, 'the name of a variable has only letters, digits and underscores');
  return { ...plainObject(foreign), key, value: typeof foreign['value'] === 'string' ? foreign['value'] : null };
}

/** @returns null = not carried over, and the notes say why */
export function locationOf(foreign: Foreign, _context: Context, notes: string[]): JsonObject | null {
  const slugName = textOf(foreign['slugName']).toLowerCase();
  if (!/^[a-z0-9-]{1,30}$/.test(slugName)) {
    return refused(notes, 'a slug has 1 to 30 letters, digits and hyphens');
  }
  notes.push(`start a process with the role runner and TOCSIN_LOCATION=${slugName}: until then its checks wait`);
  if (textOf(foreign['proxyUrl']) !== '') notes.push('its proxy is left out: set HTTPS_PROXY for that process');
  const { icon } = plainObject(foreign);
  return { slugName, name: nameOf(textOf(foreign['name']), slugName), ...(typeof icon === 'string' && { icon }) };
}

/** @returns null = not carried over, and the notes say why */
export function snippetOf(foreign: Foreign, _context: Context, notes: string[]): JsonObject | null {
  const script = textOf(foreign['script']);
  if (script.trim() === '') return refused(notes, 'it is empty');
  if (script.length > longestSnippet) return refused(notes, `it has more than ${longestSnippet} characters`);
  return { id: textOf(foreign['id']), name: nameOf(textOf(foreign['name']), 'Snippet'), script };
}

/** The field that says where alerts go, by type. */
const destinations: Readonly<Record<string, string>> = {
  EMAIL: 'address',
  SLACK: 'url',
  WEBHOOK: 'url',
  PAGERDUTY: 'serviceKey',
  OPSGENIE: 'apiKey',
  SMS: 'number',
  CALL: 'number',
};
const keys = ['serviceKey', 'apiKey'];

/** @returns null = not carried over, and the notes say why */
export function channelOf(foreign: Foreign, _context: Context, notes: string[]): JsonObject | null {
  const type = textOf(foreign['type']);
  const field = Object.hasOwn(destinations, type) ? (destinations[type] ?? '') : '';
  const config = plainObject(objectOf(foreign['config']));
  const value = textOf(config[field]);
  if (type === 'SLACK_APP') return refused(notes, 'create a Slack channel with the URL of an incoming webhook');
  if (field === '') return refused(notes, `Tocsin has no channels of the type ${type.slice(0, 50)}`);
  if (value === '' && !keys.includes(field)) return refused(notes, `it has no ${field}`);
  if (field === 'number' && !/^\+[1-9]\d{6,14}$/.test(value)) {
    return refused(notes, 'its number does not have the form +15551234567');
  }
  notes.push(switchOnNote);
  const { sslExpiryThreshold, autoSubscribe } = plainObject(foreign);
  return {
    id: foreign['id'] as number,
    type,
    config: {
      ...config,
      // A key that the API does not return is asked for, as a secret is.
      [field]: value || mask,
      ...('method' in config && { method: textOf(config['method']).toUpperCase() || 'POST' }),
    },
    ...switchedOff,
    ...(sslExpiryThreshold !== undefined && { sslExpiryThreshold }),
    ...(autoSubscribe === true && { autoSubscribe }),
  };
}

/** @returns null = not carried over, and the notes say why */
export function windowOf(foreign: Foreign, { now }: Context, notes: string[]): JsonObject | null {
  const [startsAt, endsAt] = [Date.parse(textOf(foreign['startsAt'])), Date.parse(textOf(foreign['endsAt']))];
  if (Number.isNaN(startsAt) || Number.isNaN(endsAt)) return refused(notes, 'its dates cannot be read');
  const { repeatEndsAt, ...window } = plainObject(foreign);
  const lastDay = lastDayOf(textOf(repeatEndsAt));
  const isRepeated = textOf(window['repeatUnit']) !== '';
  // A day more than its last: the time zone of the window decides when that is over.
  const isOver = isRepeated ? lastDay !== null && Date.parse(`${lastDay}Z`) + 86_400_000 <= now : endsAt <= now;
  if (isOver) return refused(notes, 'it has ended');
  const shown = ['description', 'statusPageVisibility'];
  if (textOf(window['description']) !== '') notes.push('its description is left out');
  return {
    ...without(window, ...shown, 'checkIds', 'groupIds', 'checks', 'groups'),
    name: nameOf(textOf(window['name']), 'Maintenance'),
    startsAt: new Date(startsAt).toISOString(),
    endsAt: new Date(endsAt).toISOString(),
    ...(lastDay !== null && { repeatEndsAt: lastDay }),
  };
}

/** The end of the last day on which a window begins, as Checkly counts: a day of its time zone, whatever the time. */
function lastDayOf(text: string): string | null {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  return day === undefined ? null : `${day}T23:59:59`;
}

function refused(notes: string[], why: string): null {
  notes.push(why);
  return null;
}
