// The schema of ICMP checks (reference §4.3).
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';
import type { CheckSchema } from '../../schema.ts';
import { assertionList } from '../../parts/assertions/schema.ts';
import { hostname, inFull, ipFamily, lightResult, limit } from '../../parts/schema.ts';

export const sources = ['LATENCY', 'JSON_RESPONSE'] as const;

const ms = z.number();

export const icmpSchema = {
  type: 'ICMP',
  name: 'Icmp',
  title: 'an ICMP check',
  analyticsPath: 'icmp',
  about: 'Monitors whether a host answers pings.',
  description: 'Pings a host and checks packet loss and latency.',
  example: {
    name: 'Gateway',
    frequency: 1,
    request: {
      hostname: 'gateway.example',
      assertions: [{ source: 'LATENCY', property: 'avg', comparison: 'LESS_THAN', target: '50' }],
    },
  },
  fields: {
    request: z
      .strictObject({
        hostname: hostname.describe('Name or address.'),
        ipFamily,
        pingCount: orNull(z.int().min(0).max(50), () => 10)
          .transform((value) => value || 10)
          .default(10)
          .describe('Number of pings, 1 to 50. Five are sent per second.'),
        assertions: assertionList(
          'IcmpAssertion',
          sources,
          'LATENCY: avg, min, max or stdDev. JSON_RESPONSE: a JSON path.',
        ).default([]),
      })
      .meta({ id: 'IcmpRequestWrite', description: 'The host to ping and the number of pings.' }),
    degradedPacketLossThreshold: limit(10, 100).describe('Packet loss in percent from which the check is degraded.'),
    maxPacketLossThreshold: limit(20, 100).describe('Packet loss in percent from which the check fails.'),
  },
  result: {
    ...lightResult,
    request: z.strictObject({ hostname: z.string(), pingCount: z.int() }).nullable().describe(inFull),
    response: z
      .strictObject({
        sent: z.int(),
        received: z.int(),
        packetLoss: z.number().describe('Percent.'),
        latency: z
          .strictObject({ min: ms, avg: ms, max: ms, stdDev: ms })
          .nullable()
          .describe('In ms. null if there were no replies.'),
        replies: z
          .array(z.strictObject({ number: z.int(), time: ms }))
          .exactOptional()
          .describe('Absent if only the outcome is stored.'),
      })
      .nullable()
      .describe('null if no ping could be sent.'),
  },
} as const satisfies CheckSchema;
