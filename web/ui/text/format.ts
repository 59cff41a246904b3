// Formats numbers, durations and times.

const number = new Intl.NumberFormat('en');
const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
const dayOnly = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const dayTime = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const daySecond = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const timeOnly = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** A message as a separate sentence: starts with a capital letter, except with code such as `await expect(…)`. */
export function sentence(message: string): string {
  return /^(?!await )[a-z]+(?:[ ,]|$)/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message;
}

/** `STATUS_CODE` as `Status code`, `JSON_BODY` as `JSON body`. */
export function codeText(code: string): string {
  const words = code
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/\bjson\b/, 'JSON');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `12,345` */
export function count(value: number): string {
  return number.format(value);
}

/** `1 check`, `2 checks` */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A time span of response size: `0.043 ms`, `4.2 ms`, `84 ms`, `1.24 s`. */
export function milliseconds(ms: number): string {
  if (ms < 0.001) return '0 ms';
  if (ms < 10) return `${ms.toPrecision(2)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : duration(ms);
}

/** A span in its largest two units: `45 s`, `12 min`, `3 h 20 min`, `5 d 4 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes < 10 && seconds % 60 > 0 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** `just now`, `12 min ago`, `in 5 min` */
export function relative(at: number, now: number): string {
  const past = now - at;
  if (Math.abs(past) < 5000) return 'just now';
  const units = coarse(Math.abs(past));
  return past > 0 ? `${units} ago` : `in ${units}`;
}

/** A span in its largest unit, which is easy to compare: `45 s`, `12 min`, `3 h`, `5 d`. */
export function coarse(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** `Nov 26, 2026, 14:03:12` in the viewer's zone. */
export function exact(at: number): string {
  return dateTime.format(at);
}

/** `Nov 26, 2026` in the viewer's zone. */
export function day(at: number): string {
  return dayOnly.format(at);
}

/** `Nov 26, 14:03` in the viewer's zone. */
export function dayAndTime(at: number): string {
  return dayTime.format(at);
}

/** `14:03` on the same day, otherwise `Nov 26, 14:03`, in the viewer's zone. */
export function shortTime(at: number, now: number): string {
  return day(at) === day(now) ? clockTime(at).replace(/:\d\d(?=$| )/, '') : dayAndTime(at);
}

/** `Nov 26, 14:03:12` in the viewer's zone. */
export function dayAndSecond(at: number): string {
  return daySecond.format(at);
}

/** `14:03:12` in the viewer's zone. */
export function clockTime(at: number): string {
  return timeOnly.format(at);
}

/** A message of Tocsin, with the ISO times in it as `Nov 26, 2026, 14:03:12` in the viewer's zone. */
export function withLocalTimes(message: string): string {
  return message.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, (iso) => {
    const at = Date.parse(iso);
    return Number.isNaN(at) ? iso : exact(at);
  });
}

/** `2026-11-26 14:03:12 UTC` */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Share from 0 to 1 as `99.95%`. Rounded down, so that only 1 is `100%`. */
export function percent(ratio: number): string {
  if (ratio === 0 || ratio === 1) return `${ratio * 100}%`;
  // More digits first: floating point makes 57.99 of 0.58.
  const hundredths = Math.min(9999, Math.floor(Math.round(ratio * 1e8) / 1e4));
  return `${(hundredths / 100).toFixed(2)}%`;
}

/** `512 B`, `12.4 kB`, `1.2 MB` */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(1)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}

/** A text without the ANSI colors of terminals. */
export function withoutColours(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/\u001B\[[0-9;]*m/g, '');
}
