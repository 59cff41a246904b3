// JSON Schema of the resource file, for editors: docs/schema.json, served at /schema.json.
import type { z } from 'zod';
import type { ResourceType } from '#domain/projects/resource.ts';
import { createSchemaBook, type JsonSchema } from '../json-schemas.ts';
import { kindBodies } from '../checks/check.ts';
import { operations } from '../operations.ts';
import {
  aliases,
  fileFields,
  imageFields,
  omittedFields,
  references,
  resourceOperations,
  type Section,
  sections,
} from './resource-file.ts';

/** Create bodies: one for each kind. */
function bodiesOf({ type }: Section): readonly z.ZodType[] {
  const [create] = resourceOperations[type];
  return create === 'createCheck' ? kindBodies.map((kind) => kind.create) : [operations[create].body];
}

const place = '#/$defs/';

/** The document. Written into the package by `npm run docs`. */
export function fileSchema(): JsonSchema {
  const book = createSchemaBook(place);
  const written = sections.map((section) => bodiesOf(section).map((body) => book.write(body, 'input')));
  const maps = sections.map((section, index) => [section.name, mapOf(section, written[index] ?? [])]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Tocsin resource file',
    description: 'Monitoring as code: see docs/files.md.',
    type: 'object',
    properties: {
      project: { type: 'string', minLength: 1, maxLength: 255, description: 'Project that owns the resources.' },
      ...(Object.fromEntries(maps) as JsonSchema),
    },
    patternProperties: { '^x-': { description: 'Ignored: a place for anchors.' } },
    additionalProperties: false,
    $defs: book.named,
  };

  function mapOf({ noun, name, type, keyField }: Section, kinds: readonly JsonSchema[]): JsonSchema {
    for (const schema of kinds.flatMap((each) => objectsOf(each, book.named))) {
      toFileForm(schema, book.named, type, keyField);
    }
    const [one = {}] = kinds;
    const resource = kinds.length > 1 ? { oneOf: kinds } : one;
    return {
      type: 'object',
      description: `Each ${noun}, by its ${keyField ?? 'logical ID'}.`,
      propertyNames: { minLength: 1, maxLength: 255 },
      additionalProperties: name === 'variables' ? { anyOf: [valueAlone, resource] } : resource,
    };
  }
}

/** The document as a file. */
export function fileSchemaText(): string {
  return `${JSON.stringify(fileSchema(), null, 1)}\n`;
}

const valueAlone = { type: ['string', 'number', 'boolean'], description: 'The value.' };

/** The object schemas behind references and unions. */
export function objectsOf(schema: JsonSchema, named: Readonly<Record<string, JsonSchema>>): JsonSchema[] {
  const ref = schema['$ref'];
  if (typeof ref === 'string') return objectsOf(named[ref.slice(place.length)] ?? {}, named);
  const branches = (schema['oneOf'] ?? schema['anyOf']) as readonly JsonSchema[] | undefined;
  if (branches !== undefined) return branches.flatMap((branch) => objectsOf(branch, named));
  return schema['properties'] === undefined ? [] : [schema];
}

/** Replaces the fields of the API by those of files, in place. */
function toFileForm(
  schema: JsonSchema,
  named: Readonly<Record<string, JsonSchema>>,
  type: ResourceType,
  keyField: string | undefined,
): void {
  const properties = schema['properties'] as Record<string, JsonSchema>;
  for (const path of [...omittedFields, ...(keyField === undefined ? [] : [keyField])])
    omitField(schema, named, path.split('.'));
  const required = new Set(schema['required'] as readonly string[] | undefined);
  for (const [path, target] of Object.entries(references)) allowLogicalId(schema, named, path.split('.'), target);
  for (const [alias, name] of Object.entries(aliases)) {
    if (!(name in properties)) continue;
    const target = Object.entries(references).find(([path]) => path.startsWith(name))?.[1] ?? type;
    const isOne = name in references;
    properties[alias] = isOne ? orNull(logicalId(target)) : { type: 'array', items: logicalId(target) };
  }
  for (const [field, name] of Object.entries(fileFields)) {
    if (!(name in properties)) continue;
    properties[field] = { type: 'string', description: `File with the text of \`${name}\`, relative to this file.` };
    required.delete(name);
  }
  for (const [field, name] of Object.entries(imageFields)) {
    if (name in properties) properties[field] = { type: 'string', description: 'Image file, relative to this file.' };
  }
  const imported = properties['dependencies'];
  if (imported !== undefined) {
    const list = arrayOf(imported);
    const byPath = { type: 'string', description: 'File that the script imports, relative to this file.' };
    list['items'] = { anyOf: [byPath, list['items']] };
  }
  const checkType = properties['checkType'];
  if (checkType !== undefined) {
    delete checkType['default'];
    required.add('checkType');
  }
  schema['required'] = [...required];
}

/** At a path such as `cards[].id`. */
function omitField(
  schema: JsonSchema,
  named: Readonly<Record<string, JsonSchema>>,
  [step = '', ...rest]: readonly string[],
): void {
  const name = step.replace('[]', '');
  for (const object of objectsOf(schema, named)) {
    const properties = object['properties'] as Record<string, JsonSchema>;
    const field = properties[name];
    if (field === undefined) continue;
    if (rest.length > 0) omitField((arrayOf(field)['items'] ?? field) as JsonSchema, named, rest);
    else {
      delete properties[name];
      const required = (object['required'] ?? []) as readonly string[];
      object['required'] = required.filter((each) => each !== name);
    }
  }
}

function logicalId(target: ResourceType): JsonSchema {
  const noun = sections.find(({ type }) => type === target)?.noun ?? target;
  return { type: ['string', 'integer'], description: `Logical ID of a ${noun} of these files, or the ID of another.` };
}

/** At a path such as `alertChannelSubscriptions[].alertChannelId`. */
function allowLogicalId(
  schema: JsonSchema,
  named: Readonly<Record<string, JsonSchema>>,
  [step = '', ...rest]: readonly string[],
  target: ResourceType,
): void {
  const name = step.replace('[]', '');
  for (const object of objectsOf(schema, named)) {
    const properties = object['properties'] as Record<string, JsonSchema>;
    const field = properties[name];
    if (field === undefined) continue;
    const list = step.endsWith('[]') ? arrayOf(field) : null;
    if (rest.length > 0) allowLogicalId((list?.['items'] ?? field) as JsonSchema, named, rest, target);
    else if (list !== null) list['items'] = logicalId(target);
    else properties[name] = orNull(logicalId(target));
  }
}

function orNull(schema: JsonSchema): JsonSchema {
  return { default: null, anyOf: [schema, { type: 'null' }] };
}

/** The array beside `null`. */
function arrayOf(field: JsonSchema): JsonSchema {
  const branches = (field['anyOf'] ?? [field]) as readonly JsonSchema[];
  return branches.find((branch) => branch['type'] === 'array') ?? field;
}
