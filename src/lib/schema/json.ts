// Free JSON, for fields that accept any value.
import { z } from 'zod';

export type JsonBody = string | number | boolean | null | readonly JsonBody[] | JsonObjectBody;
export interface JsonObjectBody {
  readonly [key: string]: JsonBody;
}

/** Any JSON object. The body parser bounds its depth and size. */
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObjectBody, JsonObjectBody>;
