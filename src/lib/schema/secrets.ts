// Secret fields of an object, declared by its schema: storing and masking need no list of names.
import { z } from 'zod';

const secretTexts = new WeakSet<z.ZodType>();

/** A text that is a secret: stored sealed and apart from the rest, shown as a mask. */
export function secretText(schema: z.ZodString): z.ZodString {
  secretTexts.add(schema);
  return schema;
}

/** Names of the fields that are secrets. */
export function secretFields(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
    isSecret(field) ? name : [],
  );
}

function isSecret(field: z.ZodType): boolean {
  if (secretTexts.has(field)) return true;
  const isWrapped =
    field instanceof z.ZodNullable || field instanceof z.ZodExactOptional || field instanceof z.ZodDefault;
  return isWrapped && isSecret(field.unwrap() as z.ZodType);
}
