// Converts between local times of a time zone and UTC.

/** By name in lower case, so that their number is limited: names are not case-sensitive. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Offset of a time zone from UTC at a time (epoch ms), ms. @param zone IANA name */
export function offsetMs(at: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const key = zone.toLowerCase();
  const known = formats.get(key);
  const format = known ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (known === undefined) formats.set(key, format);
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /GMT([+-])(\d{2}):?(\d{2})?:?(\d{2})?/.exec(name) ?? [];
  const ahead = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return (sign === '-' ? -ahead : ahead) * 1000;
}

/**
 * Whether an IANA time zone is known. Offsets such as +01:00 are rejected because they have no daylight saving time.
 */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  if (formats.has(zone.toLowerCase())) return true;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** The local time in a zone, as the epoch ms at which UTC shows the same. */
export function wallTimeOf(at: number, zone: string): number {
  return at + offsetMs(at, zone);
}

/**
 * The time (epoch ms) of a local time in a zone. A skipped local time is shifted by the clock change; of a repeated
 * one, returns the first or the last.
 */
export function instantAt(wall: number, zone: string, which: 'first' | 'last'): number {
  // A local time has at most two candidate offsets: those of the day before and the day after.
  const offsets = [offsetMs(wall - dayMs, zone), offsetMs(wall + dayMs, zone)];
  const fitting = offsets.map((offset) => wall - offset).filter((at) => wallTimeOf(at, zone) === wall);
  if (fitting.length > 0) return which === 'first' ? Math.min(...fitting) : Math.max(...fitting);
  // Skipped by the clock change: uses the offset before it.
  return wall - (offsets[0] ?? 0);
}

const dayMs = 86_400_000;
