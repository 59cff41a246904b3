// The question of a DNS check and what is asserted of its answer (reference §4.3).
import { z } from 'zod';
import { assertionList, assertionsShown } from './assertions.ts';
import { hostname, port } from './tcp-request.ts';

const sources = ['RESPONSE_CODE', 'RESPONSE_TIME', 'TEXT_ANSWER', 'JSON_ANSWER'] as const;
const recordTypes = ['A', 'AAAA', 'CAA', 'CNAME', 'HTTPS', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'] as const;

const fields = z
  .strictObject({
    query: z.string().trim().min(1).max(2048).describe('The name that is asked about.'),
    recordType: z.enum(recordTypes),
    nameServer: hostname
      .nullable()
      .default(null)
      .describe('Name or address of the server that is asked; null = those of the machine that runs the check.'),
    port: port.default(53),
    protocol: z
      .enum(['UDP', 'TCP'])
      .default('UDP')
      .describe('An answer that is too long for UDP is asked for over TCP.'),
    assertions: assertionList(
      'DnsAssertion',
      sources,
      'Of JSON_ANSWER a JSON path, of TEXT_ANSWER a regex that takes a part of it first.',
    ).default([]),
  })
  .meta({ id: 'DnsRequestWrite', description: 'What is asked, and of whom.' });

/** Some clients write the server as an object, and leave it empty. */
export const dnsRequest = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null || !('nameServer' in value)) return value;
  const { nameServer, ...rest } = value;
  if (nameServer === '') return rest;
  if (typeof nameServer !== 'object' || nameServer === null || !('host' in nameServer)) return value;
  const { host, ...place } = nameServer as { readonly host: unknown };
  return { ...rest, ...place, nameServer: host };
}, fields);

/** The same as shown: everything present. */
export const dnsRequestShown = z
  .strictObject({
    query: z.string(),
    recordType: z.enum(recordTypes),
    nameServer: z.string().nullable(),
    port: z.int(),
    protocol: z.enum(['UDP', 'TCP']),
    assertions: assertionsShown(sources),
  })
  .meta({ id: 'DnsRequest' });
