// Twelve kinds of hostile receivers: each attempt ends in time with its class and does not delay others.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HostileReceivers, startHostileReceivers } from '../../../../tests/support/receivers/hostile-receivers.ts';
import type { ChannelSender } from '../../kind.ts';
import { receiver, sender, sending } from '../../../../tests/support/receivers/http-receivers.ts';

let hostile: HostileReceivers;
before(async () => {
  hostile = await startHostileReceivers();
});
after(() => hostile.close());

/** Some respond in thousands of chunks from this process, and need this long on a busy machine. */
const deadlineMs = 10_000;
/** Enough to connect, for attempts that end at their deadline. */
const shortDeadlineMs = 2000;

test('classifies each of twelve hostile receivers by the deadline', async () => {
  assert.equal(hostile.kinds.length, 12);
  const classify = async (stalls: boolean, one: ChannelSender): Promise<number> => {
    const attempts = hostile.kinds.flatMap(({ name, variants }) =>
      variants.map(async ({ what, expected, isStalling, url }) => {
        if (stalls !== (isStalling ?? expected === 'timeout')) return 0;
        const { error, response } = await one.send(sending('', { url }));
        const seen = `${name}, ${what}: ${error?.message ?? response?.status}`;
        assert.equal(error?.class ?? null, expected, seen);
        assert.ok((response?.body.length ?? 0) <= 16 * 1024, seen);
        return 1;
      }),
    );
    return (await Promise.all(attempts)).reduce<number>((sum, one) => sum + one, 0);
  };
  const quick = await classify(false, sender(deadlineMs));
  assert.ok(quick + (await classify(true, sender(shortDeadlineMs))) >= 25);
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
