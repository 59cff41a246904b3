// Refuses requests under foreign host names: a page elsewhere could point its own name at this server and read it.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { html } from '#lib/markup/html.ts';
import { page } from './html.ts';

/** Host names of this server. */
export interface OwnHosts {
  readonly publicUrl: () => string;
  /** Additional names in lower case; `*.example.com` stands for all names below it. */
  readonly allowed: readonly string[];
}

/** A request, as far as its host matters. */
export interface Addressed {
  readonly headers: IncomingHttpHeaders;
  /** The request target, which is a whole URL in requests to proxies. */
  readonly target: string;
  /** Whether the request comes from a trusted proxy, whose `x-forwarded-host` counts as well. */
  readonly isForwarded: boolean;
  /** Whether its operation answers everybody: then an Authorization header, which any page can set, proves nothing. */
  readonly isOpen: boolean;
}

/** Paths that need no secret of a browser: their token is in the address, or they show nothing. */
const openPaths = /^\/(?:health(?:[/?]|$)|ping\/|(?:checks|check-groups)\/[^/?]+\/trigger\/)/;

/**
 * The name under which a request must not be answered; null = it may be. A request without a name comes from no
 * browser. One with an Authorization header brings its own right, if the operation verifies it.
 */
export function foreignHost({ headers, target, isForwarded, isOpen }: Addressed, own: OwnHosts): string | null {
  if ((headers.authorization !== undefined && !isOpen) || openPaths.test(target)) return null;
  const forwarded = isForwarded ? String(headers['x-forwarded-host'] ?? '').split(',') : [];
  const [, inTarget = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target) ?? [];
  // All of them, because a page can set x-forwarded-host, and not every proxy replaces it.
  const names = [headers.host ?? '', inTarget, ...forwarded].map((name) => name.trim()).filter((name) => name !== '');
  return names.find((name) => !isOwn(name, own)) ?? null;
}

/** The name of a Host header in lower case, without port; null = it is one of this server's, or malformed. */
export function otherName(host: string, own: OwnHosts): string | null {
  return isOwn(host, own) ? null : parseName(host);
}

/** Whether a page with this origin is one of this server's. */
export function isOwnOrigin(origin: string, own: OwnHosts): boolean {
  const host = URL.parse(origin)?.host;
  return host !== undefined && host !== '' && isOwn(host, own);
}

function isOwn(host: string, { publicUrl, allowed }: OwnHosts): boolean {
  const name = parseName(host);
  if (name === null) return false;
  if (isIP(name) > 0 || name === 'localhost' || name.endsWith('.localhost')) return true;
  if (name === parseName(new URL(publicUrl()).host)) return true;
  return allowed.some((each) => (each.startsWith('*.') ? name.endsWith(each.slice(1)) : name === each));
}

/** The name or address of a Host header in lower case, without port and trailing dot; null = malformed. */
function parseName(host: string): string | null {
  const [, bracketed, plain = ''] = /^(?:\[([\da-f:.]+)\]|([a-z\d_.-]+?)\.?)(?::\d{0,5})?$/i.exec(host) ?? [];
  if (bracketed !== undefined) return isIPv6(bracketed) ? bracketed : null;
  // Only an address ends in a number; browsers write addresses in full.
  if (plain === '' || (/(?:^|\.)\d+$/.test(plain) && !isIPv4(plain))) return null;
  return plain.toLowerCase();
}

/** The error message of a 421. */
export function foreignHostMessage(name: string): string {
  return `The host name ${JSON.stringify(name.slice(0, 255))} is not allowed. Add it to TOCSIN_ALLOWED_HOSTS, or use the address in TOCSIN_PUBLIC_URL.`;
}

/** The same as a page for browsers. */
export function foreignHostPage(name: string): string {
  return page(
    'Host name not allowed',
    html`<main class="result">
      <h1>Host name not allowed</h1>
      <p>This server does not answer under the name <code>${name.slice(0, 255)}</code>.</p>
      <p>
        If you operate this server, add the name to <code>TOCSIN_ALLOWED_HOSTS</code>, or set
        <code>TOCSIN_PUBLIC_URL</code> to the address that people use, and restart Tocsin.
      </p>
    </main>`,
  );
}
