// OpenAPI 3: a check for each GET operation, with its documented status and schema as assertions.
import { type Assertion, nameOf, statusAssertions, statusRange, tagsOf } from '../check-parts.ts';
import { createDraft, type Draft, type Imported, ImportError } from '../imported.ts';
import { type Foreign, isForeign, objectOf, objectsOf, textOf } from '../values.ts';
import { parseYaml } from '../yaml.ts';

/** Most keys of a body that a check asserts. */
const mostKeys = 20;

/**
 * @param text YAML or JSON
 * @param baseUrl replaces the server of the document; absent = its first server
 * @throws {ImportError} with the place, or if there is no server
 */
export function importOpenApi(text: string, baseUrl?: string): Imported {
  const document = parseYaml(text);
  if (document['swagger'] !== undefined) {
    throw new ImportError('the document is Swagger 2.0: convert it to OpenAPI 3 first');
  }
  if (!textOf(document['openapi']).startsWith('3.')) throw new ImportError('the file has no version "openapi: 3.…"');
  const server = (baseUrl ?? serverOf(document)).replace(/\/+$/, '');
  if (!/^https?:\/\/[^\s/]/i.test(server)) {
    throw new ImportError(`the server "${server.slice(0, 100)}" is not an absolute http or https URL: use --base-url`);
  }
  const draft = createDraft('openapi');
  for (const [path, item] of Object.entries(objectOf(document['paths']))) {
    const methods = resolved(document, item);
    for (const [method, operation] of Object.entries(methods)) {
      if (method === 'get') addOperation(draft, document, server, path, methods, resolved(document, operation));
      else if (['put', 'post', 'delete', 'patch', 'options', 'head', 'trace'].includes(method)) {
        draft.skip({ from: `${method.toUpperCase()} ${path}`, kind: 'operation' }, 'only GET operations become checks');
      }
    }
  }
  return draft.finish();
}

/** The first server with the default values of its variables; empty = none. */
function serverOf(document: Foreign): string {
  const [server] = objectsOf(document['servers']);
  const variables = objectOf(server?.['variables']);
  return textOf(server?.['url']).replace(/\{([^}]+)\}/g, (whole, name: string) => {
    return textOf(objectOf(variables[name])['default']) || whole;
  });
}

function addOperation(
  draft: Draft,
  document: Foreign,
  server: string,
  path: string,
  item: Foreign,
  operation: Foreign,
): void {
  const source = { from: `GET ${path}`, kind: 'operation' };
  const notes: string[] = [];
  const parameters = new Map(
    [...objectsOf(item['parameters']), ...objectsOf(operation['parameters'])]
      .map((each) => resolved(document, each))
      .map((each) => [`${textOf(each['in'])} ${textOf(each['name'])}`, each] as const),
  );
  const { url, query, headers, missing } = filledIn(document, server + path, [...parameters.values()]);
  if (missing.length > 0) {
    draft.skip(source, `no example for ${missing.join(', ')}`);
    return;
  }
  const response = responseOf(document, operation, notes);
  if (response === null) {
    draft.skip(source, 'it documents no successful response');
    return;
  }
  const security = operation['security'] ?? document['security'];
  const needsKey = objectsOf(security).length > 0 && objectsOf(security).every((each) => Object.keys(each).length > 0);
  if (needsKey) notes.push('deactivated: it needs credentials; add them, then activate it');
  if (operation['deprecated'] === true) notes.push('the operation is deprecated');
  const title = textOf(operation['summary']) || textOf(operation['operationId']) || `GET ${path}`;
  const tags = tagsOf((Array.isArray(operation['tags']) ? operation['tags'] : []).map(textOf));
  const check = {
    checkType: 'API',
    name: nameOf(title, path),
    ...(needsKey && { activated: false }),
    ...(tags.length > 0 && { tags }),
    request: {
      method: 'GET',
      url,
      ...(query.length > 0 && { queryParameters: query }),
      ...(headers.length > 0 && { headers }),
      assertions: response,
    },
  };
  draft.add('checks', textOf(operation['operationId']) || `get-${path}`, check, source, notes);
}

