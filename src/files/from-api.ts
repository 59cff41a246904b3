// The form that files have of what the API returns: without defaults and read-only fields, with logical IDs.
// The web UI uses it too.
import { aliases, references, type SectionName } from '#contract/projects/resource-file.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { ResourceType } from '#domain/projects/resource.ts';

/** The document at `/schema.json`. */
export type FileSchema = JsonObject;

/** The logical ID of a resource; undefined = the files do not have it, and its ID is written. */
export type NameOf = (type: ResourceType, id: string) => string | undefined;

/** The ID of a resource, a number or a text, as text. */
export function idText(id: JsonValue | undefined): string {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : '';
}

/** The ID of a resource by which a field names it, or that of an object which describes it. */
function idOf(value: JsonValue): JsonValue {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? ((value as JsonObject)['id'] ?? value) : value;
}

/**
 * A resource as files write it.
 * @param resource as the API returns it
 */
export function fileForm(schema: FileSchema, section: SectionName, resource: JsonObject, nameOf: NameOf): JsonObject {
  const { map, defs } = partsOf(schema, section);
  const trimmed = withoutDefaults(resource, map, defs) as JsonObject;
  const named = Object.entries(references).reduce<JsonObject>((changed, [path, type]) => {
    const rename = (value: JsonValue): JsonValue => {
      const id = idOf(value);
      return nameOf(type, idText(id)) ?? id;
    };
    return changedAt(changed, path.split('.'), '', rename) as JsonObject;
  }, trimmed);
  return Object.fromEntries(inOrder(named).map(([name, value]) => asAlias(name, value)));
}

/** Paths of what a resource sets and files do not have, such as `request.proxy`. Empty values set nothing. */
export function unknownFields(schema: FileSchema, section: SectionName, resource: JsonObject): readonly string[] {
  const { map, defs } = partsOf(schema, section);
  return [...new Set(unknownIn(resource, map, defs, ''))];
}

function unknownIn(value: JsonValue, schema: JsonObject, defs: JsonObject, path: string): string[] {
  const { items, properties } = branchOf(value, schema, defs);
  if (Array.isArray(value)) {
    const each = (items ?? {}) as JsonObject;
    return (value as readonly JsonValue[]).flatMap((item) => unknownIn(item, each, defs, `${path}[]`));
  }
  if (typeof value !== 'object' || value === null || properties === undefined) return [];
  return Object.entries(value as JsonObject).flatMap(([name, given]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const field = (properties as Readonly<Record<string, JsonObject>>)[name];
    if (field === undefined) return isEmpty(given) ? [] : [at];
    return field['readOnly'] === true ? [] : unknownIn(given, field, defs, at);
  });
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === null || value === '' || value === false;
}

function partsOf(schema: FileSchema, section: SectionName): { readonly map: JsonObject; readonly defs: JsonObject } {
  const { properties, $defs } = schema as { readonly properties: JsonObject; readonly $defs: JsonObject };
  const map = properties[section] as JsonObject;
  return { map: map['additionalProperties'] as JsonObject, defs: $defs };
}

/** What says what a resource is comes first. */
function inOrder(resource: JsonObject): [string, JsonValue][] {
  const first = ['checkType', 'type', 'name'];
  const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length);
  return Object.entries(resource).sort(([a], [b]) => rank(a) - rank(b));
}

function asAlias(name: string, value: JsonValue): [string, JsonValue] {
  const alias = Object.entries(aliases).find(([, field]) => field === name)?.[0];
  if (alias === undefined) return [name, value];
  if (name !== 'alertChannelSubscriptions' || !Array.isArray(value)) return [alias, value];
  const listed = value as readonly JsonObject[];
  const isPlain = listed.every((each) => Object.keys(each).length === 1);
  return isPlain ? [alias, listed.map((each) => each['alertChannelId'] ?? null)] : [name, value];
}

/** The part of a value that a schema describes and that is not its default. */
function withoutDefaults(value: JsonValue, schema: JsonObject, defs: JsonObject): JsonValue {
  const own = branchOf(value, schema, defs);
  if (Array.isArray(value)) {
    const items = own['items'] as JsonObject | undefined;
    return items === undefined
      ? value
      : (value as readonly JsonValue[]).map((item) => withoutDefaults(item, items, defs));
  }
  const properties = own['properties'] as Readonly<Record<string, JsonObject>> | undefined;
  if (typeof value !== 'object' || value === null || properties === undefined) return value;
  const object = value as JsonObject;
  const required = (own['required'] ?? []) as readonly string[];
  const fields = Object.entries(properties).flatMap(([name, field]): [string, JsonValue][] => {
    const given = object[name];
    if (given === undefined || field['readOnly'] === true) return [];
    const trimmed = withoutDefaults(given, field, defs);
    const isDefault = 'default' in field && [given, trimmed].some((each) => isSame(each, field['default'] ?? null));
    // An optional field without a default is absent or null.
    const isAbsent = given === null && !('default' in field);
    return (isDefault || isAbsent) && !required.includes(name) ? [] : [[name, trimmed]];
  });
  return Object.fromEntries(fields);
}

/** The member of a union that describes a value. */
function branchOf(value: JsonValue, schema: JsonObject, defs: JsonObject): JsonObject {
  const ref = schema['$ref'];
  if (typeof ref === 'string') return branchOf(value, (defs[ref.slice('#/$defs/'.length)] ?? {}) as JsonObject, defs);
  const branches = (schema['oneOf'] ?? schema['anyOf']) as readonly JsonObject[] | undefined;
  const found = branches?.map((branch) => branchOf(value, branch, defs)).find((branch) => describes(branch, value));
  return found ?? schema;
}

function describes(schema: JsonObject, value: JsonValue): boolean {
  if (Array.isArray(value)) return schema['type'] === 'array';
  if (typeof value !== 'object' || value === null) return false;
  const object = value as JsonObject;
  const properties = schema['properties'] as Readonly<Record<string, JsonObject>> | undefined;
  return (
    properties !== undefined &&
    Object.entries(properties).every(([name, { const: only, enum: some }]) => {
      const field = object[name];
      if (only !== undefined) return field === only;
      return field === undefined || some === undefined || (some as readonly JsonValue[]).includes(field);
    })
  );
}

/** Whether two values are the same JSON, whatever the order of fields. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.length &&
    left.every(([name, value]) => name in b && isSame(value, (b as JsonObject)[name] ?? null))
  );
}

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
