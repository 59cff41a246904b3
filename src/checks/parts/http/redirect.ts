// Follows redirects: the next request, the parts it keeps, and the cookies of a run.
import type { IncomingMessage } from 'node:http';
import type { Confidential, OutgoingRequest } from './plan.ts';
import { parseTarget } from './request.ts';
import type { CookieJar } from 'tough-cookie';

export const maxRedirects = 10;

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(answer: IncomingMessage): boolean {
  return redirecting.has(answer.statusCode ?? 0) && answer.headers.location !== undefined;
}

/**
 * Returns the next request, or null if the location is not an http(s) URL. From another origin on (scheme, host and
 * port), credentials, locked headers, and any header or body with a secret are dropped.
 */
export function redirected(
  request: OutgoingRequest,
  answer: IncomingMessage,
  confidential: Confidential,
): OutgoingRequest | null {
  const location = Buffer.from(answer.headers.location ?? '', 'latin1').toString();
  const target = parseTarget(location, request.target.href);
  if (target === null) return null;
  const status = answer.statusCode ?? 0;
  const isRewritten =
    status === 303 ? request.method !== 'HEAD' : (status === 301 || status === 302) && request.method === 'POST';
  const isElsewhere = target.origin !== request.target.origin;
  const hasSecretBody =
    isElsewhere && request.body !== null && (confidential.body || confidential.isIn(request.body.toString()));
  const dropsBody = isRewritten || hasSecretBody;
  const headers = request.headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    if (isElsewhere && isOfOrigin(lower, value, confidential)) return false;
    return !(dropsBody && lower.startsWith('content-'));
  });
  const method = isRewritten ? 'GET' : request.method;
  return { method, target, headers, body: dropsBody ? null : request.body };
}

const ofOrigin: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'host']);

function isOfOrigin(name: string, value: string, { headers, isIn }: Confidential): boolean {
  return ofOrigin.has(name) || headers.has(name) || isIn(name) || isIn(value);
}

/** Maximum cookies of a run, and maximum characters of each. */
const maxCookies = 50;
const maxCharacters = 4096;

export interface RunCookies {
  /** Stores `Set-Cookie` headers. Ignores invalid cookies and those for other domains. */
  store(url: string, headers: readonly string[]): void;
  /** Adds the matching cookies to a request. They replace cookies of the same name set by the check. */
  addTo(request: OutgoingRequest): OutgoingRequest;
}

/** Creates a cookie store. Loads the library on first use because few checks need it. */
export async function makeRunCookies(): Promise<RunCookies> {
  const { CookieJar } = await import('tough-cookie');
  return createRunCookies(new CookieJar(undefined, { allowSecureOnLocal: false }));
}

function createRunCookies(jar: CookieJar): RunCookies {
  let left = maxCookies;
  return {
    store(url, headers) {
      const taken = headers.slice(0, left);
      left -= taken.length;
      for (const header of taken)
        if (header.length <= maxCharacters) jar.setCookieSync(header, url, { ignoreError: true });
    },
    addTo(request) {
      const cookies = jar.getCookiesSync(request.target.href);
      if (cookies.length === 0) return request;
      const names = new Set(cookies.map(({ key }) => key));
      const isCookie = ([name]: readonly [string, string]): boolean => name.toLowerCase() === 'cookie';
      const own = request.headers
        .filter(isCookie)
        .flatMap(([, value]) => value.split(/;\s*/))
        .filter((pair) => pair !== '' && !names.has(pair.split('=', 1)[0] ?? ''));
      const all = [...own, ...cookies.map((cookie) => cookie.cookieString())].join('; ');
      return { ...request, headers: [...request.headers.filter((pair) => !isCookie(pair)), ['cookie', all]] };
    },
  };
}
