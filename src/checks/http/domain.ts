// A domain whose certificate is looked at, as a check names it.
import { isIP } from 'node:net';
import type { Place } from '../connection/reach.ts';

/** Reads `host` or `host:port`; null = neither. */
export function readDomain(text: string): Place | null {
  const [, bracketed, plain, port = '443'] =
    /^(?:\[([\da-f:.]+)\]|([^\s/:@]+))(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
  const host = (bracketed ?? plain ?? '').replace(/\.$/, '').toLowerCase();
  if (host === '' || Number(port) < 1 || Number(port) > 65_535) return null;
  return { host, isAddress: isIP(host) > 0, port: Number(port) };
}
