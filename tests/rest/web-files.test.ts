// The files of the web UI as a browser gets them: policy, caching, compression, deep links.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { packageFolder } from '#lib/package-files.ts';
import { createWebFiles } from '#rest/web-files.ts';
import { restUnderTest } from './rest-under-test.ts';

const { server } = restUnderTest({ webFiles: createWebFiles(join(packageFolder, 'dist', 'web')) });

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
const get = (url: string, headers: Readonly<Record<string, string>> = { accept: html }) =>
  server.inject({ method: 'GET', url, headers });

/** Paths of the files that the page loads. */
async function assetsOfPage(): Promise<readonly string[]> {
  const { body } = await get('/');
  return [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
}

test('the policy of a page allows scripts and styles of this server only, and the page has nothing inline', async () => {
  const { headers, body } = await get('/');
  const policy = String(headers['content-security-policy']);
  const directives = new Map(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources];
    }),
  );
  for (const name of ['script-src', 'connect-src', 'form-action'])
    assert.deepEqual(directives.get(name), ["'self'"], name);
  for (const name of ['default-src', 'base-uri', 'frame-ancestors']) {
    assert.deepEqual(directives.get(name), ["'none'"], name);
  }
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  const scripts = [...body.matchAll(/<script\b([^>]*)>([^<]*)<\/script>/g)];
  assert.ok(scripts.length > 0, body);
  for (const [whole, attributes = '', content] of scripts) {
    assert.match(attributes, /\ssrc="\/assets\/[^"]+"/, whole);
    assert.equal(content, '', whole);
  }
  assert.doesNotMatch(body, /<style|\s(?:style|on\w+)=/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
});

test('files with a hash in their name are cached forever, and the page that names them is not', async () => {
  const paths = await assetsOfPage();
  assert.ok(paths.some((path) => path.endsWith('.js')) && paths.some((path) => path.endsWith('.css')), String(paths));
  for (const path of paths) {
    assert.match(path, /-[\w-]{8}\.(?:js|css)$/);
    const { statusCode, headers } = await get(path, {});
    assert.equal(statusCode, 200, path);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(String(headers['content-type']), path.endsWith('.js') ? /^text\/javascript;/ : /^text\/css;/);
  }
  assert.equal((await get('/')).headers['cache-control'], 'no-cache');
  assert.equal((await get('/favicon.svg', {})).headers['cache-control'], 'max-age=3600');
});

test('each file is sent compressed as the client accepts it, with the same content', async () => {
  for (const path of ['/', ...(await assetsOfPage())]) {
    const encoded = async (encoding: string) => {
      const { headers, rawPayload } = await get(path, { accept: html, 'accept-encoding': encoding });
      assert.equal(headers['vary'], 'accept-encoding', path);
      return { coding: headers['content-encoding'], body: rawPayload };
    };
    const plain = await encoded('identity');
    assert.equal(plain.coding, undefined);
    const brotli = await encoded('gzip, deflate, br, zstd');
    assert.equal(brotli.coding, 'br');
    assert.ok(brotliDecompressSync(brotli.body).equals(plain.body), path);
    const gzip = await encoded('br;q=0, gzip;q=0.5');
    assert.equal(gzip.coding, 'gzip');
    assert.ok(gunzipSync(gzip.body).equals(plain.body), path);
    assert.ok(brotli.body.length < gzip.body.length && gzip.body.length < plain.body.length, path);
  }
});

test('a deep link answers with the page, an unknown one with the page and 404', async () => {
  const { body: page } = await get('/');
  const id = '0199f0c4-0000-7000-8000-000000000001';
  const router = readFileSync(join(packageFolder, 'web/app/router.tsx'), 'utf8');
  const routes = [...router.matchAll(/path: '(\/[^']*)'/g)].map(([, path = '']) => path.replaceAll(/\$\w+/g, id));
  assert.ok(routes.length > 15, String(routes));
  for (const path of [...routes, '/alerts?range=7d']) {
    const answer = await get(path);
    assert.deepEqual([answer.statusCode, answer.body], [200, page], path);
  }
  const unknown = await get('/nothing-here');
  assert.deepEqual([unknown.statusCode, unknown.body], [404, page]);
  const head = await server.inject({ method: 'HEAD', url: '/alerts', headers: { accept: html } });
  assert.deepEqual([head.statusCode, head.body], [200, '']);
});

test('unknown files and paths of the API are 404 in JSON, never the page', async () => {
  for (const path of ['/assets/index-00000000.js', '/assets/../../package.json.js', '/robots.svg']) {
    const { statusCode, headers } = await get(path);
    assert.deepEqual([statusCode, headers['content-type']], [404, 'application/json; charset=utf-8'], path);
  }
  const { statusCode, headers } = await get('/alerts', { accept: 'application/json' });
  assert.deepEqual([statusCode, headers['content-type']], [404, 'application/json; charset=utf-8']);
  const posted = await server.inject({ method: 'POST', url: '/alerts', headers: { accept: html } });
  assert.equal(posted.statusCode, 404);
});
