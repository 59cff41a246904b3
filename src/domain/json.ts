/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON values. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
