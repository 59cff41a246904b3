// The OpenAPI document and its page.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { everyOperation, publicOperations } from '#contract/operations.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { packageFolder } from '#lib/package-files.ts';
import { docsRoutes } from '#rest/operating/docs.ts';
import { restUnderTest } from './rest-under-test.ts';

const service = { version: '0.0.0', server: 'http://127.0.0.1:3000' };
const document = openApiDocument(service);
const { server } = restUnderTest({ routes: docsRoutes({ ...service, server: () => service.server }) });
const golden = new URL('openapi.json', import.meta.url);

/** Prints short values on one line, so that a review shows each change as one line. */
function compact(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (line.length <= 1000 || typeof value !== 'object' || value === null) return line;
  const inner = `${indent} `;
  const parts = Array.isArray(value)
    ? value.map((each) => compact(each, inner))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${compact(each, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

/** Written anew when the file is deleted: a change of the document must be seen in a review. */
test('the OpenAPI document is the one that was reviewed', () => {
  const text = `${compact(JSON.parse(JSON.stringify(document)))}\n`;
  if (!existsSync(golden)) writeFileSync(golden, text);
  assert.equal(text, readFileSync(golden, 'utf8'), 'delete tests/rest/openapi.json, run again and review the change');
});

test('every operation in the document has an ID of its own', () => {
  const ids = [...JSON.stringify(document['paths']).matchAll(/"operationId":"(\w+)"/g)].map(([, id]) => id);
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
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
  const outside = publicOperations().filter(({ path }) => !path.startsWith('/v1/'));
  const second = outside.filter(({ path }) => path.startsWith('/v2/'));
  const first = new Set(everyOperation().map(({ method, path }) => `${method} ${path}`));
  for (const { method, path } of second) assert.ok(first.has(`${method} ${path.replace('/v2/', '/v1/')}`), path);
  const open = outside.filter((operation) => !second.includes(operation));
  assert.deepEqual(
    open.filter(({ permission }) => permission !== 'none').map(({ path }) => path),
    // Where clients of the protocol expect it.
    ['/mcp'],
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
  for (const { id, method, path, params, isCliVariant } of everyOperation()) {
    const place = `${method} ${path}${isCliVariant ? ' of the command line' : ''}`;
    assert.ok(!places.has(place), `${place} stands twice`);
    places.add(place);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    assert.deepEqual(Object.keys(params?.shape ?? {}).sort(), named.sort(), id);
  }
});

test('the document and its page are served without a key, and no script of another origin may run', async () => {
  const json = await server.inject({ url: '/v1/openapi.json' });
  assert.deepEqual(json.json(), JSON.parse(JSON.stringify(document)));
  const page = await server.inject({ url: '/docs' });
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'; script-src 'self';/);
  // Relative: a reverse proxy may add a prefix.
  const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  assert.deepEqual(files, ['docs/reference.css', 'docs/reference.js', 'v1/openapi.json']);
  for (const path of files) assert.equal((await server.inject({ url: `/${path}` })).statusCode, 200, path);
});

test('pages of the documentation are served as text, with every heading that a message names', async () => {
  const named = globSync('src/{actions,app}/**/*.ts', { cwd: packageFolder }).flatMap((path) => [
    ...readFileSync(join(packageFolder, path), 'utf8').matchAll(/docs\/([a-z-]+\.md)#([a-z-]+)/g),
  ]);
  assert.ok(named.length > 3, `${named.length} names`);
  for (const [name, page, anchor = ''] of named) {
    const { statusCode, headers, body } = await server.inject({ url: `/docs/${page}` });
    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/plain; charset=utf-8'], name);
    assert.match(body, new RegExp(`^#+ ${anchor.replaceAll('-', ' ')}$`, 'im'), name);
  }
  for (const url of ['/docs/nothing.md', '/docs/..%2Fpackage.json', '/docs/decisions%2FREADME.md', '/docs/README']) {
    const { statusCode } = await server.inject({ url });
    assert.ok(statusCode === 404 || statusCode === 400, `${url}: ${statusCode}`);
  }
});

test('/llms.txt lists the pages, and every link on a page leads to a page that is served', async () => {
  const index = await server.inject({ url: '/llms.txt' });
  assert.deepEqual([index.statusCode, index.headers['cache-control']], [200, 'max-age=3600']);
  assert.match(index.body, /^# Tocsin\n\n> [^\n]+\n/);
  const listed = new Set(
    [...index.body.matchAll(/\]\(https?:\/\/[^/]+\/docs\/([\w-]+\.md)/g)].map(([, name = '']) => name),
  );
  const pages = globSync('*.md', { cwd: join(packageFolder, 'docs') }).filter((name) => name !== 'README.md');
  assert.ok(pages.length > 30 && listed.size > 30, `${pages.length} pages`);
  const read: string[] = [];
  for (const name of [...pages, 'README.md']) {
    const { statusCode, body } = await server.inject({ url: `/docs/${name}` });
    assert.equal(statusCode, 200, name);
    const text = body.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^https?:|^mailto:/.test(target)) continue;
      assert.ok(pages.includes(target) || target === 'README.md', `${name} links to ${target}`);
      read.push(target);
    }
  }
  assert.ok(read.length > 200, `${read.length} links`);
  // What only contributors read is not in the index.
  const unlisted = pages.filter((name) => !listed.has(name));
  assert.deepEqual(unlisted, ['architecture.md']);
  assert.match((await server.inject({ url: '/docs/webhooks.md' })).body, /^```/m, 'code stays as it is');
});
