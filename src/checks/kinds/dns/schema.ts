// The schema of DNS checks (reference §4.3).
import { z } from 'zod';
import { jsonObject } from '#lib/schema/json.ts';
import type { CheckSchema } from '../../schema.ts';
import { assertionList } from '../../parts/assertions/schema.ts';
import { type RecordType, recordTypes } from './message.ts';
import { hostname, inFull, lightResult, port, responseTimes } from '../../parts/schema.ts';

export const sources = ['RESPONSE_CODE', 'RESPONSE_TIME', 'TEXT_ANSWER', 'JSON_ANSWER'] as const;
const recordType = z.enum((Object.keys(recordTypes) as RecordType[]).toSorted());

const request = z
  .strictObject({
    query: z.string().trim().min(1).max(2048).describe('Name to query.'),
    recordType,
    nameServer: hostname
      .nullable()
      .default(null)
      .describe('Name or address of the name server. null uses the name servers of the machine that runs the check.'),
    port: port.default(53),
    protocol: z
      .enum(['UDP', 'TCP'])
      .default('UDP')
      .describe('If a response is too long for UDP, the query is repeated over TCP.'),
    assertions: assertionList(
      'DnsAssertion',
      sources,
      'JSON_ANSWER: a JSON path. TEXT_ANSWER: a regular expression that extracts a part before the comparison.',
    ).default([]),
  })
  .meta({ id: 'DnsRequestWrite', description: 'The query and the name server.' });

export const dnsSchema = {
  type: 'DNS',
  name: 'Dns',
  title: 'a DNS check',
  analyticsPath: 'dns',
  about: 'Monitors DNS records.',
  description: 'Queries a name server and checks the response.',
  example: {
    name: 'Address of the shop',
    frequency: 5,
    request: {
      query: 'shop.example',
      recordType: 'A',
      assertions: [{ source: 'JSON_ANSWER', property: '$.Answer[0].data', comparison: 'EQUALS', target: '192.0.2.1' }],
    },
  },
  fields: {
    // Some clients send the server as an object, possibly empty.
    request: z.preprocess((value) => {
      if (typeof value !== 'object' || value === null || !('nameServer' in value)) return value;
      const { nameServer, ...rest } = value;
      if (nameServer === '') return rest;
      if (typeof nameServer !== 'object' || nameServer === null || !('host' in nameServer)) return value;
      const { host, ...place } = nameServer as { readonly host: unknown };
      return { ...rest, ...place, nameServer: host };
    }, request),
    ...responseTimes(500, 1000),
  },
  result: {
    ...lightResult,
    request: z
      .strictObject({
        query: z.string(),
        recordType: z.string(),
        nameServer: z.string().nullable(),
        port: z.int(),
        protocol: z.string(),
      })
      .nullable()
      .describe(inFull),
    response: z
      .strictObject({
        code: z.string().describe('For example NOERROR or NXDOMAIN.'),
        answers: z.int().describe('Records in the answer.'),
        text: z.string().exactOptional().describe('One line for each record. Absent if only the outcome is stored.'),
        json: jsonObject
          .exactOptional()
          .describe('The document that JSON_ANSWER reads. Absent if only the outcome is stored.'),
      })
      .nullable()
      .describe('null if there was no response.'),
  },
} as const satisfies CheckSchema;
