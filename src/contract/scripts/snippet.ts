// Snippets in the API (reference §4.2).
import { z } from 'zod';
import { instant, pathNumber, updateOf } from '#lib/schema/fields.ts';
import { ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { resourceUses } from '../responses.ts';

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
const usual = usualOperations({ path: '/v1/snippets', params, shown: snippet, unknown: unknown[404] });

export const snippetOperations = tagged('Snippets', {
  listSnippets: { ...usual.list, summary: 'List all snippets' },
  createSnippet: {
    ...usual.create,
    summary: 'Create a snippet',
    description: 'API checks and groups run it if `setupSnippetId` or `tearDownSnippetId` names it.',
    body: ignoring(readOnlyFields, snippetCreate),
    example: { name: 'Log in', script: "request.headers['x-client'] = 'tocsin';" },
  },
  getSnippet: { ...usual.get, summary: 'Get a snippet' },
  updateSnippet: {
    ...usual.update,
    summary: 'Update a snippet',
    description: 'Omitted fields are kept. The next runs use the new script.',
    body: ignoring(readOnlyFields, updateOf(snippetCreate)),
    example: { name: 'Log in as a customer' },
  },
  getSnippetUses: {
    ...usual.get,
    path: '/v1/snippets/{id}/uses',
    summary: 'List where a snippet is used',
    description: 'One request per account searches at a time; others wait.',
    response: resourceUses,
  },
  deleteSnippet: {
    ...usual.remove,
    summary: 'Delete a snippet',
    alsoAnswers: { ...unknown, 409: 'Checks or groups use it.' },
  },
} as const satisfies Untagged);
