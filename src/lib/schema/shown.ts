// Response schemas, derived from the body schemas of the same fields.
import { z } from 'zod';

// Copies of a schema, such as those of `describe`, inherit what a registry knows of it.
const views = z.registry<{ readonly shown: object }>();
declare const view: unique symbol;

/** A field that responses show in another form. */
export type ShownAs<Field extends z.ZodType, View extends z.ZodType> = Field & { readonly [view]: View };

type Same<Value> = z.ZodType<Value, Value>;

export type Shown<Field> = Field extends { readonly [view]: infer View extends z.ZodType }
  ? View
  : Field extends z.ZodExactOptional<infer Inner>
    ? z.ZodExactOptional<Same<z.output<Inner>>>
    : Field extends z.ZodObject<infer Fields>
      ? z.ZodObject<ShownFields<Fields>, z.core.$strict>
      : Same<z.output<Field>>;

export type ShownFields<Fields> = { [Name in keyof Fields]: Shown<Fields[Name]> };

/** The field, shown in responses as another schema says: a time as text, a secret masked. Wrap it last. */
export function showAs<Field extends z.ZodType, View extends z.ZodType>(field: Field, as: View): ShownAs<Field, View> {
  views.add(field, { shown: as });
  return field as ShownAs<Field, View>;
}

/**
 * What responses contain of a body field: always present, in one form, without limits, with the field's description.
 * An optional field stays optional. The ID `XWrite` of an object becomes `X`.
 */
export function shown<Field extends z.ZodType>(field: Field): Shown<Field> {
  return derived(field) as unknown as Shown<Field>;
}

/** The same for several fields. */
export function shownFields<Fields extends Readonly<Record<string, z.ZodType>>>(fields: Fields): ShownFields<Fields> {
  const entries = Object.entries(fields).map(([name, field]) => [name, derived(field)]);
  return Object.fromEntries(entries) as ShownFields<Fields>;
}

/** Derived schemas, so that one with an ID exists once. */
const known = new WeakMap<z.ZodType, z.ZodType>();

function derived(field: z.ZodType): z.ZodType {
  const schema = known.get(field) ?? derivedAnew(field);
  known.set(field, schema);
  return schema;
}

function derivedAnew(field: z.ZodType): z.ZodType {
  const own = views.get(field)?.shown;
  if (own !== undefined) return own as z.ZodType;
  if (field instanceof z.ZodExactOptional || field instanceof z.ZodOptional) {
    return documented(derived(field.unwrap() as z.ZodType).exactOptional(), field);
  }
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault) {
    return documented(derived(field.unwrap() as z.ZodType), field);
  }
  if (field instanceof z.ZodNullable) return documented(likeNull(field, derived(field.unwrap() as z.ZodType)), field);
  if (field instanceof z.ZodPipe) {
    const [first, last] = [field.in as z.ZodType, field.out as z.ZodType];
    return documented(likeNull(field, derived(first instanceof z.ZodTransform ? last : first)), field);
  }
  return documented(plain(field), field);
}

/** Without limits. */
function plain(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodObject) return z.strictObject(shownFields(field.shape as Record<string, z.ZodType>));
  if (field instanceof z.ZodArray) return z.array(derived(field.element as z.ZodType));
  if (field instanceof z.ZodUnion) return z.union(field.options.map((option) => derived(option as z.ZodType)));
  if (field instanceof z.ZodString) return z.string();
  if (field instanceof z.ZodNumber) return field.isInt ? z.int() : z.number();
  return field;
}

/** The schema, nullable if the field can be null once it is parsed. */
function likeNull(field: z.ZodType, schema: z.ZodType): z.ZodType {
  if (keepsNull(field) === keepsNull(schema)) return schema;
  return schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema.nullable();
}

function keepsNull(field: z.ZodType): boolean {
  const read = field.safeParse(null);
  return read.success && read.data === null;
}

function documented(schema: z.ZodType, field: z.ZodType): z.ZodType {
  const { id, ...described } = field.meta() ?? {};
  const documentation = { ...described, ...(id !== undefined && { id: id.replace(/Write$/, '') }) };
  return Object.keys(documentation).length > 0 ? schema.meta(documentation) : schema;
}
