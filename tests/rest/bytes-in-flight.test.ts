// Clients that do not read their responses neither fill the memory nor keep others waiting (docs/decisions/0131).
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createBytesInFlight } from '#rest/sending/bytes-in-flight.ts';
import { JsonText, route } from '#rest/route.ts';
import type { RestOptions } from '#rest/server.ts';
import { until } from '../support/until.ts';
import { foreignId, keys, restUnderTest } from './rest-under-test.ts';

const mb = 1_048_576;
const large = Buffer.from(JSON.stringify('x'.repeat(6 * mb)));

/** A server whose list of runtimes has 6 MB, and of which an unread response stays in memory. */
async function largeServer(t: TestContext, { sending, ...more }: Partial<RestOptions> = {}) {
  const { server } = restUnderTest({
    routes: [
      route('listRuntimes', () => new JsonText(large)),
      route('createVariable', () => assert.fail('its body was never complete')),
    ],
    authenticate: (key) => keys[key] ?? { keyId: key, role: 'read-only', accountIds: [foreignId] },
    checkResponses: false,
    sending: { waitMs: 200, ...sending },
    ...more,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
  const open = (request: string): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(request);
    sockets.push(socket);
    return socket.pause();
  };
  const address = server.server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const get = async (key: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/runtimes`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await response.text();
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
  };
  const silent = (key: string, count: number, requests = 1): Socket[] =>
    Array.from({ length: count }, () =>
      open(`GET /v1/runtimes HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n\r\n`.repeat(requests)),
    );
  return { get, silent, open, port };
}

test('an account whose responses are not read gets 429 with Retry-After, and another one its response', async (t) => {
  const { get, silent } = await largeServer(t);
  silent('tsn_writer', 20);
  const refused = await until('a refusal', async () => {
    const response = await get('tsn_writer');
    return response.status === 429 && response;
  });
  assert.equal(refused.retryAfter, '2');
  assert.match(refused.text, /Too many bytes are being sent to this account/);
  const other = await get('tsn_foreign');
  assert.deepEqual([other.status, other.text.length], [200, large.length]);
});

test('when all accounts together hold too much, one that holds nothing is still answered', async (t) => {
  const { get, silent } = await largeServer(t, {
    sending: { accounts: { each: 32 * mb, all: 14 * mb, spare: 16 * mb } },
  });
  silent('tsn_writer', 20);
  const refused = await until('a refusal', async () => {
    const response = await get('tsn_writer');
    return response.status === 503 && response.retryAfter;
  });
  assert.equal(refused, '2');
  assert.equal((await get('tsn_foreign')).status, 200);
});

test('a connection whose client reads nothing is closed, and its bytes are free again', async (t) => {
  const { get, silent } = await largeServer(t, { sending: { stallMs: 300 } });
  const sockets = silent('tsn_writer', 8, 3);
  let closed = 0;
  for (const socket of sockets) socket.once('close', () => closed++);
  await until('an answer again', async () => {
    return (await get('tsn_writer')).status === 200;
  });
  // A paused socket sees its end only after it has read.
  for (const socket of sockets) socket.resume();
  await until('closed connections', () => closed > 0);
});

test('a client that reads slowly but steadily gets its whole response', async (t) => {
  const { silent } = await largeServer(t, { sending: { stallMs: 2000 } });
  const [socket] = silent('tsn_writer', 1);
  assert.ok(socket !== undefined);
  let size = 0;
  await new Promise<void>((resolve) => {
    socket.on('data', (part) => {
      size += part.length;
      socket.pause();
      setTimeout(() => socket.resume(), 5);
      if (size > large.length) resolve();
    });
    socket.once('close', resolve);
    socket.resume();
  });
  assert.ok(size > large.length, `${size} bytes`);
});

test('bodies in progress count: slow senders of one account cannot fill the memory', async (t) => {
  const { get, open } = await largeServer(t);
  const head = `POST /v1/variables HTTP/1.1\r\nhost: a\r\nauthorization: Bearer tsn_writer\r\n`;
  for (let index = 0; index < 20; index++) {
    open(`${head}content-type: application/json\r\ncontent-length: ${mb}\r\n\r\n{`);
  }
  await until('a refusal', async () => {
    return (await get('tsn_writer')).status === 429;
  });
  assert.equal((await get('tsn_foreign')).status, 200);
});

test('a body without authentication may have at most 512 kB, compressed or not', async (t) => {
  const { port } = await largeServer(t, {
    routes: [route('createSession', () => assert.fail('it was read'))],
  });
  const url = `http://127.0.0.1:${port}/v1/sessions`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email: 'x'.repeat(600_000) });
  const plain = await fetch(url, { method: 'POST', headers, body });
  const packed = { ...headers, 'content-encoding': 'gzip' };
  const compressed = await fetch(url, { method: 'POST', headers: packed, body: gzipSync(body) });
  assert.deepEqual([plain.status, compressed.status], [413, 413]);
});

test('the request that waited longest for bytes is served first, and a request that left gives its bytes back', async () => {
  const budget = createBytesInFlight({ each: 10, all: 15, spare: 5 });
  const first = await budget.reserve('a', 10);
  const order: string[] = [];
  const waiting = [3, 4].map(async (bytes) => {
    const reservation = await budget.reserve('a', bytes);
    order.push(`a ${bytes}`);
    return reservation;
  });
  const other = await budget.reserve('b', 10);
  assert.equal(budget.held, 20, 'b holds nothing, so it may use the spare');
  const grown = first.grow(10);
  assert.equal(grown, null);
  first.set(8);
  first.release();
  first.release();
  other.release();
  const [three, four] = await Promise.all(waiting);
  assert.deepEqual(order, ['a 3', 'a 4']);
  const growing = three?.grow(9);
  assert.ok(growing instanceof Promise, 'more than its share');
  three?.release();
  four?.release();
  await growing;
  assert.equal(budget.held, 0);
});
