// The interface of a check kind's schema, from which the contract is assembled and probes read settings.
import { z } from 'zod';
import type { JsonObject } from '#domain/json.ts';

/** The schema of a check kind, and everything that the API documents about it. */
export interface CheckSchema {
  /** The `checkType`, e.g. `MULTI_STEP`. Its path derives from it, e.g. `/v1/checks/multistep`. */
  readonly type: string;
  /** In the names of its operations, schemas and results, as `MultiStep`. */
  readonly name: string;
  /** In sentences, as `a multi-step check`. */
  readonly title: string;
  /** In the path of its analytics. */
  readonly analyticsPath: string;
  /** What it watches, in a sentence. */
  readonly about: string;
  /** What is to be known before one is created. */
  readonly description?: string;
  /** The body of a request that creates one. */
  readonly example: JsonObject;
  /** The same that changes one, where that of the other kinds makes no sense. */
  readonly exampleOfChange?: JsonObject;
  /** Its settings as they are written, beside the fields of every check. */
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** Fields of every check of which it takes less. */
  readonly commonFields?: Readonly<Record<string, z.ZodType>>;
  /** Its settings as they are shown: everything present. */
  readonly shown: Readonly<Record<string, z.ZodType>>;
  /** Its part of a result. */
  readonly result: Readonly<Record<string, z.ZodType>>;
  /** What clients send with checks of other kinds, and what has no effect here. */
  readonly ignored?: readonly string[];
  /** Other ways to write a body, read before its fields are. */
  readonly lenient?: (body: z.ZodType) => z.ZodType;
}

/** The settings of a kind's checks, every default filled in. */
export type SettingsOf<Schema extends CheckSchema> = z.output<z.ZodObject<Schema['fields']>>;

/** Reads stored settings by their schema, which fills in what was not there when they were stored. Throws for what never fitted. */
export function readerOf<Schema extends CheckSchema>(schema: Schema): (settings: JsonObject) => SettingsOf<Schema> {
  const fields = z.object(schema.fields);
  return (settings) => fields.parse(settings) as SettingsOf<Schema>;
}

/** Minutes between runs. */
export const frequency = z
  .literal([0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440])
  .default(10)
  .describe('Minutes between runs; 0 = every `frequencyOffset` seconds.');