type Pair = { readonly key: string; readonly value: string };

/** The URL with examples for its parameters. Optional ones are left out. */
function filledIn(document: Foreign, template: string, parameters: readonly Foreign[]) {
  const missing: string[] = [];
  const query: Pair[] = [];
  const headers: Pair[] = [];
  const example = (parameter: Foreign | undefined): string => {
    if (parameter === undefined) return '';
    const schema = resolved(document, parameter['schema']);
    const [first] = Object.values(objectOf(parameter['examples']));
    const listed = Array.isArray(schema['enum']) ? schema['enum'] : [];
    const examples = Array.isArray(schema['examples']) ? schema['examples'] : [];
    const found = [
      parameter['example'],
      resolved(document, first)['value'],
      schema['example'],
      examples[0],
      schema['default'],
      listed[0],
    ].find((each) => ['string', 'number', 'boolean'].includes(typeof each));
    return found === undefined ? '' : String(found);
  };
  const url = template.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const value = example(parameters.find((each) => each['in'] === 'path' && each['name'] === name));
    if (value === '') missing.push(`the path parameter ${name}`);
    return value === '' ? whole : encodeURIComponent(value);
  });
  for (const parameter of parameters) {
    const place = textOf(parameter['in']);
    if (parameter['required'] !== true || !['query', 'header'].includes(place)) continue;
    const value = example(parameter);
    if (value === '') missing.push(`the ${place} parameter ${textOf(parameter['name'])}`);
    else (place === 'query' ? query : headers).push({ key: textOf(parameter['name']), value });
  }
  return { url, query, headers, missing };
}

/** Assertions on the first documented success; null = none is documented. */
function responseOf(document: Foreign, operation: Foreign, notes: string[]): readonly Assertion[] | null {
  const codes = Object.entries(objectOf(operation['responses'])).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const found = codes.find(([code]) => /^[23]/.test(code)) ?? codes.find(([code]) => code === 'default');
  if (found === undefined) return null;
  const [code, value] = found;
  const range = statusRange(code);
  const response = resolved(document, value);
  const [type, content] = Object.entries(objectOf(response['content'])).find(([each]) => /json/i.test(each)) ?? [];
  const schema = resolved(document, objectOf(content)['schema']);
  return [
    ...statusAssertions([range ?? [200, 299]], notes).assertions,
    ...(type === undefined
      ? []
      : [{ source: 'HEADERS', property: 'content-type', comparison: 'CONTAINS', target: 'json' }]),
    ...(type === undefined ? [] : keysOf(document, schema, notes)),
  ];
}

/** Required keys of the body, at the top and of the first item of a list. */
function keysOf(document: Foreign, schema: Foreign, notes: string[]): readonly Assertion[] {
  const parts = [schema, ...objectsOf(schema['allOf']).map((each) => resolved(document, each))];
  const keys = [...new Set(parts.flatMap(({ required }) => (Array.isArray(required) ? required.map(textOf) : [])))];
  if (schema['type'] === 'array') notes.push('of the schema of a list, nothing is asserted: it may be empty');
  if (schema['oneOf'] !== undefined || schema['anyOf'] !== undefined)
    notes.push('alternatives of the schema are not asserted');
  if (keys.length > mostKeys) notes.push(`asserts ${mostKeys} of ${keys.length} required keys`);
  return keys
    .slice(0, mostKeys)
    .map((target) => ({ source: 'JSON_BODY', property: '$', comparison: 'HAS_KEY', target }));
}

/** The object that `$ref` names inside the document, or the object itself. */
function resolved(document: Foreign, value: unknown): Foreign {
  let current = value;
  for (let step = 0; step < 20; step += 1) {
    const object = objectOf(current);
    const reference = textOf(object['$ref']);
    if (!reference.startsWith('#/')) return object;
    current = reference
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => (isForeign(at) && Object.hasOwn(at, part) ? at[part] : undefined), document);
  }
  return {};
}
