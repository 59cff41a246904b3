// Free JSON, where a field may hold anything.
import { z } from 'zod';

export type JsonBody = string | number | boolean | null | readonly JsonBody[] | JsonObjectBody;
export interface JsonObjectBody {
  readonly [key: string]: JsonBody;
}

/** Any JSON object. Its depth and size are bounded where bodies are read. */
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObjectBody, JsonObjectBody>;
