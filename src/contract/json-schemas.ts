// Converts the contract's schemas to JSON Schema for OpenAPI 3.1: named schemas once, without redundant keywords.
import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** Collects the named schemas that the written schemas reference. */
export type SchemaBook = ReturnType<typeof createSchemaBook>;

/** @param place where the document has the named schemas */
export function createSchemaBook(place = '#/components/schemas/') {
  const named: Record<string, JsonSchema> = {};
  const texts = new Map<string, string>();
  return {
    named,
    /** The JSON Schema of what a client sends (`input`) or receives (`output`). */
    write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
      const { $defs = {}, ...root } = z.toJSONSchema(schema, {
        io,
        unrepresentable: 'any',
        override: ({ zodSchema, jsonSchema }) => {
          if (zodSchema instanceof z.ZodDefault) jsonSchema.default = structuredClone(zodSchema.def.defaultValue);
          tidy(jsonSchema, io);
        },
      }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
      delete root['$schema'];
      const names = new Map<string, string>();
      for (const [id, definition] of Object.entries($defs)) {
        delete definition['id'];
        names.set(id, nameFor(id, definition));
      }
      for (const [id, definition] of Object.entries($defs)) {
        named[names.get(id) ?? id] = relink(definition, names, place) as JsonSchema;
      }
      const rootId = root['id'];
      if (typeof rootId !== 'string') return relink(root, names, place) as JsonSchema;
      delete root['id'];
      const name = nameFor(rootId, root);
      named[name] = relink(root, names, place) as JsonSchema;
      return { $ref: place + name };
    },
  };

  /** A response and a request may share a name but have different schemas. */
  function nameFor(id: string, definition: JsonSchema): string {
    const text = JSON.stringify(definition);
    const name = (texts.get(id) ?? text) === text ? id : `${id}Write`;
    texts.set(name, text);
    return name;
  }
}

function relink(value: unknown, names: ReadonlyMap<string, string>, place: string): unknown {
  if (Array.isArray(value)) return value.map((item) => relink(item, names, place));
  if (typeof value !== 'object' || value === null) return value;
  const linked: JsonSchema = {};
  for (const [key, field] of Object.entries(value)) {
    const id = key === '$ref' && typeof field === 'string' ? field.replace('#/$defs/', '') : null;
    linked[key] = id === null ? relink(field, names, place) : place + (names.get(id) ?? id);
  }
  return linked;
}

function tidy(schema: JsonSchema, io: 'input' | 'output'): void {
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  // For a number in a path or query, the pattern of the text is redundant. So are patterns where there is a format.
  if (schema['type'] !== 'string' || schema['format'] !== undefined) delete schema['pattern'];
  if (schema['type'] === 'boolean') delete schema['enum'];
  // Responses may gain fields; request bodies are strict.
  if (io === 'output' && schema['additionalProperties'] === false) delete schema['additionalProperties'];
  if (Array.isArray(schema['anyOf'])) flattenNull(schema, schema['anyOf'] as JsonSchema[]);
}

/** Removes the second `null` from unions of fields that are nullable twice. */
function flattenNull(schema: JsonSchema, branches: readonly JsonSchema[]): void {
  const flat = branches.flatMap((branch) =>
    Object.keys(branch).length === 1 && Array.isArray(branch['anyOf']) ? (branch['anyOf'] as JsonSchema[]) : [branch],
  );
  const seen = new Set<string>();
  schema['anyOf'] = flat.filter((branch) => {
    const text = JSON.stringify(branch);
    return !seen.has(text) && seen.add(text);
  });
}
