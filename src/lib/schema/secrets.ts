// Secret fields, declared by the schema, so that storing and masking need no list of names.
import { z } from 'zod';
import { showAs } from './shown.ts';

const secretTexts = new WeakSet<z.core.$ZodType>();

/** A secret text: stored encrypted and separately, shown as a mask. */
export function secretText(schema: z.ZodString): z.ZodString {
  secretTexts.add(schema);
  return showAs(schema, z.string().nullable().describe('Masked.'));
}

export function secretFields(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
    isSecret(field) ? name : [],
  );
}

function isSecret(field: z.ZodType): boolean {
  // Methods such as `describe` return a copy that knows its original.
  for (let each: z.core.$ZodType | undefined = field; each !== undefined; each = each._zod.parent) {
    if (secretTexts.has(each)) return true;
  }
  const isWrapped =
    field instanceof z.ZodNullable || field instanceof z.ZodExactOptional || field instanceof z.ZodDefault;
  return isWrapped && isSecret(field.unwrap() as z.ZodType);
}
