// The OpenAPI document and its page.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { everyOperation } from '#contract/operations.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { docsRoutes } from '#rest/operating/docs.ts';
import { restUnderTest } from './rest-under-test.ts';

const service = { version: '0.0.0', server: 'http://127.0.0.1:3000' };
const document = openApiDocument(service);
const { server } = restUnderTest({ routes: docsRoutes({ ...service, server: () => service.server }) });
const golden = new URL('openapi.json', import.meta.url);

/** Written anew when the file is deleted: a change of the document must be seen in a review. */
test('the OpenAPI document is the one that was reviewed', () => {
  const text = `${JSON.stringify(document, null, 1)}\n`;
  if (!existsSync(golden)) writeFileSync(golden, text);
  assert.equal(text, readFileSync(golden, 'utf8'), 'delete tests/rest/openapi.json, run again and review the change');
});

test('every reference in the document leads somewhere', () => {
  const text = JSON.stringify(document);
  const refs = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? ''));
  assert.ok(refs.size > 40, `only ${refs.size} references were found`);
  for (const ref of refs) {
    let place: unknown = document;
    for (const part of ref.split('/')) place = (place as Record<string, unknown>)[part];
    assert.ok(place, ref);
  }
});

test('the accounts list is marked beta, in words and for programs', () => {
  const paths = document['paths'] as Record<string, Record<string, Record<string, unknown>>>;
  const accounts = paths['/v1/accounts']?.['get'];
  assert.equal(accounts?.['x-beta'], true);
  assert.match(String(accounts?.['description']), /in beta and may change without notice/);
});

test('what asks for a key lies under /v1, or under /v2 where a second version stands beside the first', () => {
  const outside = everyOperation().filter(({ path }) => !path.startsWith('/v1/'));
  const second = outside.filter(({ path }) => path.startsWith('/v2/'));
  const first = new Set(everyOperation().map(({ method, path }) => `${method} ${path}`));
  for (const { method, path } of second) assert.ok(first.has(`${method} ${path.replace('/v2/', '/v1/')}`), path);
  const open = outside.filter((operation) => !second.includes(operation));
  assert.deepEqual(
    open.filter(({ permission }) => permission !== 'none').map(({ path }) => path),
    [],
  );
  for (const path of ['/v1/runtimes', '/v1/accounts', '/v1/triggers/check-groups/{groupId}']) {
    assert.ok(
      everyOperation().some((operation) => operation.path === path),
      path,
    );
  }
});

test('operations have paths of their own, and path parameters that are declared', () => {
  const places = new Set<string>();
  for (const { id, method, path, params } of everyOperation()) {
    assert.ok(!places.has(`${method} ${path}`), `${method} ${path} stands twice`);
    places.add(`${method} ${path}`);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    assert.deepEqual(Object.keys(params?.shape ?? {}).sort(), named.sort(), id);
  }
});

test('the document and its page are served without a key', async () => {
  const json = await server.inject({ url: '/v1/openapi.json' });
  assert.deepEqual(json.json(), JSON.parse(JSON.stringify(document)));
  const page = await server.inject({ url: '/docs' });
  assert.equal(page.statusCode, 200);
  assert.match(String(page.headers['content-type']), /^text\/html/);
  for (const { id, path } of everyOperation()) {
    assert.ok(page.body.includes(`id="${id}"`), id);
    assert.ok(page.body.includes(path), path);
  }
});

test('the page needs no script, loads nothing, and every link in it leads somewhere', async () => {
  const page = await server.inject({ url: '/docs' });
  assert.doesNotMatch(page.body, /<script|\son\w+=|\sstyle=|<link|<img|@import|url\(/i);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
  const ids = new Set([...page.body.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]));
  const links = [...page.body.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
  assert.ok(links.length > 100);
  for (const link of links) assert.ok(ids.has(link), link);
});

test('the page says once what holds for every key, and shows the fields of each body where it is needed', async () => {
  const { body: text } = await server.inject({ url: '/docs' });
  assert.equal(text.split('<code>x-service-account</code>').length - 1, 2, 'in the introduction and in the list');
  assert.equal(text.split('The API key is missing, malformed').length - 1, 1);
  const cards = new Map(
    [...text.matchAll(/<section class="card" id="(\w+)">([^]*?)<\/section>/g)].map(([, id, card]) => [id, card]),
  );
  for (const [id, field] of [
    ['createApiCheck', 'degradedResponseTime'],
    ['createVariable', 'secret'],
    ['createAlertChannel', 'sendDegraded'],
  ] as const) {
    assert.match(cards.get(id) ?? '', new RegExp(`<h4>Body</h4>[^]*<code>${field}</code>[^]*<h4>Answers</h4>`), id);
  }
});

test('what an operation answers with reads as a sentence', async () => {
  const { body } = await server.inject({ url: '/docs' });
  const answers = [...body.matchAll(/<td><code>2\d\d<\/code><\/td>\s*<td>([^]*?)<\/td>/g)].map(([, cell]) =>
    (cell ?? '').replaceAll(/<[^>]+>/g, ''),
  );
  assert.ok(answers.length > 50, `only ${answers.length} answers were found`);
  assert.ok(answers.includes('Done. Answers with a list of Runtime.'));
  assert.ok(answers.includes('Done; there is no body.'));
  const sentence =
    /^(Done|Created|Accepted)(; there is no body|\. Answers with (a list of |an object|a file|text\/|[A-Z]).*)?\.$/;
  for (const answer of answers) assert.match(answer, sentence);
});

test('the bare address leads to the page', async () => {
  const answer = await server.inject({ url: '/' });
  assert.deepEqual([answer.statusCode, answer.headers.location], [302, 'docs']);
});
