// Common field types: IDs, times, numbers in a query, lists, and the meaning of `null` in a write.
import { z } from 'zod';
import { containsObject, nullResets, type Partially, patchField, type Patched } from './patch.ts';

/** An integer in a query: digits only, so that an empty value is an error and not 0. */
export function wholeNumber(least: number, max: number) {
  const range = `must be an integer from ${least} to ${max}`;
  return z
    .string(range)
    .regex(/^\d{1,15}$/, range)
    .transform(Number)
    .refine((value) => value >= least && value <= max, range)
    .meta({ type: 'integer', minimum: least, maximum: max });
}

/** A boolean in a query. */
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true')
  .meta({ type: 'boolean' });

/** A list in a query: the name may be repeated, with or without `[]`. */
export function queryList<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(100));
}

const numericId = /^[1-9]\d*$/;

/** A numeric ID in a path: a positive integer, otherwise 400. One beyond the range of IDs is treated as unknown. */
export function pathNumber(meaning: string) {
  return z
    .string()
    .regex(numericId, 'must be a positive integer')
    .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
    .meta({ type: 'integer', minimum: 1, description: meaning });
}

/** A UUID in a path, in upper or lower case. */
export function pathUuid(meaning: string) {
  return z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be a UUID')
    .transform((text) => text.toLowerCase())
    .meta({ type: 'string', format: 'uuid', description: meaning });
}

const isoInstant = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Epoch ms of an ISO 8601 date, in UTC unless it has an offset; NaN if it is invalid or the day does not exist. */
export function instantOf(text: string): number {
  if (!isoInstant.test(text)) return Number.NaN;
  const [date, time = '00:00Z'] = text.toUpperCase().split(/[T ]/) as [string, string?];
  const isDay = new Date(`${date}T00:00Z`).toJSON()?.startsWith(date);
  const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
  return isDay ? Date.parse(`${date}T${zoned.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')}`) : Number.NaN;
}

/** A time in a query, as epoch ms: ISO 8601 or Unix seconds. */
export const queryInstant = z
  .string()
  .max(40)
  .transform((text, context) => {
    const at = /^\d{1,11}$/.test(text) ? Number(text) * 1000 : instantOf(text);
    if (Number.isFinite(at)) return at;
    context.addIssue('must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00Z, or Unix seconds');
    return z.NEVER;
  })
  .meta({ type: 'string', description: 'ISO 8601 (UTC unless it has an offset) or Unix seconds.' });

/** A time in a response: ISO 8601, UTC, milliseconds (decisions: Dates). */
export const instant = z.iso.datetime({ precision: 3 });

/** A time in a body as text, in UTC unless it has an offset. */
export const bodyInstantText = z.iso.datetime({ offset: true, local: true });

/** A time in a body, as epoch ms. */
export const bodyInstant = bodyInstantText.transform(instantOf);

/** A time in a body: epoch ms, and whether it has an offset. */
export const zonedInstant = bodyInstantText.transform((text): readonly [at: number, isZoned: boolean] => [
  instantOf(text),
  /(Z|[+-]\d{2}:?\d{2})$/i.test(text),
]);

/** A date in a response (decisions: Dates of triggers). */
export const day = z.iso.date();

/** A field of a write in which `null`, as some clients send it, means omitted. */
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
 * The body of a PUT, derived from that of the POST: omitted fields are kept, and `null` resets a field to its default
 * (decisions: PUT, PATCH), except if null is a value itself. A field without a default cannot be reset. The same
 * applies inside objects.
 */
export function updateOf<Shape extends z.ZodRawShape>(create: z.ZodObject<Shape, z.core.$strict>) {
  const shape: Record<string, z.ZodType> = {};
  for (const [key, field] of Object.entries(create.shape) as [string, z.ZodType][]) {
    const update = containsObject(field) ? patchField(key, field) : nullResets(field, (inner) => inner);
    shape[key] = update.exactOptional();
  }
  // The loop creates exactly one field for each field of the shape, which the type system cannot follow.
  return z.strictObject(shape as unknown as UpdateShape<Shape>);
}
