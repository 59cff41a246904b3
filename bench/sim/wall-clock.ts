// Reference implementation of maintenance windows, based only on the local time that a zone shows.

const formats = new Map<string, Intl.DateTimeFormat>();
const quarterMs = 900_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Sortable local time of a zone at an instant, with milliseconds. */
export function shown(at: number, zone: string): string {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
    });
    formats.set(zone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { year, month, day, hour, minute, second, fractionalSecond } = parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${fractionalSecond}`;
}

/** All instants with that local time: none in a skipped hour, two in a repeated one. */
function instants(wall: string, zone: string): readonly number[] {
  const asUtc = Date.parse(`${wall}Z`);
  const found: number[] = [];
  for (let ahead = -12 * hourMs; ahead <= 14 * hourMs; ahead += quarterMs) {
    if (shown(asUtc - ahead, zone) === wall) found.push(asUtc - ahead);
  }
  return found.toSorted((a, b) => a - b);
}

/** A skipped time is shifted as if the offset of three hours before still applied. */
function instantOf(wall: string, zone: string, which: 'first' | 'last'): { at: number; isLeftOut: boolean } {
  const found = instants(wall, zone);
  const at = which === 'first' ? found[0] : found.at(-1);
  if (at !== undefined) return { at, isLeftOut: false };
  const [before = Number.NaN] = instants(laterWall(wall, -3 * hourMs), zone);
  return { at: before + 3 * hourMs, isLeftOut: true };
}

function laterWall(wall: string, ms: number): string {
  return new Date(Date.parse(`${wall}Z`) + ms).toISOString().slice(0, -1);
}

/** A repeated window, based on the local time of its first occurrence. */
export interface WallWindow {
  readonly zone: string;
  readonly firstStart: string;
  readonly firstEnd: string;
  readonly unit: 'DAY' | 'WEEK' | 'MONTH';
}

/** Its occurrences up to an instant (epoch ms), ends excluded. */
export function timesOf(window: WallWindow, until: number): readonly { readonly from: number; readonly to: number }[] {
  const { zone, firstStart, firstEnd } = window;
  const lengthMs = Date.parse(`${firstEnd}Z`) - Date.parse(`${firstStart}Z`);
  const times: { from: number; to: number }[] = [];
  for (let index = 0; ; index++) {
    const start = nthStart(window, index);
    const from = instantOf(start, zone, 'first');
    if (from.at > until) return times;
    const to = from.isLeftOut ? from.at + lengthMs : instantOf(laterWall(start, lengthMs), zone, 'last').at;
    times.push({ from: from.at, to });
  }
}

function nthStart({ firstStart, unit }: WallWindow, index: number): string {
  if (unit !== 'MONTH') return laterWall(firstStart, index * (unit === 'WEEK' ? 7 : 1) * dayMs);
  const [year = 0, month = 0, day = 0] = firstStart.slice(0, 10).split('-').map(Number);
  const months = year * 12 + month - 1 + index;
  const text = (days: number): string =>
    `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}-${String(days).padStart(2, '0')}`;
  // Last day of a month that is too short: the first valid date going back.
  const fitting = [day, 30, 29, 28].filter((days) => days <= day).find((days) => isDate(text(days))) ?? 28;
  return `${text(fitting)}${firstStart.slice(10)}`;
}

function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
