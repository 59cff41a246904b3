// Wire schema of assertions: the same shape for every check type, with its own sources (reference §4.3).
import { z } from 'zod';
import { orNull } from '#lib/schema/fields.ts';
import { ignoring } from '#lib/schema/bodies.ts';
import { showAs } from '#lib/schema/shown.ts';
import { comparisons } from './sources.ts';

/** What to use instead of an unsupported source: the first supported alternative, or another check type. */
const instead: Readonly<Record<string, readonly [sources: readonly string[], other: string]>> = {
  TEXT_BODY: [['RESPONSE_DATA', 'TEXT_ANSWER', 'TEXT_RESPONSE', 'JSON_RESPONSE'], 'an API check (POST /v1/checks/api)'],
  JSON_BODY: [['RESPONSE_DATA', 'JSON_ANSWER', 'JSON_RESPONSE'], 'an API check (POST /v1/checks/api)'],
  HEADERS: [[], 'an API check (POST /v1/checks/api)'],
  RESPONSE_TIME: [['LATENCY'], 'maxResponseTime and degradedResponseTime, or an API check (POST /v1/checks/api)'],
  STATUS_CODE: [['RESPONSE_CODE'], 'a URL check (POST /v1/checks/url) or an API check (POST /v1/checks/api)'],
  RESPONSE_DATA: [['TEXT_BODY', 'TEXT_ANSWER', 'TEXT_RESPONSE'], 'a TCP check (POST /v1/checks/tcp)'],
  RESPONSE_CODE: [['STATUS_CODE'], 'a DNS check (POST /v1/checks/dns)'],
  TEXT_ANSWER: [['TEXT_BODY'], 'a DNS check (POST /v1/checks/dns)'],
  JSON_ANSWER: [['JSON_BODY'], 'a DNS check (POST /v1/checks/dns)'],
  LATENCY: [['RESPONSE_TIME'], 'an ICMP check (POST /v1/checks/icmp)'],
  CERTIFICATE: [[], 'an SSL check (POST /v1/checks/ssl)'],
  CONNECTION: [[], 'an SSL check (POST /v1/checks/ssl)'],
  JSON_RESPONSE: [['JSON_BODY', 'JSON_ANSWER'], 'an ICMP or SSL check'],
  TEXT_RESPONSE: [['TEXT_BODY', 'TEXT_ANSWER'], 'an SSL check (POST /v1/checks/ssl)'],
};

function sourceRule(sources: readonly string[], input: unknown): string {
  const [alike, other] = instead[String(input)] ?? [[], null];
  const own = alike.find((source) => sources.includes(source)) ?? other;
  const rule = sources.length === 1 ? `must be ${sources[0]}` : `must be one of ${sources.join(', ')}`;
  return own === null ? rule : `${rule}: for ${String(input)} use ${own}`;
}

/** Clients send 200 as often as "200". */
const target = showAs(
  z
    .union([z.string().max(32_768), z.number(), z.boolean()])
    .nullable()
    .transform((value) => (value === null ? '' : String(value))),
  z.string(),
);

/**
 * Creates the assertion list of a check type. Ignores extra fields of client editors.
 *
 * @param id schema id in responses
 * @param property meaning of the property, by source
 */
export function assertionList<const Sources extends readonly string[]>(id: string, sources: Sources, property: string) {
  const assertion = z
    .strictObject({
      source: z.enum(sources, { error: ({ input }) => sourceRule(sources, input) }).describe('The value to compare.'),
      comparison: z.enum(comparisons).describe('How it is compared.'),
      property: orNull(z.string().max(2000), () => '')
        .default('')
        .describe(property),
      target: target.default('').describe('Value to compare with. Numbers and booleans are stored as text.'),
      regex: z
        .string()
        .max(2000)
        .nullable()
        .default(null)
        .describe('Regular expression that extracts part of the text or header before the comparison.'),
      passesIfAbsent: z
        .boolean()
        .exactOptional()
        .describe(
          'true in responses: this assertion was saved by an older version and passes if the value does not exist. Unchanged assertions keep that. false gives it up; true is ignored for other assertions.',
        ),
    })
    .meta({ id: `${id}Write`, description: 'A condition on the response.' });
  return orNull(
    z.array(ignoring(['edit', 'order', 'arrayIndex', 'arraySelector', 'id'], assertion)).max(100),
    () => [],
  );
}
