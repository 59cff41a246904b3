// The JSON Schema of resource files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileSchemaText } from '#contract/projects/file-schema.ts';
import { packageFolder } from '#lib/package-files.ts';
import { docsRoutes } from '#rest/operating/docs.ts';
import { restUnderTest } from './rest-under-test.ts';

const shipped = readFileSync(join(packageFolder, 'docs/schema.json'), 'utf8');

test('the schema that is shipped is the one of the contract', () => {
  assert.ok(shipped === fileSchemaText(), 'run npm run docs');
});

test('editors get the schema without a key', async () => {
  const { server } = restUnderTest({ routes: docsRoutes({ version: '0.0.0', server: () => '' }) });
  const response = await server.inject({ method: 'GET', url: '/schema.json' });
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'application/schema+json');
  assert.equal(response.headers['cache-control'], 'max-age=3600');
  assert.equal(response.body, shipped);
});
