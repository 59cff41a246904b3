// Schemas shared by several resources: methods and headers of requests, ignored and rejected fields.
import { z } from 'zod';
import { orNull } from './fields.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** An HTTP method in any case. */
export const httpMethod = z.preprocess(
  (value) => (typeof value === 'string' ? value.toUpperCase() : value),
  z.enum(methods),
);

/** Headers and query parameters of a request; values may contain {{NAME}}. */
export const pairs = orNull(
  z
    .array(
      z.strictObject({
        key: z.string().min(1).max(1000),
        value: z.string().max(32_768),
        locked: z.boolean().default(false),
      }),
    )
    .max(200),
  () => [],
);

/** Response fields that the reference clients send back unchanged; removed unread (reference §5.6). */
export const readOnlyFields = [
  'id',
  'created_at',
  'updated_at',
  'createdAt',
  'updatedAt',
  'projectBindings',
  'warnings',
] as const;

/** A body that accepts and ignores the named fields. */
export function ignoring<Schema extends z.ZodType>(
  names: readonly string[] | ((body: object) => readonly string[]),
  schema: Schema,
) {
  return z.preprocess((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const left = typeof names === 'function' ? names(value) : names;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !left.includes(name)));
  }, schema);
}

/** A body that rejects the named fields, with what to use instead. */
export function refusing<Schema extends z.ZodType>(hints: Readonly<Record<string, string>>, schema: Schema) {
  return z.preprocess((value, context) => {
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    for (const name of names) {
      const message = Object.hasOwn(hints, name) ? hints[name] : undefined;
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
    return value;
  }, schema);
}

/** The body of a create: the same, but `id` must be empty, as the reference clients send it (reference §5.6). */
export function creating<Schema extends z.ZodType>(
  names: readonly string[] | ((body: object) => readonly string[]),
  schema: Schema,
) {
  const isGiven = (body: object): boolean => 'id' in body && Boolean(body.id);
  return ignoring((body) => {
    const left = typeof names === 'function' ? names(body) : names;
    return isGiven(body) ? left.filter((name) => name !== 'id') : left;
  }, schema);
}
