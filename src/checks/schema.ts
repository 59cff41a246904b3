// The interface of a check kind's schema, used for the API contract and for reading settings.
import { z } from 'zod';
import type { JsonObject } from '#domain/json.ts';

/** Schema of a check kind and its API documentation. */
export interface CheckSchema {
  /** The `checkType`, e.g. `MULTI_STEP`. Its path derives from it, e.g. `/v1/checks/multistep`. */
  readonly type: string;
  /** Name in operations, schemas and results, e.g. `MultiStep`. */
  readonly name: string;
  /** Name in sentences, e.g. `a multi-step check`. */
  readonly title: string;
  /** Name in analytics paths. */
  readonly analyticsPath: string;
  /** What it monitors, in one sentence. */
  readonly about: string;
  /** What to know before creating one. */
  readonly description?: string;
  /** Example of a create request. */
  readonly example: JsonObject;
  /** Example of an update, if the common one does not apply. */
  readonly exampleOfChange?: JsonObject;
  /** Request fields in addition to the common ones. */
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** Common fields with a narrower schema. */
  readonly commonFields?: Readonly<Record<string, z.ZodType>>;
  /** Response fields in addition to those of requests. All are present. */
  readonly shown?: Readonly<Record<string, z.ZodType>>;
  readonly result: Readonly<Record<string, z.ZodType>>;
  /** Fields that clients send for other kinds; ignored here. */
  readonly ignored?: readonly string[];
  /** Accepts alternative forms of a body. */
  readonly lenient?: (body: z.ZodType) => z.ZodType;
}

/** Settings of a kind with defaults filled in. */
export type SettingsOf<Schema extends CheckSchema> = z.output<z.ZodObject<Schema['fields']>>;

/** Reads stored settings by their schema, which fills in fields added later. Throws if they are invalid. */
export function readerOf<Schema extends CheckSchema>(schema: Schema): (settings: JsonObject) => SettingsOf<Schema> {
  const fields = z.object(schema.fields);
  return (settings) => fields.parse(settings) as SettingsOf<Schema>;
}

/** Minutes between runs. */
export const frequency = z
  .literal([0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440])
  .default(10)
  .describe('Minutes between runs; 0 = every `frequencyOffset` seconds.');
