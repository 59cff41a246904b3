// Host names as they go over the network.
import { domainToASCII } from 'node:url';

/** A host with its international labels as A-labels (`xn--…`); null = no such name exists. Addresses stay as they are. */
export function asciiHost(host: string): string | null {
  // An ASCII name that looks like a number would become an address.
  if (/^[\x20-\x7e]*$/.test(host)) return host;
  return domainToASCII(host) || null;
}
