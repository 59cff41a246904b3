// The gateway of a script: checked, transparent, limited, and separate for each run.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startConnectProxy } from '../../tests/support/targets/connect-proxy.ts';
import { until } from '../../tests/support/until.ts';
import { parseCidr } from './address-class.ts';
import { type GatewayBounds, gatewayBounds, openGateway } from './gateway.ts';
import { createGuard, type EgressPolicy } from './guard.ts';
import { createPlaceBoard, type Place } from './closed-places.ts';
import { readProxy } from './proxy.ts';

const everything: EgressPolicy = { mode: 'any', allow: [] };

async function gateway(
  t: TestContext,
  policy: EgressPolicy = everything,
  { closed = [], ...bounds }: Partial<GatewayBounds> & { readonly closed?: readonly Place[] } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-gateway-'));
  const path = join(folder, 'socket');
  const guard = createGuard({ ...policy, closed: createPlaceBoard(closed) });
  const { close } = await openGateway(path, guard, { ...gatewayBounds, ...bounds });
  t.after(() => {
    close();
    rmSync(folder, { recursive: true });
  });
  return { path, close };
}

/** A server on loopback that handles each connection. */
async function target(t: TestContext, onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

function call(path: string): Socket {
  return connect({ path, allowHalfOpen: true }).on('error', () => undefined);
}

/** Reads everything until either side closes. */
async function text(socket: Socket): Promise<string> {
  return (await bytes(socket)).toString();
}

async function bytes(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => {
    socket.once('end', resolve).once('close', resolve);
  });
  socket.destroy();
  return Buffer.concat(chunks);
}

/** The full response of a gateway to some text. */
async function answerTo(path: string, words: string): Promise<string> {
  const socket = call(path);
  socket.write(words);
  return text(socket);
}

