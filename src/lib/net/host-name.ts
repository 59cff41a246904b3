// Host names, and addresses, for the network and for messages.
import { domainToASCII } from 'node:url';

/** A host with international labels as A-labels (`xn--…`); null = invalid. Addresses are unchanged. */
export function asciiHost(host: string): string | null {
  // URL parsing would turn an ASCII name that looks like a number into an address.
  if (/^[\x20-\x7e]*$/.test(host)) return host;
  return domainToASCII(host) || null;
}
