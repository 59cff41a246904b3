// The time zone of an account, and times written in it for people (docs/decisions/0141).
import { isZone, wallTimeOf } from '../checks/wall-time.ts';

/** The zone of an account; the server's if it has none, or one that this Node.js no longer knows. IANA names. */
export function zoneOf(account: { readonly timeZone: string | null } | undefined, serverZone: string): string {
  const zone = account?.timeZone ?? null;
  return zone !== null && isZone(zone) ? zone : serverZone;
}

/** `2026-11-27 15:30:12 CET`; ISO 8601 for years of more than four digits. @param at epoch ms @param zone IANA name */
export function zonedText(at: number, zone: string): string {
  return localText(at, zone, 'YYYY-MM-DD HH:mm:ss'.length);
}

/** `2026-11-27 15:30 CET`, without seconds. */
export function zonedMinute(at: number, zone: string): string {
  return localText(at, zone, 'YYYY-MM-DD HH:mm'.length);
}

/** A text of Tocsin's own with its ISO times in the zone. Not for texts of targets, which it would falsify. */
export function withZonedTimes(text: string, zone: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, (iso) => {
    const at = Date.parse(iso);
    return Number.isNaN(at) ? iso : zonedText(at, zone);
  });
}

/** The usual short name of a zone at a time, such as `CET` or `CEST`; the offset, such as `UTC+5:30`, if it has none. */
export function zoneLabel(at: number, zone: string): string {
  let label = 'UTC';
  for (const format of formatsOf(zone)) {
    label = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? label;
    if (!/^GMT[+-]/.test(label)) return label;
  }
  return label.replace('GMT', 'UTC');
}

function localText(at: number, zone: string, length: number): string {
  if (at < firstAt || at > lastAt) return new Date(at).toISOString();
  const text = new Date(wallTimeOf(at, zone)).toISOString().slice(0, length).replace('T', ' ');
  return `${text} ${zoneLabel(at, zone)}`;
}

/** Times whose year has four digits in every zone: templates can print any time. */
const [firstAt, lastAt] = [Date.UTC(1000, 0), Date.UTC(9999, 0)];

/** A locale only has short names for the zones of its region. */
const locales = ['en-GB', 'en-US', 'en-AU'];

/** By name in lower case, so that their number is limited. */
const formats = new Map<string, readonly Intl.DateTimeFormat[]>();

function formatsOf(zone: string): readonly Intl.DateTimeFormat[] {
  const key = zone.toLowerCase();
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = locales.map((locale) => new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' }));
  formats.set(key, made);
  return made;
}
