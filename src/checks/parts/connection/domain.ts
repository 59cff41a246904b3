// A domain whose certificate a check monitors (reference §4.3: sslCheckDomain).
import { isIP } from 'node:net';
import { asciiHost } from '#lib/net/host-name.ts';
import { hasPlaceholder } from '../placeholders.ts';
import type { Endpoint } from './reach.ts';

/** Parses `host` or `host:port`; null if invalid. */
export function readDomain(text: string): Endpoint | null {
  const [, bracketed, plain, port = '443'] =
    /^(?:\[([\da-f:.]+)\]|([^\s/:@]+))(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  const host = asciiHost((bracketed ?? plain ?? '').replace(/\.$/, '').toLowerCase());
  if (host === null || host === '' || Number(port) < 1 || Number(port) > 65_535) return null;
  return { host, isAddress: isIP(host) > 0, port: Number(port) };
}

/** Returns why a domain is invalid, or null. Values of variables are not known yet; '' = none. */
export function domainProblem(text: string): string | null {
  if (text === '' || hasPlaceholder(text) || readDomain(text) !== null) return null;
  return `"${text}" is not a domain; use shop.example or shop.example:8443`;
}
