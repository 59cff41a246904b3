// Updates of nested objects: the body of a PUT or PATCH is merged into the stored object (docs/decisions/0019).
import { z } from 'zod';
import { type Faults, parseReporting } from './faults.ts';

/** Description of every update. */
export const merges =
  'Replaces the fields in the body, also in nested objects, and keeps all others. Arrays are replaced as a whole; ' +
  'null resets a field to its default.';

type Fields = Readonly<Record<string, unknown>>;

/** A merged object that its schema rejects: field path → reason. */
export class InvalidMerge extends Error {
  override readonly name = 'InvalidMerge';
  readonly faults: Faults;

  constructor(faults: Faults) {
    super('the merged object is invalid');
    this.faults = faults;
  }
}

/** The given fields of an object, to be merged into the stored object. */
export class Patch<Whole> {
  readonly named: Fields;
  readonly #path: string;
  readonly #whole: z.ZodType<Whole>;

  /** @param whole schema of the complete object */
  constructor(path: string, named: Fields, whole: z.ZodType<Whole>) {
    this.named = named;
    this.#path = path;
    this.#whole = whole;
  }

  /**
   * Merges into the stored object; replaces a stored value that is not an object.
   * @throws {InvalidMerge} if the result is invalid
   */
  onto(present: unknown): Whole {
    const whole: Record<string, z.ZodType> = { [this.#path]: this.#whole };
    const merged = { [this.#path]: mergePatch(present, this.named, isFreeJson(this.#whole)) };
    const faults: Faults = {};
    const result = parseReporting(z.object(whole), merged, faults, { what: 'field', nearest: () => null });
    if (result === undefined) throw new InvalidMerge(faults);
    return (result as Record<string, Whole>)[this.#path] as Whole;
  }
}

/** RFC 7396. @param deletesNulls null removes a name in free JSON; elsewhere the schemas have already resolved it */
export function mergePatch(present: unknown, named: Fields, deletesNulls: boolean): Fields {
  const merged: Record<string, unknown> = isObject(present) ? { ...present } : {};
  for (const [name, value] of Object.entries(named)) {
    if (value === null && deletesNulls) delete merged[name];
    else merged[name] = isObject(value) ? mergePatch(merged[name], value, deletesNulls) : value;
  }
  return merged;
}

/** Accepted values of a field that contains an object. */
export type Partially<Written> = Written extends readonly unknown[]
  ? Written
  : Written extends object
    ? { readonly [Key in keyof Written]?: Partially<Written[Key]> | null }
    : Written;

/** The parsed value: a patch for an object, any other value unchanged. */
export type Patched<Whole> = Whole extends readonly unknown[] ? Whole : Whole extends object ? Patch<Whole> : Whole;

/**
 * A field of an update that contains an object: an object is a patch; null and other values, such as FALLBACK, replace
 * it.
 * @param create the same field of the create body
 * @param whole schema of the merged object, if another one validates it
 */
export function patchField(key: string, create: z.ZodType, whole?: z.ZodType): z.ZodType {
  return nullResets(create, (inner) =>
    partial(inner).transform((value) => (isObject(value) ? new Patch(key, value, whole ?? inner) : inner.parse(value))),
  );
}

/**
 * A field of an update in which null means the default of the create body.
 * @param inside transforms the schema within that default
 */
export function nullResets(create: z.ZodType, inside: (inner: z.ZodType) => z.ZodType): z.ZodType {
  const inner = unwrapped(create);
  const described = (schema: z.ZodType) => (inner === create ? schema : schema.meta({ ...create.meta() }));
  // If null is a value itself, it stays one, so that a response can be sent back unchanged.
  if (inner.safeParse(null).success) return described(inside(inner));
  const reset = create.safeParse(undefined);
  if (inner === create || !reset.success) return inside(inner);
  const fallback: unknown = reset.data;
  return described(
    inside(inner)
      .nullable()
      .transform((value) => (value === null ? structuredClone(fallback) : value)),
  );
}

/** A schema in which all fields of all objects are optional and null resets a field to its default. */
function partial(schema: z.ZodType): z.ZodType {
  const opened = opening(schema);
  // The schema of the whole object resolves the null after the merge.
  return opened === schema || !schema.safeParse(null).success ? opened : opened.nullable();
}

function opening(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => [
      name,
      nullResets(field, containsObject(field) ? partial : (inner) => inner).exactOptional(),
    ]);
    return renamed(z.strictObject(Object.fromEntries(fields) as Record<string, z.ZodType>), schema);
  }
  if (schema instanceof z.ZodPipe) {
    const [first, last] = [schema.in as z.ZodType, schema.out as z.ZodType];
    // Transforms of the whole object run after the merge, preprocessing of the input before it.
    if (!(first instanceof z.ZodTransform)) return renamed(partial(first), schema);
    return renamed(
      z.preprocess((value, context) => {
        const read = value === null ? { success: true as const, data: value } : first.safeParse(value);
        if (read.success) return read.data;
        for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
        return value;
      }, partial(last)),
      schema,
    );
  }
  if (schema instanceof z.ZodUnion) {
    return renamed(z.union(schema.options.map((option) => partial(option as z.ZodType))), schema);
  }
  return schema instanceof z.ZodNullable ? partial(schema.unwrap() as z.ZodType) : schema;
}

/** Copies the documentation of a schema; a patch has its own name. */
function renamed(schema: z.ZodType, original: z.ZodType): z.ZodType {
  const { id, ...meta } = original.meta() ?? {};
  return schema.meta({ ...meta, ...(id !== undefined && { id: `${id.replace(/Write$/, '')}Patch` }) });
}

/** Whether values of a schema can be objects that need merging. */
export function containsObject(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return true;
  if (schema instanceof z.ZodPipe)
    return containsObject(schema.in as z.ZodType) || containsObject(schema.out as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.some((option) => containsObject(option as z.ZodType));
  if (schema instanceof z.ZodNullable) return containsObject(schema.unwrap() as z.ZodType);
  const inner = unwrapped(schema);
  return inner !== schema && containsObject(inner);
}

function isFreeJson(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodPipe) return isFreeJson(schema.in as z.ZodType);
  return schema instanceof z.ZodNullable ? isFreeJson(schema.unwrap() as z.ZodType) : schema instanceof z.ZodRecord;
}

/** A schema without optionality. */
function unwrapped(field: z.ZodType): z.ZodType {
  const isWrapped =
    field instanceof z.ZodDefault ||
    field instanceof z.ZodPrefault ||
    field instanceof z.ZodExactOptional ||
    field instanceof z.ZodOptional;
  return isWrapped ? (field.unwrap() as z.ZodType) : field;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
