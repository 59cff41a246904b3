// Parts of checks that several importers make: names, intervals, limits, requests.
import type { FileResource } from '#contract/projects/resource-file.ts';

/** Intervals of checks, seconds. */
const intervals = [10, 20, 30, ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * 60)];

/** The nearest interval of Tocsin; of two, the shorter. A note says if it differs. @param seconds in the other product */
export function interval(seconds: number, notes: string[]): FileResource {
  const nearest = intervals.reduce((best, each) => (Math.abs(each - seconds) < Math.abs(best - seconds) ? each : best));
  if (nearest !== seconds) notes.push(`runs every ${spanText(nearest)} instead of ${spanText(seconds)}`);
  return nearest < 60 ? { frequency: 0, frequencyOffset: nearest } : { frequency: nearest / 60 };
}

/** `90 s`, `5 min`, `2 h`, `1 d` */
export function spanText(seconds: number): string {
  const [size, unit] = (
    [
      [86_400, 'd'],
      [3600, 'h'],
      [60, 'min'],
    ] as const
  ).find(([each]) => seconds >= each && seconds % each === 0) ?? [1, 's'];
  return `${seconds / size} ${unit}`;
}

/** The name within its limit of 200 characters. */
export function nameOf(name: string, fallback: string): string {
  return name.trim().slice(0, 200).trim() || fallback;
}

/** The description within its limit; null = none. */
export function descriptionOf(text: string, notes: string[]): string | null {
  if (text.length > 510) notes.push('the description is cut after 510 characters');
  return text.trim() === '' ? null : text.trim().slice(0, 510);
}

/** Tags within their limits, each once. */
export function tagsOf(tags: readonly string[]): readonly string[] {
  return [...new Set(tags.map((tag) => tag.trim().slice(0, 200)).filter((tag) => tag !== ''))];
}

/** Largest limit of a response time. */
const maxTimeoutMs = 30_000;

/** Response time limits for a timeout. @param degradedMs the usual limit of a degraded result of the type */
export function timeout(seconds: number | null, degradedMs: number, notes: string[]): FileResource {
  if (seconds === null || seconds <= 0) return {};
  const max = Math.min(maxTimeoutMs, Math.round(seconds * 1000));
  if (seconds * 1000 > maxTimeoutMs) notes.push(`times out after 30 s instead of ${spanText(seconds)}`);
  return { maxResponseTime: max, ...(max < degradedMs && { degradedResponseTime: max }) };
}

/** Retries at a fixed distance. @param count retries; 0 = none */
export function retries(count: number, seconds: number, notes: string[]): FileResource {
  if (count <= 0) return {};
  const maxRetries = Math.min(10, count);
  const baseBackoffSeconds = Math.min(600, Math.max(0, Math.round(seconds)));
  if (maxRetries < count) notes.push(`retries 10 times instead of ${count} times`);
  if (maxRetries * baseBackoffSeconds > 600) notes.push('retries end after 10 min');
  return {
    retryStrategy: { type: 'FIXED', baseBackoffSeconds, maxRetries, maxDurationSeconds: 600, sameRegion: true },
  };
}

/** A condition on a response. An alias, because an interface is no JSON for the compiler. */
export type Assertion = {
  readonly source: string;
  readonly comparison: string;
  readonly target?: string;
  readonly property?: string;
  readonly regex?: string;
};

/** Status codes from and to, both included. */
export type StatusRange = readonly [from: number, to: number];

/**
 * Assertions that accept these status codes. If they are not one range, codes between them are excluded one by one as
 * far as a check can hold them, and a note says what remains.
 */
export function statusAssertions(
  ranges: readonly StatusRange[],
  notes: string[],
): { readonly assertions: readonly Assertion[]; readonly shouldFail: boolean } {
  const sorted = ranges.toSorted(([a], [b]) => a - b);
  const [low, high] = [sorted[0]?.[0] ?? 200, Math.max(200, ...sorted.map(([, to]) => to))];
  const holes: number[] = [];
  for (let code = low; code <= high; code += 1) {
    if (!sorted.some(([from, to]) => code >= from && code <= to)) holes.push(code);
  }
  const source = 'STATUS_CODE';
  const bounds: Assertion[] =
    low === high
      ? [{ source, comparison: 'EQUALS', target: String(low) }]
      : [
          { source, comparison: 'GREATER_THAN', target: String(low - 1) },
          { source, comparison: 'LESS_THAN', target: String(high + 1) },
        ];
  const isListed = holes.length <= 50;
  if (!isListed)
    notes.push(`accepts every status from ${low} to ${high}: a check cannot exclude ${holes.length} of them`);
  const excluded = isListed ? holes.map((code) => ({ source, comparison: 'NOT_EQUALS', target: String(code) })) : [];
  return { assertions: [...bounds, ...excluded], shouldFail: high >= 400 };
}

