// A valid body with as many fields as the contract knows, made from the schema alone: what breaking starts from.
import { z } from 'zod';

/** Any JSON. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Schema = Readonly<Record<string, unknown>>;

const texts = ['https://127.0.0.1/', 'GET', '2026-01-31T12:00:00.000Z', '0199f0c4-0000-7000-8000-0000000000aa', 'NAME'];
const combinations = 500;

/**
 * The example, and every further field that its schema takes beside what is there already, down to the items of lists.
 *
 * @throws when the example itself is not what the schema says
 */
export function richBody(schema: z.ZodType, example: Json): Json {
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  if (!schema.safeParse(example).success) throw new Error(`not a valid example: ${JSON.stringify(example)}`);
  let body = example;
  const isValid = (value: Json): boolean => schema.safeParse(value).success;
  const grow = (at: readonly (string | number)[], part: Schema): void => {
    for (const branch of branchesOf(resolve(part, document), document)) {
      const present = valueAt(body, at);
      if (present === undefined || present === null) {
        const found = seeds(branch, document)
          .map((seed) => withValue(body, at, seed))
          .find(isValid);
        if (found === undefined) continue;
        body = found;
      }
      growInside(at, branch);
    }
  };
  const growInside = (at: readonly (string | number)[], branch: Schema): void => {
    const present = valueAt(body, at);
    if (Array.isArray(present)) return growItems(at, present, branch);
    if (typeof present !== 'object' || present === null) return;
    for (const [name, field] of Object.entries((branch['properties'] ?? {}) as Record<string, Schema>)) {
      grow([...at, name], field);
    }
  };
  const growItems = (at: readonly (string | number)[], present: readonly Json[], branch: Schema): void => {
    const items = branch['items'] as Schema | undefined;
    if (items === undefined) return;
    if (present.length === 0) {
      const ofItem = branchesOf(resolve(items, document), document);
      const found = ofItem
        .flatMap((item) => seeds(item, document))
        .map((seed) => withValue(body, at, [seed]))
        .find(isValid);
      if (found !== undefined) body = found;
    }
    if ((valueAt(body, at) as Json[]).length > 0) grow([...at, 0], items);
  };
  grow([], document);
  return body;
}

function resolve(schema: Schema, document: Schema): Schema {
  const name = typeof schema['$ref'] === 'string' ? schema['$ref'].replace('#/$defs/', '') : null;
  const definitions = (document['$defs'] ?? {}) as Record<string, Schema>;
  return name === null ? schema : (definitions[name] ?? {});
}

function branchesOf(schema: Schema, document: Schema): Schema[] {
  const branches = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  return branches?.flatMap((branch) => branchesOf(resolve(branch, document), document)) ?? [schema];
}

/** Values that may fit a schema of one type. */
function seeds(schema: Schema, document: Schema): Json[] {
  if (schema['const'] !== undefined) return [schema['const'] as Json];
  if (Array.isArray(schema['enum'])) return (schema['enum'] as Json[]).slice().reverse();
  switch ([schema['type']].flat()[0]) {
    case 'string':
      return texts;
    case 'integer':
    case 'number':
      return [Math.max(1, Number(schema['minimum'] ?? 1)), 0];
    case 'boolean':
      return [true];
    case 'array':
      return [[]];
    case 'object':
      return objects(schema, document);
    default:
      return ['anything'];
  }
}

/** Objects with the fields they must have, in the combinations that the seeds give, up to a bound. */
function objects(schema: Schema, document: Schema): Json[] {
  const fields = (schema['properties'] ?? {}) as Record<string, Schema>;
  let made: Record<string, Json>[] = [{}];
  for (const name of (schema['required'] ?? []) as string[]) {
    const values = branchesOf(resolve(fields[name] ?? {}, document), document).flatMap((part) => seeds(part, document));
    made = made.flatMap((object) => values.map((value) => ({ ...object, [name]: value }))).slice(0, combinations);
  }
  return made;
}

/** The value at a path; undefined where there is none. */
export function valueAt(body: Json, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = body;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, Json>)[step];
  }
  return value;
}

/** A copy with another value at a path; undefined takes it out. */
export function withValue(body: Json, path: readonly (string | number)[], value: Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value ?? null;
  const copy: Record<string | number, Json> | Json[] = Array.isArray(body) ? [...body] : { ...(body as object) };
  const inside = (copy as Record<string | number, Json>)[step];
  if (rest.length === 0 && value === undefined) {
    if (Array.isArray(copy)) copy.splice(Number(step), 1);
    else Reflect.deleteProperty(copy, step);
  } else {
    (copy as Record<string | number, Json>)[step] = withValue(inside ?? {}, rest, value);
  }
  return copy;
}

/** Every path of a body: fields and items, the outer before the inner. */
export function pathsOf(body: Json, above: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof body !== 'object' || body === null) return [];
  const steps = Array.isArray(body) ? [...body.keys()] : Object.keys(body);
  return steps.flatMap((step) => {
    const path = [...above, step];
    return [path, ...pathsOf(valueAt(body, [step]) ?? null, path)];
  });
}
