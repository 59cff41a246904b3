// Default deadlines for receivers (spec §6.5, §8).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { createPlainSender, open, raw, sending } from '../../../tests/support/receivers/http-receivers.ts';

test('a receiver has exactly 30 s to respond', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const host = await raw(() => arrive());
  const sender = createPlainSender({ guard: open });
  t.after(() => sender.close());
  let hasEnded = false;
  const sent = sender.send(sending(host)).finally(() => {
    hasEnded = true;
  });
  await arrived;
  t.mock.timers.tick(29_999);
  await nextTick();
  assert.equal(hasEnded, false);
  t.mock.timers.tick(1);
  const { error } = await sent;
  assert.equal(error?.class, 'timeout');
  assert.match(error.message, /^no response within 30 s/);
});

test('a body must arrive within 5 s of its head', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const host = await raw((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegun'));
  const sender = createPlainSender({ guard: open });
  t.after(() => sender.close());
  const ended: SendOutcome[] = [];
  const sent = sender.send(sending(host)).then((outcome) => ended.push(outcome));
  for (let tickedMs = 0; ended.length === 0 && tickedMs < 29_000; tickedMs++) {
    await nextTick();
    t.mock.timers.tick(1);
  }
  assert.equal(ended.length, 1);
  await sent;
  const [{ error, response, bodyProblem }] = ended as [SendOutcome];
  assert.deepEqual([error, response?.body, bodyProblem], [null, 'begun', 'its body did not finish in time']);
});
