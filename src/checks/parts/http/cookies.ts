// Cookies set by responses during a run (RFC 6265). They are discarded afterwards.
import type { CookieJar } from 'tough-cookie';
import type { OutgoingRequest } from './plan.ts';

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
