// Requests as bytes on a socket: broken, slow, cut off, and while the server ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { KnownKey } from '#rest/authenticate.ts';
import type { AnyCall } from '#rest/route.ts';
import { keys, restUnderTest } from './rest-under-test.ts';

const { server } = restUnderTest({ headersTimeoutMs: 150, requestTimeoutMs: 300 });
let port = 0;

before(async () => {
  await server.listen({ host: '127.0.0.1', port: 0 });
  const address = server.server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
after(() => server.close());

/** Sends bytes as they are and gives back all that comes until the other side closes. */
async function talk(...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => socket.destroy());
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

function assertShape(raw: string, statusCode: number): void {
  assert.match(raw, new RegExp(`^HTTP/1.1 ${statusCode} `), raw.slice(0, 300));
  assert.match(raw, /\r\nx-request-id: \S+\r\n/i);
  const body = JSON.parse(
    raw.slice(raw.indexOf('\r\n\r\n') + 4).replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, ''),
  ) as object;
  assert.deepEqual(Object.keys(body), ['statusCode', 'error', 'message']);
  assert.equal((body as { statusCode: number }).statusCode, statusCode);
}

const end = 'connection: close\r\n\r\n';
const parserCases: readonly (readonly [string, number, string])[] = [
  ['that is not HTTP at all', 400, 'hello\r\n\r\n'],
  ['with a broken header', 400, 'GET / HTTP/1.1\r\nhost: a\r\nbro ken: 1\r\n\r\n'],
  ['with headers beyond 16 kB', 431, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['without a Host header', 400, `GET /v1/runtimes HTTP/1.1\r\n${end}`],
  ['with the method CONNECT', 405, 'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['with a method of its own', 400, `BREW / HTTP/1.1\r\nhost: a\r\n${end}`],
  ['with a method that is not used here', 405, `PURGE /v1/runtimes HTTP/1.1\r\nhost: a\r\n${end}`],
  ['with an expectation that is not known', 417, `GET / HTTP/1.1\r\nhost: a\r\nexpect: tea\r\n${end}`],
  ['with two lengths', 400, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ['whose headers never end', 408, 'GET / HTTP/1.1\r\nhost: a\r\n'],
];

for (const [what, status, bytes] of parserCases) {
  test(`a request ${what} is answered with ${status} in the error shape`, async () =>
    assertShape(await talk(bytes), status));
}

const write =
  'POST /v1/variables HTTP/1.1\r\nhost: a\r\nauthorization: Bearer tsn_admin\r\ncontent-type: application/json\r\n';

test('a body that never ends is given up in time', async () => {
  assertShape(await talk(`${write}content-length: 100\r\n\r\n{"key":`), 408);
});

test('ten megabytes are refused with 413, and the sender gets to read it', async () => {
  const body = Buffer.alloc(10_000_000, ' ');
  assertShape(await talk(`${write}content-length: ${body.length}\r\n${end}`, body), 413);
});

test('a connection on which nothing is sent is closed', async () => {
  await talk();
});

test('a thousand idle connections keep nobody out', async (t) => {
  // It waits for their headers for longer than the answer takes.
  const { server: patient } = restUnderTest({});
  const address = new URL(await patient.listen({ host: '127.0.0.1', port: 0 }));
  const idle = Array.from({ length: 1000 }, () =>
    connect(Number(address.port), address.hostname).on('error', () => undefined),
  );
  t.after(async () => {
    for (const socket of idle) socket.destroy();
    await patient.close();
  });
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  const answer = await fetch(new URL('/v1/runtimes', address), { headers: { authorization: 'Bearer tsn_reader' } });
  assert.equal(answer.status, 200);
  const connected = await promisify(patient.server.getConnections.bind(patient.server))();
  assert.ok(connected > idle.length, `${connected} connections`);
});

test('a server that is closing completes requests in progress', async () => {
  const asked = Promise.withResolvers<void>();
  const known = Promise.withResolvers<KnownKey | null>();
  const { server } = restUnderTest({
    authenticate: () => {
      asked.resolve();
      return known.promise;
    },
  });
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  const answer = fetch(`${origin}/v1/runtimes`, { headers: { authorization: 'Bearer tsn_reader' } });
  await asked.promise;
  const closed = server.close();
  known.resolve(keys['tsn_reader'] ?? null);
  assert.equal((await answer).status, 200);
  assert.equal(((await (await answer).json()) as unknown[]).length, 1);
  await closed;
});

test('an answer that becomes ready while the server closes arrives whole, however slowly it is read', async () => {
  const asked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<string>();
  const route = {
    id: 'getMetrics' as const,
    run: () => {
      asked.resolve();
      return ready.promise;
    },
  };
  const { server } = restUnderTest({ routes: [route], checkResponses: false });
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n');
  await asked.promise;
  const closed = server.close();
  const size = 20_000_000;
  ready.resolve('x'.repeat(size));
  let bytes = 0;
  for await (const chunk of socket) bytes += (chunk as Buffer).length;
  assert.ok(bytes > size, `${bytes} bytes came`);
  await closed;
});

test('a server that is closing does not wait for a client that stops reading its answer', async (t) => {
  const route = { id: 'getMetrics' as const, run: () => 'x'.repeat(20_000_000) };
  const { server } = restUnderTest({ routes: [route], checkResponses: false, closingStallMs: 50 });
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n');
  await once(socket, 'readable');
  await server.close();
});

test(
  'a server that is closing does not wait for connections without a whole request',
  { timeout: 30_000 },
  async (t) => {
    const { server } = restUnderTest();
    const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    const answered = 'GET /v1/runtimes HTTP/1.1\r\nhost: a\r\nauthorization: Bearer tsn_reader\r\n\r\n';
    for (const text of ['', 'GET /v1/runtimes HTTP/1.1\r\nhost:', `${answered}GET /v1`]) {
      const accepted = once(server.server, 'connection');
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      t.after(() => socket.destroy());
      await accepted;
      socket.write(text);
      if (text.startsWith(answered)) await once(socket, 'data');
    }
    await server.close();
  },
);

test('a waiting route is notified when its client disconnects', async () => {
  const waiting = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const route = {
    id: 'getLiveness' as const,
    run: ({ signal }: AnyCall) => {
      signal.addEventListener('abort', () => gone.resolve());
      waiting.resolve();
      return gone.promise;
    },
  };
  const { server } = restUnderTest({ routes: [route], checkResponses: false });
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  const caller = new AbortController();
  const answer = fetch(`${origin}/health/live`, { signal: caller.signal });
  await waiting.promise;
  caller.abort();
  await assert.rejects(answer);
  await gone.promise;
  await server.close();
});
