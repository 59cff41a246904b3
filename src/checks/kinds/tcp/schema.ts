// The schema of TCP checks (reference §4.3).
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';
import type { CheckSchema } from '../../schema.ts';
import { assertionList } from '../../parts/assertions/schema.ts';
import { hostname, inFull, ipFamily, lightResult, port, responseTimes } from '../../parts/schema.ts';

export const sources = ['RESPONSE_DATA', 'RESPONSE_TIME'] as const;

const request = z
  .strictObject({
    hostname: hostname.describe('Name or address, without scheme and port. `url` is accepted as an alias.'),
    port,
    data: orNull(z.string().max(32_768), () => '')
      .default('')
      .describe('Data to send after connecting.'),
    ipFamily,
    assertions: assertionList(
      'TcpAssertion',
      sources,
      'RESPONSE_DATA: a regular expression that extracts a part before the comparison.',
    ).default([]),
  })
  .meta({ id: 'TcpRequestWrite', description: 'The host and port to connect to, and the data to send.' });

export const tcpSchema = {
  type: 'TCP',
  name: 'Tcp',
  title: 'a TCP check',
  analyticsPath: 'tcp-checks',
  about: 'Monitors whether a port accepts connections and sends the expected data.',
  example: {
    name: 'Redis',
    frequency: 1,
    request: {
      hostname: 'redis.example',
      port: 6379,
      data: 'PING\r\n',
      assertions: [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: '+PONG' }],
    },
  },
  fields: {
    // Some clients call the host `url`.
    request: z.preprocess((value) => {
      if (typeof value !== 'object' || value === null || !('url' in value) || 'hostname' in value) return value;
      const { url, ...rest } = value;
      return { ...rest, hostname: url };
    }, request),
    ...responseTimes(3000, 5000),
  },
  result: {
    ...lightResult,
    request: z.strictObject({ hostname: z.string(), port: z.int(), data: z.string() }).nullable().describe(inFull),
    response: z
      .strictObject({
        bytes: z.int(),
        truncated: z.boolean().describe('Whether more data was received than is read.'),
        data: z.string().exactOptional().describe('Absent if only the outcome is stored.'),
      })
      .nullable()
      .describe('null if there was no connection.'),
  },
} as const satisfies CheckSchema;
