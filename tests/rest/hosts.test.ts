// Requests under foreign host names, as a page elsewhere sends them after pointing its name at this server.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
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

test('an Authorization header that the operation does not verify opens no foreign name', async () => {
  for (const authorization of ['', 'x', 'Bearer x', `Bearer ${on.apiKey}`]) {
    const headers = { host: 'evil.example', authorization };
    for (const path of ['/v1/setup', '/docs', '/results/x', '/metrics']) {
      assert.equal((await ask(path, headers)).status, 421, path);
    }
    for (const path of ['/v1/setup', '/v1/sessions'])
      assert.equal((await ask(path, headers, 'POST')).status, 421, path);
  }
  assert.equal((await ask('/v1/checks', { host: 'evil.example', authorization: 'Bearer x' })).status, 401);
  assert.equal((await ask('/v1/unknown', { host: 'evil.example', authorization: 'Bearer x' })).status, 404);
});

test('the name that a trusted proxy passes on must be allowed, and allows no other', async () => {
  const through = (host: string, name: string) => ask('/v1/setup', { host, 'x-forwarded-host': name });
  assert.equal((await through('127.0.0.1:3000', 'tocsin.example.com')).status, 200);
  assert.equal((await through('127.0.0.1:3000', 'evil.example')).status, 421);
  assert.equal((await through('evil.example', 'localhost')).status, 421);
  assert.equal((await ask('http://evil.example/v1/setup', { host: 'localhost' })).status, 421);
});

/** The status of a request as it is on the wire; the connection is closed after the headers. */
const statusOf = (head: string) =>
  new Promise<number>((resolve, reject) => {
    let text = '';
    const socket = connect(on.port, '127.0.0.1', () => socket.write(head.replaceAll('\n', '\r\n')));
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      const [, status] = /^HTTP\/1\.[01] (\d+) [^]*\r\n\r\n/.exec(text) ?? [];
      if (status === undefined) return;
      socket.destroy();
      resolve(Number(status));
    });
    socket.once('error', reject).once('end', () => reject(new Error(`the connection ended after ${text}`)));
  });

test('hosts as they are on the wire: absent, empty, doubled, in the target, with port, case, dot and brackets', async () => {
  const cases: readonly (readonly [string, number])[] = [
    ['GET /v1/setup HTTP/1.0\n\n', 200],
    ['GET /v1/setup HTTP/1.0\nhost: evil.example\n\n', 421],
    ['GET /v1/setup HTTP/1.1\n\n', 400],
    ['GET /v1/setup HTTP/1.1\nhost:\n\n', 200],
    ['GET /v1/setup HTTP/1.1\nhost: localhost\nHOST: evil.example\n\n', 400],
    ['GET /v1/setup HTTP/1.1\nhost: evil.example\nhost: localhost\n\n', 400],
    ['GET /v1/setup HTTP/1.1\nhost: localhost, evil.example\n\n', 421],
    ['GET /v1/setup HTTP/1.1\nhost: TOCSIN.EXAMPLE.COM.:443\n\n', 200],
    ['GET /v1/setup HTTP/1.1\nhost: tocsin.example.com..\n\n', 421],
    ['GET /v1/setup HTTP/1.1\nhost: [::1]:3000\n\n', 200],
    ['GET /v1/setup HTTP/1.1\nhost: [fe80::1%25eth0]\n\n', 421],
    ['GET http://localhost/v1/setup HTTP/1.1\nhost: localhost\n\n', 200],
    ['GET http://evil.example/v1/setup HTTP/1.1\nhost: localhost\n\n', 421],
    ['GET HTTP://LOCALHOST/v1/setup HTTP/1.1\nhost: evil.example\n\n', 421],
    ['GET //evil.example/v1/setup HTTP/1.1\nhost: localhost\n\n', 404],
    ['OPTIONS * HTTP/1.1\nhost: evil.example\n\n', 421],
  ];
  for (const [head, status] of cases) assert.equal(await statusOf(head), status, head);
});

test('event streams: a session is refused under a foreign name, a key is not', async () => {
  const stream = (headers: string) => statusOf(`GET /v1/events HTTP/1.1\n${headers}\n\n`);
  assert.equal(await stream('host: evil.example\ncookie: tocsin_session=x'), 421);
  assert.equal(await stream(`host: evil.example\nauthorization: Bearer ${on.apiKey}`), 200);
  assert.equal(await stream(`host: localhost\nauthorization: Bearer ${on.apiKey}`), 200);
  assert.equal(await stream('host: evil.example\nauthorization:'), 401, 'an empty header disables cookies as well');
});

test('exempted paths are exempted as the router reads them, and no other path with them', async () => {
  const under = (target: string, method = 'GET') => statusOf(`${method} ${target} HTTP/1.1\nhost: evil.example\n\n`);
  for (const path of ['/ping/x/../../v1/setup', '/ping/%2e%2e/v1/setup', '/health/../v1/setup']) {
    assert.equal(await under(path), 404, path);
  }
  for (const path of ['/Ping/x', '/%70ing/x', '/v1/setup?/ping/x', '/v1/setup#/ping/x', '/health%2Flive']) {
    const status = await under(path);
    assert.ok(status === 421 || status === 400, `${path}: ${status}`);
  }
  assert.equal(await under('/health/ready?x=1', 'HEAD'), 200);
  assert.equal(await under('/ping/unknown/fail', 'HEAD'), 404);
});
