// The session cookie, and the origin check of requests that carry it.
import type { IncomingHttpHeaders } from 'node:http';
import { sessionMaxMs } from '#domain/accounts/user.ts';
import { HttpRefusal } from './http-refusal.ts';

/** Name of the cookie. Browsers accept the prefix `__Host-` only over TLS, and only for this host. */
export function cookieName(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-tocsin' : 'tocsin_session';
}

/** The token in the cookie of a request; undefined = none. */
export function cookieToken(headers: IncomingHttpHeaders, publicUrl: string): string | undefined {
  if (headers.cookie === undefined) return undefined;
  const start = `${cookieName(publicUrl)}=`;
  const cookie = headers.cookie.split(';').find((each) => each.trimStart().startsWith(start));
  return cookie?.trim().slice(start.length);
}

/** The `set-cookie` header of a new session. */
export function sessionCookie(token: string, publicUrl: string, headers: IncomingHttpHeaders): Record<string, string> {
  return cookie(token, Math.floor(sessionMaxMs / 1000), publicUrl, headers);
}

/** The `set-cookie` header that removes the cookie. */
export function noSessionCookie(publicUrl: string, headers: IncomingHttpHeaders): Record<string, string> {
  return cookie('', 0, publicUrl, headers);
}

function cookie(value: string, maxAgeSeconds: number, publicUrl: string, { origin = '' }: IncomingHttpHeaders) {
  // A page that was loaded over TLS says so, also where the public URL is not configured.
  const secure = isSecure(publicUrl) || isSecure(origin) ? '; Secure' : '';
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  return { 'set-cookie': `${cookieName(publicUrl)}=${value}; ${attributes}` };
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/**
 * Refuses (403) a request from a page of another origin. Browsers send at least one of the two headers.
 * @param isBrowser whether the request must come from a browser, which always sends one of them
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, publicUrl: string, isBrowser: boolean): void {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site === undefined && origin === undefined && !isBrowser) return;
  if (site === undefined ? isOwn(origin, headers.host, publicUrl) : site === 'same-origin') return;
  throw new HttpRefusal(
    403,
    'A request with the session cookie must come from a page of this server. Scripts: use an API key instead.',
  );
}

function isOwn(origin: string | undefined, host: string | undefined, publicUrl: string): boolean {
  const url = URL.parse(origin ?? '');
  if (url === null) return false;
  return url.origin === new URL(publicUrl).origin || (/^https?:$/.test(url.protocol) && url.host === host);
}
