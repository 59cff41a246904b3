// Clients with many connections take neither the places of other addresses nor those of pings and signed-in requests
// (docs/decisions/0132).
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { networksOf } from '#rest/connections.ts';
import { route } from '#rest/route.ts';
import { until } from '../support/until.ts';
import { restUnderTest } from './rest-under-test.ts';

const max = 40;

/** A server with 40 places: 35 of them for all, 10 for one address. */
async function limitedServer(t: TestContext, freshMs: number) {
  let refused = 0;
  const { server } = restUnderTest({
    routes: [route('listRuntimes', () => []), route('ping', () => 'ok'), route('postPing', () => 'ok')],
    connections: { max, freshMs, onRefused: () => refused++ },
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });
  const address = server.server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  /** Opens connections that send this and stay open. */
  const take = async (localAddress: string, count: number, text = ''): Promise<void> => {
    for (let index = 0; index < count; index++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
      if (text !== '') socket.write(text);
      sockets.push(socket.resume());
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    }
  };
  const ask = (localAddress: string, path = '/v1/runtimes', key = 'tsn_reader') =>
    new Promise<number>((resolve) => {
      const headers = key === '' ? {} : { authorization: `Bearer ${key}` };
      request({ port, host: '127.0.0.1', localAddress, path, headers, agent: false })
        .on('response', (response) => resolve(response.resume().statusCode ?? 0))
        .on('error', () => resolve(0))
        .end();
    });
  return { server, take, ask, open: () => sockets.filter((socket) => !socket.closed).length, refused: () => refused };
}

test('an address has at most a quarter of the places, and its oldest idle connections are closed', async (t) => {
  const { take, ask, open, refused } = await limitedServer(t, 0);
  await take('127.0.0.2', 100);
  await until('the others to be closed', () => open() === max / 4);
  assert.equal(await ask('127.0.0.3'), 200);
  assert.equal(await ask('127.0.0.2'), 200, 'the newest request of the same address is answered');
  assert.equal(refused(), 0);
});

for (const [what, text] of [
  ['idle connections', ''],
  ['headers that never end', 'GET /v1/runtimes HTTP/1.1\r\nhost: a\r\n'],
  ['bodies that never end', 'POST /v1/sessions HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n'],
  ['pings that never end', 'POST /ping/unknown HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n'],
] as const) {
  test(`${what} from many addresses leave places for API requests and pings`, async (t) => {
    const { take, ask, refused } = await limitedServer(t, 0);
    for (let index = 0; index < 12; index++) await take(`127.0.1.${index + 1}`, 5, text);
    for (let index = 0; index < 5; index++) {
      assert.equal(await ask(`127.0.2.${index + 1}`), 200);
      assert.equal(await ask(`127.0.3.${index + 1}`, '/ping/abc', ''), 200);
    }
    if (text === '') assert.equal(refused(), 0, 'no ping was refused');
  });
}

test('the connection of another address is closed for a new one even if it had no time for its request', async (t) => {
  const { take, ask } = await limitedServer(t, 60_000);
  for (let index = 0; index < 12; index++) await take(`127.0.1.${index + 1}`, 5);
  assert.equal(await ask('127.0.2.1'), 200);
});

test('a refused connection counts as a lost ping only if its address sends pings', async (t) => {
  const { take, ask, refused, open } = await limitedServer(t, 60_000);
  await take('127.0.0.2', 30);
  await until('refusals', () => open() === max / 4);
  assert.equal(refused(), 0);
  assert.equal(await ask('127.0.0.3', '/ping/abc', ''), 200);
  await take('127.0.0.3', 30);
  await until('refused pings', () => refused() > 0);
});

for (const [address, networks] of [
  ['203.0.113.7', ['203.0.113.7']],
  ['2001:db8:1:2ff::7', ['2001:db8:1/48', '2001:db8:1:2/56', '2001:db8:1:2ff/64']],
  ['2001:db8::7', ['2001:db8:0/48', '2001:db8:0:0/56', '2001:db8:0:0/64']],
] as const) {
  test(`${address} counts for ${networks.join(', ')}`, () => assert.deepEqual(networksOf(address), networks));
}
