// The request of a TCP check and what is asserted of what comes back (reference §4.3).
import { z } from 'zod';
import { ipFamily, ipFamilyShown } from './api-request.ts';
import { assertionList, assertionsShown } from './assertions.ts';
import { orNull } from '#lib/schema/fields.ts';

const sources = ['RESPONSE_DATA', 'RESPONSE_TIME'] as const;

/** A host name or an address, without scheme and port. */
export const hostname = z.string().trim().min(1).max(2048);
/** A port. */
export const port = z.int().min(1).max(65_535);

const fields = z
  .strictObject({
    hostname: hostname.describe('Name or address, without scheme and port. `url` is taken for it, too.'),
    port,
    data: orNull(z.string().max(32_768), () => '')
      .default('')
      .describe('Sent once connected.'),
    ipFamily,
    assertions: assertionList(
      'TcpAssertion',
      sources,
      'Of RESPONSE_DATA a regex that takes a part of it first.',
    ).default([]),
  })
  .meta({ id: 'TcpRequestWrite', description: 'Where a TCP check connects to, and what it sends.' });

/** Some clients name the host `url`. */
export const tcpRequest = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null || !('url' in value) || 'hostname' in value) return value;
  const { url, ...rest } = value;
  return { ...rest, hostname: url };
}, fields);

/** The same as shown: everything present. */
export const tcpRequestShown = z
  .strictObject({
    hostname: z.string(),
    port: z.int(),
    data: z.string(),
    ipFamily: ipFamilyShown,
    assertions: assertionsShown(sources),
  })
  .meta({ id: 'TcpRequest' });
