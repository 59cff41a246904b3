// Twelve kinds of hostile receivers: each attempt ends in time with its class and does not delay others.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HostileReceivers, startHostileReceivers } from '../../../../tests/support/receivers/hostile-receivers.ts';
import { receiver, sender, sending } from '../../http/test-receivers.ts';

let hostile: HostileReceivers;
before(async () => {
  hostile = await startHostileReceivers();
});
after(() => hostile.close());

/** Some respond in thousands of chunks from this process, and need this long on a busy machine. */
const deadlineMs = 10_000;

test('classifies each of twelve hostile receivers by the deadline', async () => {
  assert.equal(hostile.kinds.length, 12);
  const one = sender(deadlineMs);
  const attempts = hostile.kinds.flatMap(({ name, variants }) =>
    variants.map(async ({ what, expected, url }) => {
      const { error, response } = await one.send(sending('', { url }));
      const seen = `${name}, ${what}: ${error?.message ?? response?.status}`;
      assert.equal(error?.class ?? null, expected, seen);
      assert.ok((response?.body.length ?? 0) <= 16 * 1024, seen);
    }),
  );
  assert.ok((await Promise.all(attempts)).length >= 25);
});

test('delivers everything to a good receiver among hostile ones', async () => {
  const { host, received } = await receiver((_request, response) => response.end('ok'));
  const one = sender(deadlineMs);
  const silent = hostile.kinds.flatMap(({ variants }) => variants.filter(({ expected }) => expected === 'timeout'));
  let ended = 0;
  const bad = silent.map(async ({ url }) => {
    await one.send(sending('', { url }));
    ended++;
  });
  for (let n = 0; n < 20; n++) assert.equal((await one.send(sending(host))).error, null);
  assert.equal(received.length, 20);
  assert.equal(ended, 0, 'all are still in progress');
  await one.close();
  await Promise.all(bad);
});
