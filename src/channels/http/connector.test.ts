// The guard checks every address before a webhook connects, in any form.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { createGuard } from '#egress/guard.ts';
import { tunnelThrough } from '#egress/proxy.ts';
import { listenWithoutAccepting } from '../../../tests/support/receivers/hostile-receivers.ts';
import { listenAndReset, untilReset } from '../../../tests/support/receivers/resetting-receiver.ts';
import type { ConnectionGuard } from '#lib/net/guarded.ts';
import { listen, open, raw, receiver, sender, sending } from '../../../tests/support/receivers/http-receivers.ts';

test('checks an address in the URL before connecting', async () => {
  let connections = 0;
  const host = await listen(net.createServer(() => connections++));
  const { host: control } = await receiver((_request, response) => response.end());
  const outcome = await sender(5000, createGuard({ mode: 'public', allow: [] })).send(sending(host));
  assert.equal(outcome.error?.class, 'egress-refused');
  assert.match(outcome.error.message, /^127\.0\.0\.1 is a loopback address; TOCSIN_EGRESS=any would allow it/);
  assert.equal((await sender().send(sending(control))).error, null);
  assert.equal(connections, 0);
});

test('checks a bracketed IPv6 address', async () => {
  const outcome = await sender(5000, createGuard({ mode: 'public', allow: [] })).send(sending('[::1]:9'));
  assert.equal(outcome.error?.class, 'egress-refused');
  assert.match(outcome.error.message, /^::1 is a loopback address/);
});

test('reports the lookup’s refusal unchanged', async () => {
  const message = 'internal.test resolves to 10.0.0.1, which is private';
  const resolve = () => Promise.reject(Object.assign(new Error(message), { code: 'EGRESS_REFUSED' }));
  const outcome = await sender(5000, { resolve, judge: () => null }).send(sending('internal.test'));
  assert.deepEqual(outcome.error, { class: 'egress-refused', message });
});

test('checks the address again after connecting, before anything is sent', async () => {
  let bytes = 0;
  const host = await listen(net.createServer((socket) => socket.on('data', (chunk) => (bytes += chunk.length))));
  const port = host.split(':')[1];
  const resolve = () => Promise.resolve(['127.0.0.1']);
  const judge = (address: string): string | null => (address === '127.0.0.1' ? 'rebound' : null);
  const outcome = await sender(5000, { resolve, judge }).send(sending(`rebinding.test:${port}`));
  assert.deepEqual(outcome.error, { class: 'egress-refused', message: 'rebound' });
  assert.equal(bytes, 0);
});

test('a receiver that resets the connection at once is tried again, not judged as an address', async () => {
  const server = await listenAndReset();
  using _waiting = untilReset();
  const guard = createGuard({ mode: 'any', allow: [] });
  const { error } = await sender(5000, guard).send(sending(`127.0.0.1:${server.port}`));
  assert.equal(error?.class, 'reset', error?.message);
  assert.match(error.message, /closed the connection after \d+ ms without a complete response/);
  await server.close();
});

test('checks a pooled connection again for every request', async () => {
  const { host, received } = await receiver((_request, response) => response.end());
  let refusal: string | null = null;
  const one = sender(5000, { ...open, judge: () => refusal });
  assert.equal((await one.send(sending(host))).error, null);
  refusal = 'the policy has changed';
  const outcome = await one.send(sending(host));
  assert.deepEqual(outcome.error, { class: 'egress-refused', message: 'the policy has changed' });
  assert.equal(received.length, 1);
});

test('connects only to addresses that one lookup returned and the guard checked', async () => {
  const { host, received } = await receiver((_request, response) => response.end());
  const { host: other, received: unwanted } = await receiver((_request, response) => response.end());
  const answers = ['127.0.0.1', '127.0.0.2'];
  let lookups = 0;
  const resolve = () => Promise.resolve([answers[lookups++] ?? '127.0.0.3']);
  const one = sender(5000, { resolve, judge: (address) => (address === '127.0.0.1' ? null : 'no') });
  assert.equal((await one.send(sending(`changing.test:${host.split(':')[1]}`))).error, null);
  assert.equal(lookups, 1);
  const later = await one.send(sending(`changing.test:${other.split(':')[1]}`));
  assert.notEqual(later.error, null);
  assert.deepEqual([received.length, unwanted.length], [1, 0]);
});

test('sends one request per attempt through a proxy, whose own response does not count as use of the connection', async () => {
  let requests = 0;
  const host = await raw((socket) => {
    requests++;
    socket.destroy();
  });
  const proxy = await listen(
    net.createServer((client) =>
      client.once('data', () => {
        const upstream = net.connect(Number(host.split(':')[1]), '127.0.0.1');
        upstream.on('error', () => client.destroy());
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(upstream).pipe(client);
      }),
    ),
  );
  const tunnel = tunnelThrough({ host: '127.0.0.1', port: Number(proxy.split(':')[1]), authorization: null });
  const outcome = await sender(5000, { ...open, tunnel }).send(sending('hooks.nowhere.test'));
  assert.deepEqual([outcome.error?.class, outcome.isSentTwice, requests], ['reset', undefined, 1]);
});

test('tries a slow address until the deadline, and the next ones in parallel', async (t) => {
  const slow = await listenWithoutAccepting();
  t.after(() => slow.close());
  const guard: ConnectionGuard = { ...open, resolve: () => Promise.resolve(['127.0.0.1', '127.0.0.2']) };
  const url = `http://slow.test:${slow.port}/`;
  const refused = await sender(1500, guard).send(sending('slow.test', { url }));
  assert.equal(refused.error?.message, `could not connect to slow.test:${slow.port} within 1.5 s`);
  const server = net.createServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')),
  );
  server.listen(slow.port, '127.0.0.2');
  t.after(() => server.close());
  await once(server, 'listening');
  const outcome = await sender(1500, guard).send(sending('slow.test', { url }));
  assert.equal(outcome.response?.body, 'ok');
});
