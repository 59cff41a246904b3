// A domain whose certificate is looked at, as a check names it (reference §4.3: sslCheckDomain).
import { isIP } from 'node:net';
import { asciiHost } from '#lib/net/host-name.ts';
import { hasPlaceholder } from '../placeholders.ts';
import type { Place } from './reach.ts';

/** Reads `host` or `host:port`; null = neither. */
export function readDomain(text: string): Place | null {
  const [, bracketed, plain, port = '443'] =
    /^(?:\[([\da-f:.]+)\]|([^\s/:@]+))(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  const host = asciiHost((bracketed ?? plain ?? '').replace(/\.$/, '').toLowerCase());
  if (host === null || host === '' || Number(port) < 1 || Number(port) > 65_535) return null;
  return { host, isAddress: isIP(host) > 0, port: Number(port) };
}

/** Why a check cannot name that; null = it can. What a variable will bring cannot be judged yet, and '' names none. */
export function domainProblem(text: string): string | null {
  if (text === '' || hasPlaceholder(text) || readDomain(text) !== null) return null;
  return `"${text}" is not a domain; use shop.example or shop.example:8443`;
}
