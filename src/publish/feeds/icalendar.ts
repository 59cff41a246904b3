// Maintenance of a page as an iCalendar (RFC 5545).
import { listedNames, type PageView } from '../page-view.ts';
import { dayMs } from '../html/days.ts';

export function renderCalendar(view: PageView): string {
  const { snapshot, writer } = view;
  const { page, maintenance, builtAt } = snapshot;
  // The day is enough, and the file stays the same while nothing changes.
  const stamp = utc(Math.floor(builtAt / dayMs) * dayMs);
  const events = maintenance.flatMap(({ id, name, description, startsAt, endsAt, serviceIds }) => {
    const names = listedNames(view, serviceIds);
    const about = [description ?? '', names === '' ? '' : writer.plain('incident.affects', { services: names })];
    return [
      'BEGIN:VEVENT',
      `UID:${id}@${page.id}`,
      `DTSTAMP:${stamp}`,
      `DTSTART:${utc(startsAt)}`,
      `DTEND:${utc(endsAt)}`,
      `SUMMARY:${escaped(name)}`,
      `DESCRIPTION:${escaped(about.filter((part) => part !== '').join('\n\n'))}`,
      ...(view.address === null ? [] : [`URL:${view.address}index.html`]),
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ];
  });
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tocsin//Status page//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escaped(page.name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...events,
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** `20261129T140200Z`. */
function utc(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

function escaped(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', ' ');
}

/** Lines of at most 75 bytes, cut between characters. */
function folded(line: string): string {
  let [text, bytes] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > 75) [text, bytes] = [`${text}\r\n `, 1];
    text += character;
    bytes += size;
  }
  return text;
}
