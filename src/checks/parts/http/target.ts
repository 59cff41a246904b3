// Parses request URLs, and validates those that contain variables.
import { isIP } from 'node:net';
import { userInfoOf } from '#lib/net/uri.ts';
import type { Endpoint } from '../connection/reach.ts';
import { fillIn, hasPlaceholder } from '../placeholders.ts';

/** The parts of an absolute http(s) URL that a request needs. */
export interface Target extends Endpoint {
  /** Without user info and fragment. */
  readonly href: string;
  readonly origin: string;
  readonly isTls: boolean;
  readonly path: string;
  readonly hostHeader: string;
  /** Decoded `user:password`, or null. */
  readonly userInfo: string | null;
}

/** Parses an absolute http(s) URL; null if invalid. */
export function parseTarget(text: string, base?: string): Target | null {
  const url = URL.parse(text.trim(), base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return null;
  const isTls = url.protocol === 'https:';
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
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
    userInfo: userInfoOf(url),
  };
}

/** Returns what is wrong with a URL that contains variables, or null (decisions: Methods, URL). */
export function urlProblem(url: string): string | null {
  const right = 'use an absolute http:// or https:// URL, or one that starts with {{NAME}}';
  if (/^\s*\{\{/.test(url) && hasPlaceholder(url)) return null;
  const filled = fillIn(url, new Map(), new Set(), () => '1');
  return parseTarget(filled) === null ? `"${url}" is not a valid URL; ${right}` : null;
}
