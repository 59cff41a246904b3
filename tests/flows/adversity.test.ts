// Slow, silent and broken clients: the real service serves everybody else and closes their connections in time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { restUnderTest } from '../rest/rest-under-test.ts';
import { describe as describeEach } from '../support/service/one-process.ts';
import { apiKey, type Service } from '../support/service/service.ts';

const portOf = ({ address }: Service): number => Number(new URL(address).port);

async function open(to: number): Promise<Socket> {
  const socket = connect(to, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Resolves when it closes, cleanly or not. */
function closeOf(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}

/** Sends raw bytes and returns everything until the other side closes. */
async function talk(to: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = await open(to);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  for (const part of parts) socket.write(part);
  await closeOf(socket);
  return Buffer.concat(chunks).toString('latin1');
}

/** Response time of an ordinary request on a new connection. */
async function answeredIn(port: number): Promise<number> {
  const startedAt = performance.now();
  const request = `GET /v1/checks HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${apiKey}\r\nconnection: close\r\n\r\n`;
  assert.match(await talk(port, request), /^HTTP\/1\.1 200 /);
  return performance.now() - startedAt;
}

/**
 * Most of five requests are answered within a second, and none takes as long as the service tolerates a silent client.
 * The time before is the baseline, because the machine may be slow.
 */
async function assertOthersAreAnswered(port: number, undisturbedMs: number): Promise<void> {
  const tookMs: number[] = [];
  for (let round = 0; round < 5; round++) tookMs.push(await answeredIn(port));
  tookMs.sort((a, b) => a - b);
  const said = `${tookMs.join(', ')} ms, and ${undisturbedMs} ms before`;
  assert.ok((tookMs[2] ?? Infinity) < 1000 + 10 * undisturbedMs, said);
  assert.ok((tookMs[4] ?? Infinity) < 8000, said);
}

function assertRefused(raw: string, status: number): void {
  assert.match(raw, new RegExp(`^HTTP/1\\.1 ${status} `), raw.slice(0, 300));
  assert.match(raw, /\r\nx-request-id: \S+\r\n/i);
  const body = JSON.parse(/\{.*\}/s.exec(raw)?.[0] ?? '') as Record<string, unknown>;
  assert.deepEqual(Object.keys(body).slice(0, 3), ['statusCode', 'error', 'message']);
  assert.equal(body['statusCode'], status);
}

const write = `POST /v1/variables HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\n`;

describeEach('clients of a running service', {}, ({ it }) => {
  describe('others get a response within a second', () => {
    for (const [who, said] of [
      ['that say nothing', ''],
      ['whose headers do not end', 'GET /v1/checks HTTP/1.1\r\nhost: a\r\nx-slow: '],
      ['whose body does not come', `${write}content-length: 1000\r\n\r\n{`],
    ] as const) {
      it(`while a thousand connections are open ${who}`, async (_, service) => {
        const port = portOf(service);
        // A busy machine is slow without them, too.
        const undisturbedMs = await answeredIn(port);
        const idle = await Promise.all(Array.from({ length: 1000 }, () => open(port)));
        for (const socket of idle) if (said !== '') socket.write(said);
        await assertOthersAreAnswered(port, undisturbedMs);
        assert.equal((await fetch(`${service.address}/health/ready`)).status, 200);
        for (const socket of idle) socket.destroy();
      });
    }

    it('while ten megabytes are rejected with 413, repeatedly', async (_, service) => {
      const port = portOf(service);
      const body = Buffer.alloc(10_000_000, ' ');
      const undisturbedMs = await answeredIn(port);
      const refusals = Array.from({ length: 5 }, async () => {
        const startedAt = performance.now();
        assertRefused(
          await talk(port, `${write}content-length: ${body.length}\r\nconnection: close\r\n\r\n`, body),
          413,
        );
        assert.ok(performance.now() - startedAt < 3000 + 30 * undisturbedMs);
      });
      await assertOthersAreAnswered(port, undisturbedMs);
      await Promise.all(refusals);
    });
  });

  describe('bytes that are not a valid request', () => {
    const ask = `GET /health/live HTTP/1.1\r\nhost: a\r\n`;

    it('after valid ones on the same connection are rejected, and the valid ones answered', async (_, service) => {
      const port = portOf(service);
      const said = await talk(port, `${ask}\r\n${ask}\r\n\u0001\u0002 garbage\r\n\r\n${ask}\r\n`);
      assert.equal(said.match(/HTTP\/1\.1 200 /g)?.length, 2, said);
      assertRefused(said.slice(said.lastIndexOf('HTTP/1.1')), 400);
    });

    it('of any kind get a 400 in the error format, or the connection closed', async (_, service) => {
      const port = portOf(service);
      for (const bytes of [
        '\0\0\0\0\r\n\r\n',
        '\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003',
        'GET\r\n\r\n',
        'GET / HTTP/9.9\r\n\r\n',
        'GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\nabc',
        `${write}transfer-encoding: chunked\r\n\r\nzz\r\nnot a chunk\r\n`,
        'GET /health/live HTTP/1.1\r\nhost: a\r\nHost: a\r\nconnection: close\r\n\r\n',
        'GET /v1/checks HTTP/1.1\r\nhost: a\r\nx-b: 1\r\nHOST: b\r\nconnection: close\r\n\r\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      ]) {
        assertRefused(await talk(port, Buffer.from(bytes, 'latin1')), 400);
      }
    });

    it('headers beyond 16 kB are rejected with 431', async (_, service) => {
      const port = portOf(service);
      assertRefused(await talk(port, `${ask}x-large: ${'x'.repeat(20_000)}\r\n\r\n`), 431);
      const many = Array.from({ length: 3000 }, (_, n) => `x-${n}: ${n}\r\n`).join('');
      assertRefused(await talk(port, `${ask}${many}\r\n`), 431);
    });

    it('HTTP/1.0 is answered, even without a Host header, and its connection closed', async (_, service) => {
      const port = portOf(service);
      assert.match(await talk(port, 'GET /health/live HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /);
    });

    it('a truncated body has no effect', async (_, service) => {
      const port = portOf(service);
      const socket = await open(port);
      socket.write(`${write}content-length: 60\r\n\r\n{"key":"HALF","value":`);
      await answeredIn(port);
      socket.destroy();
      assert.equal((await service.api('GET', '/v1/variables/HALF')).status, 404);
    });

    it('the service logged no error', async (_, service) => {
      assert.doesNotMatch(service.printed, /"level":"(error|fatal)"/);
    });
  });
});

// The same server with shorter limits than 15 s for headers and 30 s for a request.
describe('a slow client is disconnected in bounded time', () => {
  const limits = { headersTimeoutMs: 300, requestTimeoutMs: 600 };
  for (const [what, first, piece] of [
    ['its headers', 'GET /v1/runtimes HTTP/1.1\r\nhost: a\r\n', 'x: y\r\n'],
    ['its body', write.replace(apiKey, 'tsn_admin') + 'content-length: 100000\r\n\r\n', ' '],
  ] as const) {
    test(`with ${what}, with a 408 response`, async (t) => {
      const { server } = restUnderTest(limits);
      t.after(() => server.close());
      const to = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);
      const startedAt = performance.now();
      const dribblers = Array.from({ length: 50 }, async () => {
        const socket = await open(to);
        const chunks: Buffer[] = [];
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.write(first);
        const timer = setInterval(() => socket.writable && socket.write(piece), 50);
        await closeOf(socket);
        clearInterval(timer);
        return Buffer.concat(chunks).toString();
      });
      for (const said of await Promise.all(dribblers)) assertRefused(said, 408);
      assert.ok(performance.now() - startedAt < 20_000);
    });
  }
});
