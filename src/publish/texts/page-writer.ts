// Writes texts, dates and durations of a page in its language and time zone.
import type { PublicPage } from '#domain/status-pages/page-snapshot.ts';
import type { PageLanguage } from '#domain/status-pages/status-page.ts';
import { type Html, markup } from '#lib/markup/html.ts';
import { english, type TextKey } from '#domain/status-pages/page-texts.ts';
import { german } from './german.ts';

type Values = Readonly<Record<string, string | number | Html>>;

/** What a time shows: the time, the day, both, or the month. */
export type TimeStyle = 'time' | 'day' | 'both' | 'month';

export interface PageWriter {
  readonly language: PageLanguage;
  /** A text as HTML; values are escaped. */
  readonly say: (key: TextKey, values?: Values) => Html;
  /** The same as plain text. */
  readonly plain: (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;
  /** An instant, epoch ms, as a `time` element, which the script of the page shows in the zone of the visitor. */
  readonly time: (at: number, style: TimeStyle) => Html;
  readonly range: (from: number, to: number) => Html;
  /** The same as plain text. */
  readonly plainTime: (at: number, style: TimeStyle) => string;
  readonly plainRange: (from: number, to: number) => string;
  /** A day or month of the calendar in UTC. */
  readonly calendar: (at: number, style: 'day' | 'month') => string;
  readonly duration: (ms: number) => string;
  /** A percentage that is a text with decimals or a whole number. */
  readonly percent: (number: string | number) => string;
}

const texts: Readonly<Record<PageLanguage, Readonly<Record<TextKey, string>>>> = { en: english, de: german };
/** Locales of readers without JavaScript. */
const locales: Readonly<Record<PageLanguage, string>> = { en: 'en-GB', de: 'de-DE' };

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const;
const formats: Readonly<Record<TimeStyle, Intl.DateTimeFormatOptions>> = {
  time: clock,
  day: { day: 'numeric', month: 'long', year: 'numeric' },
  both: { day: 'numeric', month: 'short', year: 'numeric', ...clock },
  month: { month: 'long', year: 'numeric' },
};

export function createPageWriter({
  page,
}: {
  readonly page: Pick<PublicPage, 'language' | 'timeZone' | 'texts'>;
}): PageWriter {
  const { language, timeZone } = page;
  const of = (key: TextKey): string =>
    (Object.hasOwn(page.texts, key) ? page.texts[key] : null) ?? texts[language][key];
  const plain: PageWriter['plain'] = (key, values = {}) => {
    const isFilled = fillable(values);
    return of(key).replaceAll(placeholder, (whole, name: string) => String(isFilled(name) ? values[name] : whole));
  };
  const formatter = cachedFormats(locales[language]);
  const plainTime: PageWriter['plainTime'] = (at, style) => formatter(style, timeZone).format(at);
  const plainRange: PageWriter['plainRange'] = (from, to) => formatter('both', timeZone).formatRange(from, to);
  return {
    language,
    plain,
    say: (key, values = {}) => filled(of(key), values),
    time: (at, style) => timeElement(at, style, plainTime(at, style)),
    range: (from, to) => markup`<span data-from="${from}" data-to="${to}">${plainRange(from, to)}</span>`,
    plainTime,
    plainRange,
    calendar: (at, style) => formatter(style, 'UTC').format(at),
    duration: (ms) => {
      const minutes = ms <= 0 ? 0 : Math.max(1, Math.round(ms / 60_000));
      const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
      return plain(durationKey(days, hours, minutes % 60), { days, hours, minutes: minutes % 60 });
    },
    percent: (number) => (language === 'de' ? `${String(number).replace('.', ',')}\u00a0%` : `${number}%`),
  };
}

function durationKey(days: number, hours: number, minutes: number): TextKey {
  if (days > 0) return hours === 0 ? 'duration.wholeDays' : 'duration.days';
  if (hours > 0) return minutes === 0 ? 'duration.wholeHours' : 'duration.hours';
  return 'duration.minutes';
}

const placeholder = /\{([a-z]+)\}/gi;

/** How often a text may have the same value: values can be long. */
const mostFilled = 3;

/** Tells whether a place of a text, one after the other, is filled in. */
function fillable(values: Values): (name: string) => boolean {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return Object.hasOwn(values, name) && count <= mostFilled;
  };
}

function filled(text: string, values: Values): Html {
  const isFilled = fillable(values);
  // Every second part is the name of a placeholder.
  const parts = text.split(placeholder);
  return markup`${parts.map((part, index) => (index % 2 === 0 ? part : isFilled(part) ? values[part] : `{${part}}`))}`;
}

function timeElement(at: number, style: TimeStyle, text: string): Html {
  return markup`<time datetime="${new Date(at).toISOString()}" data-as="${style}">${text}</time>`;
}

function cachedFormats(locale: string): (style: TimeStyle, timeZone: string) => Intl.DateTimeFormat {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (style, timeZone) => {
    const key = `${style} ${timeZone}`;
    const format = made.get(key) ?? new Intl.DateTimeFormat(locale, { ...formats[style], timeZone });
    made.set(key, format);
    return format;
  };
}
