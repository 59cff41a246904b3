// Kinds of fields that many nouns share: ids, instants, numbers in a query, lists, and what `null` means in a write.
import { z } from 'zod';
import { holdsObject, nullResets, type Partially, patchField, type Patched } from './patch.ts';

/** A whole number written in a query: digits only, so that an empty value is an error and not 0. */
export function wholeNumber(least: number, most: number) {
  const range = `must be an integer from ${least} to ${most}`;
  return z
    .string(range)
    .regex(/^\d{1,15}$/, range)
    .transform(Number)
    .refine((value) => value >= least && value <= most, range)
    .meta({ type: 'integer', minimum: least, maximum: most });
}

/** A yes or no in a query. */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .meta({ type: 'boolean' });

/** A list in a query: the name may be given several times, with or without `[]`; once is a list of one. */
export function queryList<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(100));
}

const numericId = /^[1-9]\d*$/;

/**
 * A numeric id in a path: a positive integer, else 400. One too large for any row is that of nothing,
 * and is answered as every unknown id is.
 */
export function pathNumber(meaning: string) {
  return z
    .string()
    .regex(numericId, 'must be a positive integer')
    .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    .meta({ type: 'integer', minimum: 1, description: meaning });
}

/** A UUID in a path; upper case is accepted. */
export function pathUuid(meaning: string) {
  return z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID')
    .transform((text) => text.toLowerCase())
    .meta({ type: 'string', format: 'uuid', description: meaning });
}

const isoInstant = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Epoch ms of an ISO 8601 date, in UTC unless it names a zone; NaN if it is none, or names a day that does not exist. */
export function instantOf(text: string): number {
  if (!isoInstant.test(text)) return Number.NaN;
  const [date, time = '00:00Z'] = text.toUpperCase().split(/[T ]/) as [string, string?];
  const isDay = new Date(`${date}T00:00Z`).toJSON()?.startsWith(date);
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
  return isDay ? Date.parse(`${date}T${zoned.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')}`) : Number.NaN;
}

/** An instant in a query, as epoch ms: ISO 8601, or unix seconds. */
export const queryInstant = z
  .string()
  .max(40)
  .transform((text, context) => {
    const at = /^\d{1,11}$/.test(text) ? Number(text) * 1000 : instantOf(text);
    if (Number.isFinite(at)) return at;
    context.addIssue('must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00Z, or unix seconds');
    return z.NEVER;
  })
  .meta({ type: 'string', description: 'ISO 8601, in UTC unless it names a zone; or unix seconds.' });

/** An instant in an answer: ISO 8601, UTC, milliseconds (decisions: Dates). */
export const instant = z.iso.datetime({ precision: 3 });

/** An instant of a body as text, in UTC unless it names a zone. */
export const bodyInstantText = z.iso.datetime({ offset: true, local: true });

/** An instant of a body, as epoch ms. */
export const bodyInstant = bodyInstantText.transform(instantOf);

/** An instant of a body: epoch ms, and whether it names a zone. */
export const zonedInstant = bodyInstantText.transform((text): readonly [at: number, isZoned: boolean] => [
  instantOf(text),
  /(Z|[+-]\d{2}:?\d{2})$/i.test(text),
]);

/** A calendar day in an answer (decisions: Dates of triggers). */
export const day = z.iso.date();

/** A field of a write for which `null`, as some clients send it, is the same as leaving it out. */
export function orNull<Schema extends z.ZodType>(schema: Schema, fallback: () => z.output<Schema>) {
  return schema
    .nullable()
    .transform((value): z.output<Schema> => (value === null ? fallback() : (value as z.output<Schema>)));
}

type UpdateShape<Shape extends z.ZodRawShape> = {
  [Key in keyof Shape]: z.ZodExactOptional<
    z.ZodType<Patched<z.output<Shape[Key]>>, Partially<z.input<Shape[Key]>> | null>
  >;
};

/** The name of an environment variable. */
export const variableKey = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,255}$/,
    'must have 1 to 256 letters, digits and underscores, not beginning with a digit',
  );

/**
 * The body of a PUT, made from that of the POST: every field may be left out, which keeps it, and `null` resets a
 * field to its default (decisions: PUT, PATCH), except where null is a value in its own right. A field without a default
 * cannot be reset. The same holds inside objects.
 */
export function updateOf<Shape extends z.ZodRawShape>(create: z.ZodObject<Shape, z.core.$strict>) {
  const shape: Record<string, z.ZodType> = {};
  for (const [key, field] of Object.entries(create.shape) as [string, z.ZodType][]) {
    const update = holdsObject(field) ? patchField(key, field) : nullResets(field, (inner) => inner);
    shape[key] = update.exactOptional();
  }
  // The loop makes exactly one field of each field of the shape; the type system cannot follow it.
  return z.strictObject(shape as unknown as UpdateShape<Shape>);
}
