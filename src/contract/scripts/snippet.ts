// Snippets in the API (reference §4.2).
import { z } from 'zod';
import { instant, pathNumber, updateOf } from '#lib/schema/fields.ts';
import { ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';
import { resourceUses } from '../uses.ts';

/** Maximum characters of a snippet: an account's snippets are kept in memory while its checks run. */
const longestScript = 65_536;

export const snippet = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    script: z.string(),
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'Snippet', description: 'A script that several checks and groups run before or after their requests.' });
export type SnippetBody = z.output<typeof snippet>;

export const snippetCreate = z.strictObject({
  name: z.string().trim().min(1).max(200),
  script: z
    .string()
    .min(1)
    .max(longestScript, 'must be at most 64 kB')
    .describe('JavaScript or TypeScript with the rules of setup and teardown scripts.'),
});

const params = z.object({ id: pathNumber('ID of the snippet.') });
const unknown = { 404: 'Unknown snippet.' };

export const snippetOperations = tagged('Snippets', {
  listSnippets: {
    method: 'GET',
    path: '/v1/snippets',
    summary: 'List all snippets',
    permission: 'read',
    query: pageQuery,
    response: z.array(snippet),
    isPaged: true,
  },
  createSnippet: {
    method: 'POST',
    path: '/v1/snippets',
    summary: 'Create a snippet',
    description: 'API checks and groups run it if `setupSnippetId` or `tearDownSnippetId` names it.',
    permission: 'write',
    body: ignoring(readOnlyFields, snippetCreate),
    example: { name: 'Log in', script: "request.headers['x-client'] = 'tocsin';" },
    status: 201,
    response: snippet,
  },
  getSnippet: {
    method: 'GET',
    path: '/v1/snippets/{id}',
    summary: 'Get a snippet',
    permission: 'read',
    params,
    response: snippet,
    alsoAnswers: unknown,
  },
  updateSnippet: {
    method: 'PUT',
    path: '/v1/snippets/{id}',
    summary: 'Update a snippet',
    description: 'Omitted fields are kept. The next runs use the new script.',
    permission: 'write',
    params,
    body: ignoring(readOnlyFields, updateOf(snippetCreate)),
    example: { name: 'Log in as a customer' },
    response: snippet,
    alsoAnswers: unknown,
  },
  getSnippetUses: {
    method: 'GET',
    path: '/v1/snippets/{id}/uses',
    summary: 'List where a snippet is used',
    description: 'One request per account searches at a time; others wait.',
    permission: 'read',
    params,
    response: resourceUses,
    alsoAnswers: unknown,
  },
  deleteSnippet: {
    method: 'DELETE',
    path: '/v1/snippets/{id}',
    summary: 'Delete a snippet',
    permission: 'write',
    params,
    status: 204,
    alsoAnswers: { ...unknown, 409: 'Checks or groups use it.' },
  },
} as const satisfies Untagged);
