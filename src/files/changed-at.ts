// Changes a field of a value by its path.
import type { JsonObject, JsonValue } from '#domain/json.ts';

type Change = (value: JsonValue, path: string) => JsonValue;

/** The value with another one at a path such as `alertChannelSubscriptions[].alertChannelId`. */
export function changedAt(value: JsonValue, steps: readonly string[], path: string, change: Change): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return change(value, path);
  const name = step.replace('[]', '');
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return value;
  const object = value as JsonObject;
  const field = object[name] ?? null;
  const at = path === '' ? name : `${path}.${name}`;
  if (!step.endsWith('[]')) return { ...object, [name]: changedAt(field, rest, at, change) };
  if (!Array.isArray(field)) return object;
  const items = field as readonly JsonValue[];
  return { ...object, [name]: items.map((item, index) => changedAt(item, rest, `${at}[${index}]`, change)) };
}