/** An established connection through the gateway. */
async function through(path: string, port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = call(path);
  socket.write(`${JSON.stringify({ connect: host, port })}\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.deepEqual(JSON.parse(answer.toString()), { address: '127.0.0.1', port });
  socket.write('\n');
  return socket;
}

interface Refused {
  readonly error: { readonly code: string; readonly message: string };
}

async function refusalOf(path: string, asked: object): Promise<Refused['error']> {
  return (JSON.parse(await answerTo(path, `${JSON.stringify(asked)}\n`)) as Refused).error;
}

test('forwards all bytes in both directions, and either side may end first', async (t) => {
  const { path } = await gateway(t);
  const echo = await target(t, (socket) => socket.pipe(socket));
  const socket = await through(path, echo);
  const sent = Buffer.alloc(20 << 20, 'tocsin ');
  socket.end(sent);
  assert.ok((await bytes(socket)).equals(sent));
  const greeter = await target(t, (peer) => peer.end('welcome'));
  assert.equal(await text((await through(path, greeter)).end()), 'welcome');
});

test('distinguishes closed targets, policy refusals and unknown names', async (t) => {
  const { path } = await gateway(t);
  const closed = await refusalOf(path, { connect: '127.0.0.1', port: 1 });
  assert.deepEqual([closed.code, closed.message], ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1']);
  const { path: strict } = await gateway(t, { mode: 'public', allow: [] });
  const port = await target(t, () => assert.fail('it was connected to'));
  for (const asked of [{ connect: '127.0.0.1', port }, { connect: 'localhost', port }, { lookup: 'localhost' }]) {
    const { code, message } = await refusalOf(strict, asked);
    assert.equal(code, 'EGRESS_REFUSED', JSON.stringify(asked));
    assert.match(
      message,
      /^refused by the egress policy: .*127\.0\.0\.1 is a loopback address; TOCSIN_EGRESS=any would/,
    );
  }
  const inspected = await answerTo(path, '{"lookup":"localhost","family":4}\n');
  assert.deepEqual(JSON.parse(inspected), { addresses: ['127.0.0.1'] });
});

test('tries every address of a name and reports all errors', async (t) => {
  const hostsFile = join(mkdtempSync(join(tmpdir(), 'tocsin-hosts-')), 'hosts');
  t.after(() => rmSync(dirname(hostsFile), { recursive: true }));
  writeFileSync(
    hostsFile,
    ['::1', '127.0.0.3', '127.0.0.2', '127.0.0.1'].map((each) => `${each} name.test\n`).join(''),
  );
  const { path } = await gateway(t, { ...everything, names: { hostsFile } });
  const port = await target(t, (socket) => socket.end('there'));
  assert.equal(await text((await through(path, port, 'name.test')).end()), 'there');
  const { code, message } = await refusalOf(path, { connect: 'name.test', port: 1 });
  assert.equal(code, 'ECONNREFUSED');
  for (const address of ['127.0.0.3:1', '127.0.0.2:1', '127.0.0.1:1', '::1:1'])
    assert.ok(message.includes(address), message);
});

test('does not connect to closed places under any policy, but to other ports there', async (t) => {
  const port = await target(t, () => assert.fail('it was connected to'));
  const beside = await target(t, (socket) => socket.end('beside'));
  const allow = ['0.0.0.0/0', '::/0'].map(parseCidr);
  const { path } = await gateway(
    t,
    { mode: 'any', allow },
    { closed: [{ host: 'localhost', port, owner: 'database' }] },
  );
  for (const host of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '0.0.0.0', 'app.localhost']) {
    const { code, message } = await refusalOf(path, { connect: host, port });
    assert.equal(code, 'EGRESS_REFUSED', host);
    assert.match(message, /^refused by the egress policy: .*:\d+ is Tocsin's own database/);
  }
  assert.equal(await text((await through(path, beside)).end()), 'beside');
  // The same port elsewhere is another server.
  const { path: other } = await gateway(t, everything, {
    closed: [{ host: '10.0.0.1', port: beside, owner: 'database' }],
  });
  assert.equal(await text((await through(other, beside)).end()), 'beside');
});

test('refuses invalid requests, and drops connections that send nothing or too much', async (t) => {
  const { path } = await gateway(t, everything, { askMs: 300 });
  const port = await target(t, () => assert.fail('it was connected to'));
  const wrong = [
    '',
    'GET / HTTP/1.1',
    'null',
    '[]',
    '{}',
    '{"connect":"127.0.0.1"}',
    `{"connect":"127.0.0.1","port":"${port}"}`,
    `{"connect":"127.0.0.1","port":${port}.5}`,
    '{"connect":"127.0.0.1","port":0}',
    '{"connect":"127.0.0.1","port":65536}',
    `{"connect":["127.0.0.1"],"port":${port}}`,
    `{"connect":"127.0.0.1\\u0000","port":${port}}`,
    `{"connect":"","port":${port}}`,
    `{"connect":"${'a'.repeat(256)}","port":${port}}`,
    '{"lookup":{}}',
    `{"lookup":"${'x'.repeat(2000)}"}`,
  ];
  for (const line of wrong) assert.match(await answerTo(path, `${line}\n`), /EGRESS_REQUEST/, line);
  assert.match(await answerTo(path, 'x'.repeat(1 << 20)), /EGRESS_REQUEST|^$/);
  const beginning = performance.now();
  assert.equal(await answerTo(path, '{"connect":'), '');
  assert.ok(performance.now() - beginning < 20_000);
});

test('limits a run that floods its gateway without affecting another run', async (t) => {
  assert.deepEqual(gatewayBounds, { atOnce: 256, perSecond: 200, calls: 10_000, askMs: 5000 }, 'of docs/security.md');
  // Fewer take the same way.
  const calls = 2000;
  const { path } = await gateway(t, everything, { askMs: 1000, calls });
  const { path: other } = await gateway(t);
  let connections = 0;
  const port = await target(t, (socket) => {
    connections++;
    socket.end('ok');
  });
  const hostile = ['', 'x'.repeat(4096), '{"connect":', 'junk\n', `{"connect":"127.0.0.1","port":${port}}\n\n`];
  const flood = (async () => {
    for (let n = 0; n < 200_000 && existsSync(path); n++) {
      const socket = call(path);
      socket.write(hostile[n % hostile.length] ?? '');
      socket.resume();
      if (n % 2 === 0) await new Promise(setImmediate);
    }
  })();
  const times: number[] = [];
  const state = { isFlooding: true };
  void flood.finally(() => (state.isFlooding = false));
  while (state.isFlooding) {
    const beginning = performance.now();
    assert.equal(await text((await through(other, port)).end()), 'ok');
    times.push(performance.now() - beginning);
  }
  assert.ok(
    times.length >= 5 && Math.max(...times) < 2000,
    `${times.length} calls took up to ${Math.max(...times)} ms`,
  );
  await assert.rejects(once(connect(path), 'connect'), /ENOENT|ECONNREFUSED/);
  assert.ok(connections < calls, `${connections} connections`);
});

test('refuses connections over the concurrency limit until others have ended', async (t) => {
  const { path } = await gateway(t, everything, { atOnce: 3 });
  const port = await target(t, (socket) => socket.pipe(socket));
  const held = await Promise.all([1, 2, 3].map(() => through(path, port)));
  assert.equal((await refusalOf(path, { connect: '127.0.0.1', port })).code, 'EGRESS_LIMIT');
  for (const socket of held) socket.destroy();
  await until('room for another', async () => !(await answerTo(path, '?\n')).includes('EGRESS_LIMIT'));
});

test('delays connections over the rate limit', async (t) => {
  const { path } = await gateway(t, everything, { perSecond: 20 });
  const beginning = performance.now();
  await Promise.all(Array.from({ length: 40 }, () => answerTo(path, '{"lookup":"localhost"}\n')));
  assert.ok(performance.now() - beginning > 700, `${performance.now() - beginning} ms`);
});

test('an aborted connection frees its slot, and nothing is connected', async (t) => {
  let came = 0;
  const port = await target(t, () => void came++);
  const { path } = await gateway(t, everything, { perSecond: 1, atOnce: 2 });
  await answerTo(path, '{"lookup":"localhost"}\n');
  await Promise.all(
    [1, 2].map(async () => {
      const socket = call(path).resume();
      socket.end(`{"connect":"127.0.0.1","port":${port}}\n`);
      await once(socket, 'close');
    }),
  );
  assert.match(await answerTo(path, '{"lookup":"localhost"}\n'), /addresses/);
  assert.equal(came, 0);
});

test('closes connections at the end of the run', async (t) => {
  const { path, close } = await gateway(t);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const port = await target(t, (socket) => void text(socket).then(() => resolve()));
  const socket = await through(path, port);
  close();
  await Promise.all([text(socket), ended]);
  await assert.rejects(once(connect(path), 'connect'), /ENOENT|ECONNREFUSED/);
});

test('a configured proxy makes and checks connections', async (t) => {
  const port = await target(t, (socket) => socket.end('behind the proxy'));
  const proxy = await startConnectProxy(t, port);
  const behind = readProxy(`http://${proxy.host}`) ?? null;
  const { path } = await gateway(t, { mode: 'public', allow: [], proxy: behind });
  const socket = call(path);
  socket.write('{"connect":"inside.corp.test","port":443}\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.deepEqual(JSON.parse(answer.toString()), { address: null, port: null });
  socket.write('\n');
  assert.equal(await text(socket), 'behind the proxy');
  assert.deepEqual(proxy.asked, ['inside.corp.test:443 -']);
  const closed: Place[] = [{ host: 'localhost', port: 5432, owner: 'database' }];
  const { path: closing } = await gateway(t, { mode: 'public', allow: [], proxy: behind }, { closed });
  for (const host of ['localhost', '127.0.0.1']) {
    assert.equal((await refusalOf(closing, { connect: host, port: 5432 })).code, 'EGRESS_REFUSED', host);
  }
  assert.deepEqual(proxy.asked, ['inside.corp.test:443 -']);
  proxy.answer = 'HTTP/1.1 403 Forbidden\r\n\r\n';
  const refused = await refusalOf(path, { connect: 'inside.corp.test', port: 443 });
  assert.deepEqual([refused.code, /status 403/.test(refused.message)], ['PROXY_REFUSED', true]);
});
