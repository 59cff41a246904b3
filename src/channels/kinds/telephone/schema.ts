// Wire schema of the configurations of SMS messages and calls (reference §1).
import { z } from 'zod';
import { labelText } from '../../parts/fields.ts';

/** Schemas of requests and responses. @param id of the schema */
export function telephoneSchemas(id: string) {
  return {
    config: z
      .strictObject({
        name: labelText,
        number: z
          .string()
          .regex(/^\+[1-9]\d{6,14}$/, 'must be a number in E.164 form, e.g. +15551234567')
          .describe('Phone number in E.164 form.'),
      })
      .meta({ id: `${id}Write` }),
    shownConfig: z.strictObject({ name: z.string(), number: z.string() }).meta({ id }),
  };
}
