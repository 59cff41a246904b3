// The session cookie, and the origin check of requests that carry it.
import type { IncomingHttpHeaders } from 'node:http';
import { deviceMaxMs, flowMaxMs, sessionMaxMs } from '#domain/accounts/user.ts';
import { HttpRefusal } from './http-refusal.ts';

/** Name of the cookie. Browsers accept the prefix `__Host-` only over TLS, and only for this host. */
export function cookieName(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-tocsin' : 'tocsin_session';
}

/** The token in the cookie of a request; undefined = none. */
export function cookieToken(headers: IncomingHttpHeaders, publicUrl: string): string | undefined {
  return cookieIn(headers, cookieName(publicUrl));
}

function cookieIn({ cookie }: IncomingHttpHeaders, name: string): string | undefined {
  if (cookie === undefined) return undefined;
  const start = `${name}=`;
  const found = cookie.split(';').find((each) => each.trimStart().startsWith(start));
  return found?.trim().slice(start.length);
}

/** Name of the cookie that marks a known device. It is sent only where people sign in. */
const deviceCookie = 'tocsin_device';

/** The proof of a known device in the cookie of a request; undefined = none. */
export function deviceProof(headers: IncomingHttpHeaders): string | undefined {
  return cookieIn(headers, deviceCookie);
}

/** Name of the cookie of a sign-in at the identity provider. Other hosts of a domain cannot set it over TLS. */
function flowName(publicUrl: string): string {
  return isSecure(publicUrl) ? '__Host-tocsin-flow' : 'tocsin_flow';
}

/** The proof of a sign-in that has begun at the identity provider; undefined = none. */
export function flowProof(headers: IncomingHttpHeaders, publicUrl: string): string | undefined {
  return cookieIn(headers, flowName(publicUrl));
}

/** The `set-cookie` header of a sign-in that begins at the identity provider. */
export function flowCookie(proof: string, publicUrl: string, headers: IncomingHttpHeaders): string {
  return cookie(flowName(publicUrl), proof, { maxAgeMs: flowMaxMs, path: '/' }, publicUrl, headers);
}

/** The `set-cookie` headers of a new session, and of the device that is known from now on. */
export function sessionCookies(
  token: string,
  proof: string,
  publicUrl: string,
  headers: IncomingHttpHeaders,
): { readonly 'set-cookie': string[] } {
  const session = cookie(cookieName(publicUrl), token, { maxAgeMs: sessionMaxMs, path: '/' }, publicUrl, headers);
  const place = { maxAgeMs: deviceMaxMs, path: '/v1/sessions' };
  return { 'set-cookie': [session, cookie(deviceCookie, proof, place, publicUrl, headers)] };
}

/** The `set-cookie` header that removes the cookie of the session. */
export function noSessionCookie(publicUrl: string, headers: IncomingHttpHeaders): { readonly 'set-cookie': string } {
  return { 'set-cookie': cookie(cookieName(publicUrl), '', { maxAgeMs: 0, path: '/' }, publicUrl, headers) };
}

function cookie(
  name: string,
  value: string,
  { maxAgeMs, path }: { readonly maxAgeMs: number; readonly path: string },
  publicUrl: string,
  { origin = '' }: IncomingHttpHeaders,
): string {
  // A page that was loaded over TLS says so, also where the public URL is not configured.
  const secure = isSecure(publicUrl) || isSecure(origin) ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${Math.floor(maxAgeMs / 1000)}; HttpOnly; SameSite=Strict${secure}`;
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
