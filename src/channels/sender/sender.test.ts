// The sending thread: results of attempts, and failures of the thread.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import test, { type TestContext } from 'node:test';
import type { ChannelSender } from '../kind.ts';
import { until } from '../../../tests/support/until.ts';
import { listen, receiver, sending as sendingOf } from '../../../tests/support/receivers/http-receivers.ts';
import { channelKinds } from '../registry.ts';
import { createSender, type SenderThreadOptions } from './sender.ts';

const sending: typeof sendingOf = (host, request, more) =>
  sendingOf(host, request, { type: channelKinds[0].type, ...more });

test('signs concurrent attempts and returns each its own response', async (t) => {
  const { host, received } = await receiver((request, response) => {
    response.writeHead(request.headers['x-service-delivery-id'] === 'd-7' ? 500 : 200).end(request.url);
  });
  const sender = start(t);
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      sender.send(
        sending(
          host,
          {},
          { deliveryId: `d-${index}`, secrets: { webhookSecret: 'whisper' }, startedAt: 1_800_000_000_000 },
        ),
      ),
    ),
  );
  assert.equal(received.length, 50);
  assert.ok(received.every(({ headers }) => /^[0-9a-f]{64}$/.test(String(headers['x-service-signature']))));
  for (const [index, { response, error, startedAt, headers }] of outcomes.entries()) {
    assert.equal(response?.status, index === 7 ? 500 : 200);
    assert.equal(error?.class, index === 7 ? 'status' : undefined);
    assert.equal(startedAt, 1_800_000_000_000);
    assert.ok(headers.some(([name, value]) => name === 'x-service-delivery-id' && value === `d-${index}`));
  }
});

test('returns attempts of a dead thread as interrupted and restarts it', async (t) => {
  const died = Promise.withResolvers<Error>();
  const silent = await listen(net.createServer((socket) => socket.resume()));
  const { host } = await receiver((_, response) => response.end());
  const sender = start(t, { onThreadEnd: died.resolve });
  const inProgress = sender.send(sending(silent));
  // A missing request ends the thread with an uncaught error.
  const poisoned = sender.send({ ...sending(silent), request: null as never });
  for (const { response, error } of [await inProgress, await poisoned]) {
    assert.equal(response, null);
    assert.equal(error?.class, 'interrupted');
    assert.match(error.message, /^the sending thread stopped unexpectedly: /);
  }
  assert.match((await died.promise).message, /null/);
  assert.equal((await sender.send(sending(host))).response?.status, 200);
});

test('an invalid attempt fails without delaying others', async (t) => {
  const ends: Error[] = [];
  const { host } = await receiver((_, response) => response.end());
  const sender = start(t, { onThreadEnd: (error) => ends.push(error) });
  const [before, impossible, after] = await Promise.all([
    sender.send(sending(host)),
    sender.send(sending(host, { url: 'no address', headers: [['x-own', 'kept']] }, { startedAt: 1_800_000_000_000 })),
    sender.send(sending(host)),
  ]);
  assert.deepEqual([before.response?.status, after.response?.status], [200, 200]);
  assert.equal(impossible.response, null);
  assert.equal(impossible.error?.class, 'protocol');
  assert.match(impossible.error.message, /^the attempt could not be made: /);
  assert.equal(impossible.startedAt, 1_800_000_000_000);
  assert.deepEqual(impossible.headers, [['x-own', 'kept']]);
  assert.deepEqual(ends, [], 'the thread keeps running');
});

test('measures an attempt from its handover, not from its claim', async (t) => {
  const arrived = Promise.withResolvers<ServerResponse>();
  const { host } = await receiver((_, response) => arrived.resolve(response));
  const sender = start(t);
  const handedAt = performance.now();
  const attempt = sender.send(sending(host, {}, { startedAt: Date.now() - 3_600_000 }));
  const response = await arrived.promise;
  const arrivedAt = performance.now();
  await until('the receiver to take its time', () => performance.now() - arrivedAt > 30);
  const answeredAt = performance.now();
  response.end();
  const { durationMs } = await attempt;
  const max = Math.ceil(performance.now() - handedAt);
  assert.ok(durationMs >= Math.floor(answeredAt - arrivedAt), `${durationMs} ms include the receiver's time`);
  assert.ok(durationMs <= max, `${durationMs} ms are at most the ${max} ms since the handover`);
});

test('applies the egress policy in the thread; closing interrupts open attempts', async (t) => {
  const silent = await listen(net.createServer((socket) => socket.resume()));
  const strict = start(t, { egress: { mode: 'public', allow: [] } });
  assert.equal((await strict.send(sending(silent))).error?.class, 'egress-refused');
  const sender = start(t);
  const open = sender.send(sending(silent));
  await sender.close();
  assert.equal((await open).error?.class, 'interrupted');
  assert.equal((await sender.send(sending(silent))).error?.class, 'interrupted');
});

test('ends an attempt at its deadline', async (t) => {
  const silent = await listen(net.createServer((socket) => socket.resume()));
  const { error } = await start(t, { deadlineMs: 200 }).send(sending(silent));
  assert.equal(error?.class, 'timeout');
});

function start(t: TestContext, options: Partial<SenderThreadOptions> = {}): ChannelSender {
  const sender = createSender({ egress: { mode: 'any', allow: [] }, ...options });
  t.after(() => sender.close());
  return sender;
}
