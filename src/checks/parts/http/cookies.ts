// Cookies that responses set on the way to the last one (RFC 6265). They are forgotten when the run ends.
import type { CookieJar } from 'tough-cookie';
import type { OutgoingRequest } from './plan.ts';

/** Limit of the cookies that a run takes, and of each, characters. */
const mostCookies = 50;
const mostCharacters = 4096;

/** The cookies of one run. */
export interface RunCookies {
  /** Takes the `Set-Cookie` headers of a response. Invalid cookies, and those for other domains, are ignored. */
  store(url: string, headers: readonly string[]): void;
  /** The request with the cookies that its URL receives. They replace those of the same name that the check sets. */
  addTo(request: OutgoingRequest): OutgoingRequest;
}

/** Makes the cookies of a run. Loads the library when a thread meets its first cookie: few checks need it. */
export async function makeRunCookies(): Promise<RunCookies> {
  const { CookieJar } = await import('tough-cookie');
  return createRunCookies(new CookieJar(undefined, { allowSecureOnLocal: false }));
}

function createRunCookies(jar: CookieJar): RunCookies {
  let left = mostCookies;
  return {
    store(url, headers) {
      const taken = headers.slice(0, left);
      left -= taken.length;
      for (const header of taken)
        if (header.length <= mostCharacters) jar.setCookieSync(header, url, { ignoreError: true });
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
