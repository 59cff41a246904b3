// Where one request goes, taken apart once.
import { isIP } from 'node:net';
import type { Place } from '../connection/reach.ts';

/** An absolute http(s) URL in the parts that a request needs. */
export interface Target extends Place {
  /** Without user-info and fragment. */
  readonly href: string;
  readonly origin: string;
  readonly isTls: boolean;
  readonly path: string;
  readonly hostHeader: string;
  /** `user:password` of the URL's user-info, percent-decoded; null when it has none. */
  readonly userInfo: string | null;
}

/** Takes a URL apart; null when it is no absolute http(s) URL. */
export function parseTarget(text: string, base?: string): Target | null {
  const url = URL.parse(text.trim(), base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return null;
  const isTls = url.protocol === 'https:';
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const userInfo =
    url.username === '' && url.password === '' ? null : `${decode(url.username)}:${decode(url.password)}`;
  const path = url.pathname + url.search;
  const { origin } = url;
  return {
    href: origin + path,
    origin,
    isTls,
    host,
    isAddress: isIP(host) > 0,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path,
    hostHeader: url.host,
    userInfo,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
