// References between the constructs of the `checkly` command line.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { DeclaredResource } from '#domain/projects/resource.ts';

/** A project as declared resources, and a sentence for each construct that there is not. */
export interface DeclaredProject {
  readonly resources: readonly DeclaredResource[];
  readonly refused: readonly string[];
}

/** A reference, or the ID of what the project only refers to. */
export type ResolveRef = (type: string, value: JsonValue) => JsonValue;

/** The logical ID of a reference; null = it is none. */
export function refOf(value: JsonValue | undefined): string | null {
  const ref = typeof value === 'object' && value !== null && 'ref' in value ? value['ref'] : null;
  return typeof ref === 'string' ? ref : null;
}

/** The objects of a list; others are left out. */
export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isObject) : [];
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a field has a value. */
export function isSet(value: JsonValue | undefined): value is Exclude<JsonValue, null> {
  return value !== undefined && value !== null && value !== '';
}
