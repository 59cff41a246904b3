// What an ICMP check pings and what is asserted of the answers (reference §4.3).
import { z } from 'zod';
import { ipFamily, ipFamilyShown } from './api-request.ts';
import { assertionList, assertionsShown } from './assertions.ts';
import { orNull } from '#lib/schema/fields.ts';
import { hostname } from './tcp-request.ts';

const sources = ['LATENCY', 'JSON_RESPONSE'] as const;

export const icmpRequest = z
  .strictObject({
    hostname: hostname.describe('Name or address.'),
    ipFamily,
    pingCount: orNull(z.int().min(0).max(50), () => 10)
      .transform((value) => value || 10)
      .default(10)
      .describe('1 to 50, five a second.'),
    assertions: assertionList(
      'IcmpAssertion',
      sources,
      'Of LATENCY avg, min, max or stdDev, of JSON_RESPONSE a JSON path.',
    ).default([]),
  })
  .meta({ id: 'IcmpRequestWrite', description: 'Whom an ICMP check pings, and how often.' });

/** The same as shown: everything present. */
export const icmpRequestShown = z
  .strictObject({
    hostname: z.string(),
    ipFamily: ipFamilyShown,
    pingCount: z.int(),
    assertions: assertionsShown(sources),
  })
  .meta({ id: 'IcmpRequest' });

/** Percent; 0, which some clients send for "not set", is the default. */
export function packetLoss(byDefault: number, meaning: string) {
  return orNull(z.number().min(0).max(100), () => byDefault)
    .transform((value) => value || byDefault)
    .default(byDefault)
    .describe(`${meaning} Percent.`);
}
