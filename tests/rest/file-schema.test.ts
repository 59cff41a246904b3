// The JSON Schema of resource files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { fileSchemaText } from '#contract/projects/file-schema.ts';
import { packageFolder } from '#lib/package-files.ts';
import { docsRoutes } from '#rest/operating/docs.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { restUnderTest } from './rest-under-test.ts';

const shipped = readFileSync(join(packageFolder, 'docs/schema.json'), 'utf8');

test('the schema that is shipped is the one of the contract', () => {
  assert.ok(shipped === fileSchemaText(), 'run npm run docs');
});

test('the schema accepts the examples of the documentation, and finds what is wrong with a file', () => {
  const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(shipped) as object);
  const example = blockOf(readPage('docs/files.md'), 'yaml');
  const shell = blockOf(readPage('docs/monitoring-as-code.md'), 'sh', 'files');
  const short = /<<'END'\n(.*?)END\n/s.exec(shell)?.[1] ?? '';
  for (const text of [example, short]) assert.ok(accepts(parse(text)), JSON.stringify(accepts.errors));
  for (const [right, wrong] of [
    ['frequency: 1', 'frequenzy: 1'],
    ['frequency: 1', 'frequency: 3'],
    ['checkType: URL', 'checkType: URI'],
    ['alertChannels:', 'alertChanels:'],
    ['name: Home page', 'title: Home page'],
  ] as const) {
    assert.ok(example.includes(right), right);
    assert.ok(!accepts(parse(example.replace(right, wrong))), wrong);
  }
});

test('editors get the schema without a key', async () => {
  const { server } = restUnderTest({ routes: docsRoutes({ version: '0.0.0', server: () => '' }) });
  const response = await server.inject({ method: 'GET', url: '/schema.json' });
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-type'], 'application/schema+json');
  assert.equal(response.headers['cache-control'], 'max-age=3600');
  assert.equal(response.body, shipped);
});
