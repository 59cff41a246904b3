// Times as the clocks of a zone show them, and the instants they stand for.

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far a zone's clocks are ahead of UTC at an instant (epoch ms), ms. @param zone its IANA name */
export function offsetMs(at: number, zone: string): number {
  if (zone === 'UTC') return 0;
  const known = formats.get(zone);
  const format = known ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  if (known === undefined) formats.set(zone, format);
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
    /GMT([+-])(\d{2}):?(\d{2})?:?(\d{2})?/.exec(name) ?? [];
  const ahead = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return (sign === '-' ? -ahead : ahead) * 1000;
}

/** Whether a time zone of that IANA name is known. An offset such as +01:00 is none: it knows no summer time. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** What the clocks of a zone show at an instant (epoch ms), as the epoch ms at which those of UTC show the same. */
export function wallTimeOf(at: number, zone: string): number {
  return at + offsetMs(at, zone);
}

/**
 * The instant (epoch ms) at which the clocks of a zone show a time. One that is left out, because they were set forward, is
 * as much later; one that comes twice is the first or the last of the two.
 */
export function instantAt(wall: number, zone: string, which: 'first' | 'last'): number {
  // Around a time there are two offsets at most: that of a day before and that of a day after.
  const offsets = [offsetMs(wall - dayMs, zone), offsetMs(wall + dayMs, zone)];
  const fitting = offsets.map((offset) => wall - offset).filter((at) => wallTimeOf(at, zone) === wall);
  if (fitting.length > 0) return which === 'first' ? Math.min(...fitting) : Math.max(...fitting);
  // Left out: by the clocks as they were before.
  return wall - (offsets[0] ?? 0);
}

const dayMs = 86_400_000;
