// The sending thread: what comes back of attempts, whatever becomes of them or of the thread.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import test, { type TestContext } from 'node:test';
import type { ChannelSender } from '../kind.ts';
import { until } from '../../../tests/support/until.ts';
import { listen, receiver, sending } from '../kinds/webhook/test-receivers.ts';
import { createSender, type SenderThreadOptions } from './sender.ts';

test('many attempts at once arrive signed, and each gets its own answer', async (t) => {
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

test('a thread that dies gives its attempts back as interrupted, and another one takes its place', async (t) => {
  const died = Promise.withResolvers<Error>();
  const silent = await listen(net.createServer((socket) => socket.resume()));
  const { host } = await receiver((_, response) => response.end());
  const sender = start(t, { onThreadEnd: died.resolve });
  const underWay = sender.send(sending(silent));
  // What lacks its request ends the thread with an uncaught error.
  const poisoned = sender.send({ ...sending(silent), request: null as never });
  for (const { response, error } of [await underWay, await poisoned]) {
    assert.equal(response, null);
    assert.equal(error?.class, 'interrupted');
    assert.match(error.message, /^the sending thread stopped unexpectedly: /);
  }
  assert.match((await died.promise).message, /null/);
  assert.equal((await sender.send(sending(host))).response?.status, 200);
});

test('an attempt that cannot be made is a failed attempt, and holds up no other', async (t) => {
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
  assert.deepEqual(ends, [], 'the thread lives on');
});

test('how long an attempt took is counted from its hand-over, not from when it was claimed', async (t) => {
  const arrived = Promise.withResolvers<ServerResponse>();
  const { host } = await receiver((_, response) => arrived.resolve(response));
  const sender = start(t);
  const handedAt = performance.now();
  const attempt = sender.send(sending(host, {}, { startedAt: Date.now() - 3_600_000 }));
  const response = await arrived.promise;
  const arrivedAt = performance.now();
  await until('the receiver to have taken its time', () => performance.now() - arrivedAt > 30);
  const answeredAt = performance.now();
  response.end();
  const { durationMs } = await attempt;
  const most = Math.ceil(performance.now() - handedAt);
  assert.ok(durationMs >= Math.floor(answeredAt - arrivedAt), `${durationMs} ms hold the receiver's time`);
  assert.ok(durationMs <= most, `${durationMs} ms are at most the ${most} ms since the hand-over`);
});

test('the egress policy holds in the thread; what is open when it is closed ends as interrupted', async (t) => {
  const silent = await listen(net.createServer((socket) => socket.resume()));
  const strict = start(t, { egress: { mode: 'public', allow: [] } });
  assert.equal((await strict.send(sending(silent))).error?.class, 'egress-refused');
  const sender = start(t);
  const open = sender.send(sending(silent));
  await sender.close();
  assert.equal((await open).error?.class, 'interrupted');
  assert.equal((await sender.send(sending(silent))).error?.class, 'interrupted');
});

test('an attempt ends at its deadline', async (t) => {
  const silent = await listen(net.createServer((socket) => socket.resume()));
  const { error } = await start(t, { deadlineMs: 200 }).send(sending(silent));
  assert.equal(error?.class, 'timeout');
});

function start(t: TestContext, options: Partial<SenderThreadOptions> = {}): ChannelSender {
  const sender = createSender({ egress: { mode: 'any', allow: [] }, ...options });
  t.after(() => sender.close());
  return sender;
}