/** A status such as `200`, `2xx` or `200-299` as a range; null = it is none. */
export function statusRange(text: string): StatusRange | null {
  const [, from = '', to = from] = /^\s*([1-5](?:\d\d|xx))\s*(?:-\s*([1-5]\d\d))?\s*$/i.exec(text) ?? [];
  if (from === '') return null;
  if (/xx/i.test(from)) return [Number(from[0]) * 100, Number(from[0]) * 100 + 99];
  return Number(from) <= Number(to) ? [Number(from), Number(to)] : null;
}

/** An HTTP request of another product. */
export interface HttpTarget {
  readonly url: string;
  readonly method?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  readonly basicAuth?: { readonly username: string; readonly password: string } | null;
  readonly followRedirects?: boolean;
  readonly skipSSL?: boolean;
  readonly ipFamily?: 'IPv4' | 'IPv6' | null;
  readonly assertions: readonly Assertion[];
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Header names whose values are secrets. */
const secretHeader = /^(?:authorization|proxy-authorization|cookie|x-api-key|.*token.*|.*secret.*)$/i;

/** The request of an API check; null = Tocsin cannot send it, and the notes say why. */
export function httpRequest(target: HttpTarget, notes: string[]): FileResource | null {
  const { url, body = '', headers = [], assertions, basicAuth = null } = target;
  const method = (target.method ?? '').toUpperCase() || 'GET';
  const isUrl = /^(?:https?:\/\/[^\s/]|\$\{?\w)/i.test(url) && url.length <= 2048;
  if (!isUrl) notes.push(`"${url.slice(0, 100)}" is not an http or https URL`);
  if (!methods.includes(method)) notes.push(`Tocsin does not send the method ${method.slice(0, 20)}`);
  if (!isUrl || !methods.includes(method)) return null;
  if ([url, body, ...headers.flat()].some((text) => text.includes('{{'))) {
    notes.push('{{…}} in the request is filled with variables of Tocsin: check it');
  }
  return {
    method,
    url,
    ...(headers.length > 0 && {
      headers: headers.map(([key, value]) => ({ key, value, ...(secretHeader.test(key) && { locked: true }) })),
    }),
    ...(body !== '' && { body, bodyType: 'RAW' }),
    ...(basicAuth !== null && { basicAuth }),
    ...(target.followRedirects === false && { followRedirects: false }),
    ...(target.skipSSL === true && { skipSSL: true }),
    ...(target.ipFamily != null && { ipFamily: target.ipFamily }),
    ...(assertions.length > 0 && { assertions }),
  };
}

/** Host and port of `host:port`, `[::1]:80` or `scheme://host:port/…`; null = there is no port. */
export function hostPort(text: string): { readonly hostname: string; readonly port: number } | null {
  const [, hostname = '', port = ''] =
    /^(?:[a-z]+:\/\/)?(\[[^\]]+\]|[^\s:/]+):(\d{1,5})(?:\/.*)?$/i.exec(text.trim()) ?? [];
  const number = Number(port);
  if (hostname === '' || number < 1 || number > 65_535) return null;
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port: number };
}

/** The host of a target with or without scheme, port and path. */
export function hostOf(text: string): string {
  return (
    hostPort(text)?.hostname ??
    text
      .trim()
      .replace(/^[a-z]+:\/\//i, '')
      .replace(/[/?#].*$/, '')
      .replace(/^\[|\]$/g, '')
  );
}

/** Types of records that DNS checks query. */
const recordTypes = ['A', 'AAAA', 'CAA', 'CNAME', 'HTTPS', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'];

/** The type of a DNS query in upper case; null = Tocsin does not query it, and a note says so. */
export function recordTypeOf(type: string, notes: string[]): string | null {
  const name = type.toUpperCase();
  if (recordTypes.includes(name)) return name;
  notes.push(`Tocsin does not query records of the type ${name.slice(0, 20)}`);
  return null;
}
