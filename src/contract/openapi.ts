// The OpenAPI 3.1 document of all operations.
import type { z } from 'zod';
import { errorBody } from './responses.ts';
import type { Sliced } from '#domain/sliced.ts';
import { maxFaults, maxMembers } from '#lib/schema/faults.ts';
import { createSchemaBook, type JsonSchema, type SchemaBook } from './json-schemas.ts';
import { isNeverRefused, tags, type Operation } from './operation.ts';
import { publicOperations } from './operations.ts';

const about = `An operation with a permission (\`read\`, \`run\`, \`write\`, \`admin\`) requires an API key with that permission,
\`Authorization: Bearer <API key>\`, or the session cookie of a signed-in person whose role allows it. Operations with the
permission \`user\` require a session. Other operations need neither.
A caller has access to one or more accounts. Set \`x-service-account\` to choose one; the default is the first.
Requests with a session that change something must come from a page of this server.

Lists accept \`limit\` and \`page\` and return \`content-range: <from>-<to>/<total>\`.
PUT and PATCH (RFC 7396) are equivalent: fields in the body are replaced, also in nested objects; all others are unchanged.
Arrays are replaced as a whole; \`null\` resets a field to its default.
A JSON body can be up to 1 MiB and have up to ${maxMembers.toLocaleString('en')} members and elements in all its objects and arrays.
Timestamps are ISO 8601 in UTC. All errors have the same form, and every response has an \`x-request-id\`.`;

const refusals = {
  BadRequest: [400, `Invalid input. \`attributes\` lists the invalid fields with the reason, up to ${maxFaults}.`],
  Unauthorized: [401, 'The API key is missing, malformed, unknown, revoked or expired, or the session has ended.'],
  Forbidden: [403, 'The caller has no access to the account, or the role does not allow the operation.'],
  TooLarge: [413, 'The body is larger than 1 MiB.'],
  UnsupportedMedia: [415, 'The body is not JSON in UTF-8.'],
  TooManyRequests: [429, 'Too many requests. Wait for the number of seconds in `retry-after`.'],
} as const;

/** The service as clients see it. `server` is its base URL. */
interface DescribedService {
  readonly version: string;
  readonly server: string;
}

/** The document, at once. */
export function openApiDocument(service: DescribedService): JsonSchema {
  const work = openApiInParts(service);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** The document in parts, because all of it takes a quarter of a second. */
export function* openApiInParts(service: DescribedService): Sliced<JsonSchema> {
  const book = createSchemaBook();
  const error = book.write(errorBody, 'output');
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of publicOperations()) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describeOperation(operation, book);
    if (operation.method === 'PUT') path['patch'] = describePatch(operation, book);
    yield;
  }
  const responses = Object.entries(refusals).map(([name, [, description]]) => [name, refusal(description, error)]);
  return {
    openapi: '3.1.0',
    info: { title: 'Tocsin', version: service.version, description: about },
    servers: [{ url: service.server }],
    tags: tags.map((name) => ({ name })),
    security: [{ apiKey: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key. Treat it like a password.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tocsin_session',
          description: 'Set by signing in. Its name is `__Host-tocsin` if the public URL is https.',
        },
      },
      responses: Object.fromEntries(responses) as JsonSchema,
      schemas: book.named,
    },
  };
}

const refusal = (description: string, error: JsonSchema) => ({
  description,
  content: { 'application/json': { schema: error } },
});

function describeOperation(operation: Operation & { readonly id: string }, book: SchemaBook): JsonSchema {
  const { id, tag, summary, description, body, maxRawBody, maxBytesBody, example } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(operation.isDeprecated && { deprecated: true }),
    ...(operation.isBeta && { 'x-beta': true }),
    ...(operation.permission === 'none' ? { security: [] } : { 'x-permission': operation.permission }),
    ...(operation.permission === 'user' && { security: [{ session: [] }] }),
    ...(operation.acceptsToken && { security: [{ apiKey: [] }, { session: [] }, {}] }),
    parameters: parametersOf(operation, book),
    ...(maxRawBody !== undefined && {
      requestBody: { required: false, content: { '*/*': { schema: { type: 'string' } } } },
    }),
    ...(maxBytesBody !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    ...(body !== undefined && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: {
          'application/json': { schema: book.write(body, 'input'), ...(example !== undefined && { example }) },
        },
      },
    }),
    responses: responsesOf(operation, book),
  };
}

