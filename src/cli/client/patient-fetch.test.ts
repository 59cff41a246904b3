// How requests of client commands wait, and why they fail.
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { CommandError } from '../exits.ts';
import { patientFetch, unreachableText } from './patient-fetch.ts';

/** A server that answers as told, and a `fetch` that knows it. */
async function serving(t: TestContext, answer: (response: ServerResponse, before: number) => void) {
  let count = 0;
  const server = createServer((_, response) => answer(response, count++));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const said: string[] = [];
  const request = patientFetch({ url, keySource: 'profile "default"' }, (line) => void said.push(line));
  return { url, request, said, count: () => count };
}

const limited = (response: ServerResponse, status: number): void =>
  void response.writeHead(status, { 'retry-after': '0' }).end();

test('a limited request waits as long as the server asks, says so, and is sent again', async (t) => {
  const { url, request, said, count } = await serving(t, (response, before) =>
    before === 0 ? limited(response, 429) : response.end('fine'),
  );
  const response = await request(url, { method: 'POST' });
  assert.deepEqual([response.status, count(), said], [200, 2, ['The server asks to wait 1 s.']]);
});

test('a wait that is too long is not begun', async (t) => {
  const { url, request, count } = await serving(t, (response) =>
    response.writeHead(429, { 'retry-after': '301' }).end(),
  );
  assert.deepEqual([(await request(url)).status, count()], [429, 1]);
});

test('only a request without effect is repeated after a 503', async (t) => {
  const { url, request, count } = await serving(t, (response, before) =>
    before === 1 ? response.end('fine') : limited(response, 503),
  );
  assert.deepEqual([(await request(url, { method: 'POST' })).status, count()], [503, 1]);
  assert.deepEqual([(await request(url)).status, count()], [200, 2]);
});

test('a redirect is not followed: the key stays with its server', async (t) => {
  const { url, request, count } = await serving(t, (response) =>
    response.writeHead(302, { location: 'https://elsewhere.example/v1/me' }).end(),
  );
  await assert.rejects(request(url), {
    name: 'CommandError',
    message: `${url} redirects to another address: use https://elsewhere.example if that is the server`,
  });
  assert.equal(count(), 1);
});

test('a rejected key is named by where it comes from', async (t) => {
  const { url, request } = await serving(t, (response) => response.writeHead(401).end());
  await assert.rejects(request(url), (error) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.message, /rejected the API key of profile "default"\. Run .* login http/);
    return true;
  });
});

test('problems of the network and of TLS are one line', () => {
  const failed = (code: string) =>
    Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('long\n\u001b[2J'), { code }) });
  const says = (code: string): string => unreachableText('https://t.example', failed(code));
  assert.equal(says('ECONNREFUSED'), 'cannot reach https://t.example: connection refused. Is the server running?');
  assert.equal(says('ENOTFOUND'), 'cannot reach https://t.example: unknown host name');
  assert.match(
    says('SELF_SIGNED_CERT_IN_CHAIN'),
    /certificate is not trusted \(SELF_SIGNED_CERT_IN_CHAIN\).*TOCSIN_CA_FILE/,
  );
  assert.match(says('CERT_HAS_EXPIRED'), /its certificate has expired$/);
  assert.equal(says('EODD'), 'cannot reach https://t.example: long \\u001b[2J');
});

test('a response without end is given up', async (t) => {
  const megabyte = Buffer.alloc(1_048_576, 'a');
  const { url, request } = await serving(t, (response) => {
    const write = (): void => {
      while (response.write(megabyte));
      response.once('drain', write);
    };
    write();
  });
  await assert.rejects(async () => (await request(url)).text(), {
    name: 'CommandError',
    message: `${url} sends more than 100 MB`,
  });
});
