// Requests under foreign host names, as a page elsewhere sends them after pointing its name at this server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { send } from './operation-calls.ts';

let on: Composed;
const cleanups: (() => void | Promise<void>)[] = [];

before(async () => {
  on = await startComposed(
    { after: (work) => void cleanups.push(work) },
    {
      TOCSIN_ROLES: 'api',
      TOCSIN_PUBLIC_URL: 'https://tocsin.example.com',
      TOCSIN_ALLOWED_HOSTS: 'tocsin.lan',
      TOCSIN_TRUSTED_PROXIES: '127.0.0.1',
    },
  );
});
after(async () => {
  for (const work of cleanups) await work();
});

const ask = (path: string, headers: Readonly<Record<string, string>>, method = 'GET') =>
  send(on.port, { method, path, headers });

test('a foreign name is refused on every path, and the answer names the variable', async () => {
  for (const path of ['/', '/v1/setup', '/v1/checks', '/metrics', '/docs', '/results/x', '/unknown', '/favicon.svg']) {
    const refused = await ask(path, { host: 'evil.example' });
    assert.equal(refused.status, 421, path);
    const { statusCode, error, message } = JSON.parse(refused.text);
    assert.deepEqual([statusCode, error], [421, 'Misdirected Request']);
    assert.match(message, /^The host name "evil\.example" is not allowed\. Add it to TOCSIN_ALLOWED_HOSTS/);
  }
  for (const method of ['POST', 'HEAD', 'OPTIONS', 'PUT']) {
    assert.equal((await ask('/v1/sessions', { host: 'evil.example' }, method)).status, 421, method);
  }
});

test('a browser gets a page that it can show, with the name as text', async () => {
  const refused = await ask('/', { host: '<b>evil</b>', accept: 'text/html,*/*' });
  assert.equal(refused.status, 421);
  assert.match(String(refused.headers['content-type']), /^text\/html/);
  assert.match(refused.text, /&lt;b&gt;evil&lt;\/b&gt;[^]*TOCSIN_ALLOWED_HOSTS/);
  assert.ok(!refused.text.includes('<b>evil'));
});

test('the public name, allowed names, addresses and keys are answered', async () => {
  for (const host of ['tocsin.example.com', 'TOCSIN.lan:3000', 'localhost:1', '[::1]:80', '192.0.2.7']) {
    assert.equal((await ask('/v1/setup', { host })).status, 200, host);
  }
  const key = { authorization: `Bearer ${on.apiKey}` };
  assert.equal((await ask('/v1/checks', { host: 'evil.example', ...key })).status, 200);
  assert.equal((await ask('/health/live', { host: 'evil.example' })).status, 200);
  assert.equal((await ask('/ping/unknown', { host: 'evil.example' })).status, 404);
  assert.equal((await ask(`/checks/${crypto.randomUUID()}/trigger/y`, { host: 'evil.example' })).status, 404);
});

test('the name that a trusted proxy passes on must be allowed, and allows no other', async () => {
  const through = (host: string, name: string) => ask('/v1/setup', { host, 'x-forwarded-host': name });
  assert.equal((await through('127.0.0.1:3000', 'tocsin.example.com')).status, 200);
  assert.equal((await through('127.0.0.1:3000', 'evil.example')).status, 421);
  assert.equal((await through('evil.example', 'localhost')).status, 421);
  assert.equal((await ask('http://evil.example/v1/setup', { host: 'localhost' })).status, 421);
});
