// Assertions on the wire: the same shape for every type of check, each with its own sources (reference §4.3).
import { z } from 'zod';
import { orNull } from './fields.ts';
import { ignoring } from './lists.ts';

const comparisons = [
  'EQUALS',
  'NOT_EQUALS',
  'HAS_KEY',
  'NOT_HAS_KEY',
  'HAS_VALUE',
  'NOT_HAS_VALUE',
  'IS_EMPTY',
  'NOT_EMPTY',
  'GREATER_THAN',
  'LESS_THAN',
  'CONTAINS',
  'NOT_CONTAINS',
  'IS_NULL',
  'NOT_NULL',
] as const;

/** Who compares a status writes 200 as often as "200". */
const target = z
  .union([z.string().max(32_768), z.number(), z.boolean()])
  .nullable()
  .transform((value) => (value === null ? '' : String(value)));

/**
 * The assertions of a type of check; what an editor of a client keeps beside them is left out.
 *
 * @param id of the schema in the document
 * @param property what it means, source by source
 */
export function assertionList<const Sources extends readonly string[]>(id: string, sources: Sources, property: string) {
  const assertion = z
    .strictObject({
      source: z.enum(sources).describe('What is looked at.'),
      comparison: z.enum(comparisons).describe('How it is compared.'),
      property: orNull(z.string().max(2000), () => '')
        .default('')
        .describe(property),
      target: target.default('').describe('What it is compared with; a number, true and false are kept as text.'),
      regex: z.string().max(2000).nullable().default(null).describe('Takes a part of the text or header first.'),
    })
    .meta({ id, description: 'A statement about an answer that must hold.' });
  return orNull(
    z.array(ignoring(['edit', 'order', 'arrayIndex', 'arraySelector', 'id'], assertion)).max(100),
    () => [],
  );
}

/** The same as shown. */
export function assertionsShown<const Sources extends readonly string[]>(sources: Sources) {
  return z.array(
    z.strictObject({
      source: z.enum(sources),
      comparison: z.enum(comparisons),
      property: z.string(),
      target: z.string(),
      regex: z.string().nullable(),
    }),
  );
}
