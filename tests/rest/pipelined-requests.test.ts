// Requests that a client sends without waiting for responses run one at a time (docs/decisions/0131).
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { route } from '#rest/route.ts';
import type { RestOptions } from '#rest/server.ts';
import { until } from '../support/until.ts';
import { restUnderTest } from './rest-under-test.ts';

const reader = 'host: a\r\nauthorization: Bearer tsn_reader\r\n';
const get = `GET /v1/runtimes HTTP/1.1\r\n${reader}\r\n`;

async function pipelinedServer(t: TestContext, run: () => unknown, more: Partial<RestOptions> = {}) {
  const { server } = restUnderTest({
    routes: [
      route('listRuntimes', run as () => []),
      route('listVariables', () => ({ items: [], total: 0 })),
      route('createVariable', ({ body }) => body as never),
    ],
    checkResponses: false,
    ...more,
  });
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  const sockets: Socket[] = [];
  const open = (text: string) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    let received = '';
    socket.on('data', (part) => (received += part.toString('latin1')));
    socket.write(text);
    return { socket, received: () => received };
  };
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
  const headers = { authorization: 'Bearer tsn_reader' };
  return { open, ask: async () => (await fetch(`${origin}/v1/variables`, { headers })).status };
}

test('of 45,000 pipelined requests one runs while its response is unsent, and others are answered', async (t) => {
  let runs = 0;
  const first = Promise.withResolvers<readonly []>();
  const { open, ask } = await pipelinedServer(t, () => {
    runs++;
    return first.promise;
  });
  open(get.repeat(45_000));
  await until('the first request', () => runs > 0);
  for (let index = 0; index < 20; index++) assert.equal(await ask(), 200);
  assert.equal(runs, 1);
  first.resolve([]);
  await until('the next request', () => runs > 1);
});

for (const size of [10, 100_000]) {
  test(`pipelined requests are all answered in order, with responses of ${size} bytes`, async (t) => {
    let runs = 0;
    const { open } = await pipelinedServer(t, async () => {
      const number = ++runs;
      if (number % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      return [`<${number}>${'x'.repeat(size)}`];
    });
    const count = size === 10 ? 3000 : 1500;
    const { received } = open(get.repeat(count));
    await until('the last response', () => received().includes(`<${count}>`));
    const numbers = Array.from(received().matchAll(/<(\d+)>/g), ([, number]) => Number(number));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  });
}

test('a body that is not yet complete is read once the request has its turn', async (t) => {
  const first = Promise.withResolvers<readonly []>();
  const { open, ask } = await pipelinedServer(t, () => first.promise);
  const body = JSON.stringify({ key: 'A', value: 'whole' });
  const head = `POST /v1/variables HTTP/1.1\r\nhost: a\r\nauthorization: Bearer tsn_writer\r\ncontent-type: application/json\r\n`;
  const { socket, received } = open(`${get}${head}content-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`);
  assert.equal(await ask(), 200);
  socket.write(body.slice(9));
  assert.equal(await ask(), 200);
  first.resolve([]);
  await until('the second response', () => received().includes('whole'));
  assert.match(received(), /^HTTP\/1.1 200 [^]*HTTP\/1.1 201 /);
});

test('a connection with which more requests would wait than an address may have is closed, and places are free again', async (t) => {
  let gate = Promise.withResolvers<readonly []>();
  const { open, ask } = await pipelinedServer(t, () => gate.promise, { sending: { waiting: { each: 50, all: 80 } } });
  const tooMany = open(get.repeat(100));
  await until('its end', () => tooMany.socket.closed);
  for (let index = 0; index < 3; index++) {
    const fitting = open(get.repeat(40));
    assert.equal(await ask(), 200);
    gate.resolve([]);
    await until('all responses', () => fitting.received().split('HTTP/1.1 200').length === 41);
    gate = Promise.withResolvers();
  }
});