/** The same operation as the PUT. */
function describePatch(operation: Operation & { readonly id: string }, book: SchemaBook): JsonSchema {
  const described = describeOperation(operation, book);
  const { content } = described['requestBody'] as { content: { 'application/json': JsonSchema } };
  return {
    ...described,
    operationId: operation.id.replace(/^[a-z]+/, 'patch'),
    requestBody: {
      required: true,
      content: { ...content, 'application/merge-patch+json': content['application/json'] },
    },
  };
}

function parametersOf(operation: Operation, book: SchemaBook): JsonSchema[] {
  const fields = [
    ...Object.entries(operation.params?.shape ?? {}).map((field) => ['path', ...field] as const),
    ...Object.entries(operation.query?.shape ?? {}).map((field) => ['query', ...field] as const),
  ];
  const parameters: JsonSchema[] = fields.map(([where, name, type]) => {
    const { description, ...schema } = book.write(type as z.ZodType, 'input');
    const required = where === 'path';
    return { name, in: where, required, ...(description !== undefined && { description }), schema };
  });
  const headers = {
    ...operation.headers,
    ...(isConditional(operation) && ifMatch),
    ...(operation.permission !== 'none' && accountHeader),
  };
  for (const [name, description] of Object.entries(headers)) {
    parameters.push({ name, in: 'header', required: false, description, schema: { type: 'string' } });
  }
  return parameters;
}

const ifMatch = {
  'if-match':
    'ETags, separated by commas. If the record has none of them any more, nothing is changed and the status is 412. Absent or `*` = change it in any case.',
};

function isConditional({ isRevised, method }: Operation): boolean {
  return isRevised === true && method === 'PUT';
}

const accountHeader = {
  'x-service-account': 'ID of the account that the request acts on. The key must have access to it.',
};

function responsesOf(operation: Operation, book: SchemaBook): JsonSchema {
  const responses: Record<string, JsonSchema> = { [operation.status ?? 200]: success(operation, book) };
  const add = (name: keyof typeof refusals) => {
    responses[refusals[name][0]] = { $ref: `#/components/responses/${name}` };
  };
  if (operation.params ?? operation.body ?? operation.permission !== 'none') add('BadRequest');
  if (operation.permission !== 'none') for (const name of ['Unauthorized', 'Forbidden'] as const) add(name);
  if (!isNeverRefused(operation)) add('TooManyRequests');
  if (operation.body) for (const name of ['TooLarge', 'UnsupportedMedia'] as const) add(name);
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const also = { ...operation.alsoAnswers, ...(isConditional(operation) && changedMeanwhile) };
  for (const [status, description] of Object.entries(also)) {
    responses[status] = { description, ...(Number(status) >= 400 && { content: error }) };
  }
  return responses;
}

const changedMeanwhile = { 412: 'The record is not at a revision of `if-match` any more. Nothing was changed.' };

function mediaSchema(media: string): JsonSchema {
  return { type: 'string', ...(media === 'application/octet-stream' && { format: 'binary' }) };
}

function success(operation: Operation, book: SchemaBook): JsonSchema {
  const description = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.', 204: 'Success. The response has no body.' }[
    operation.status ?? 200
  ];
  const schema = operation.response ? book.write(operation.response, 'output') : null;
  const range = { description: '<from>-<to>/<total>, starting at 0.', schema: { type: 'string' } };
  const etag = {
    description: 'The revision: `updated_at`, or `created_at` if that is null, in quotes. Send it as `if-match`.',
    schema: { type: 'string' },
  };
  const link = {
    description:
      'The next page, rel="next"; absent on the last page. A page of large items may have fewer of them than `limit`.',
    schema: { type: 'string' },
  };
  return {
    description,
    ...(operation.isPaged && { headers: { 'content-range': range, link } }),
    ...(operation.isRevised && { headers: { etag } }),
    ...(schema !== null && { content: { 'application/json': { schema } } }),
    ...(operation.media !== undefined && { content: { [operation.media]: { schema: mediaSchema(operation.media) } } }),
  };
}
