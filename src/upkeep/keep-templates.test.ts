// A new version validates stored channels again: in slices, once each, and reports broken ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createKeepTemplates,
  type ConfigFault,
  type KeepTemplatesOptions,
  type StoredChannelConfig,
} from './keep-templates.ts';

const accounts = ['a', 'b'];

function channel(accountId: string, id: number, template: string, writtenAt = 0): StoredChannelConfig {
  return { accountId, id, type: 'WEBHOOK', config: { name: `channel ${id}`, template }, writtenAt };
}

function keeping(channels: StoredChannelConfig[], change: Partial<KeepTemplatesOptions> = {}) {
  const reported: string[] = [];
  let elapsed = 0;
  let judged = 0;
  const keep = createKeepTemplates({
    store: {
      after: async (place, limit) =>
        channels
          .filter(({ accountId, id }) => place === null || [accountId, id] > [place.accountId, place.id])
          .slice(0, limit),
      writtenSince: async (at, limit) => channels.filter(({ writtenAt }) => writtenAt >= at).slice(0, limit),
    },
    judge: ({ config: { template } }): ConfigFault[] => {
      elapsed += 2;
      judged++;
      return template === 'broken' ? [{ path: 'config.template', message: 'no', line: 1, column: 1 }] : [];
    },
    onBroken: ({ accountId, id, name, fault }) => reported.push(`${accountId} ${id} ${name}: ${fault.message}`),
    isShared: false,
    now: () => 1000,
    elapsedMs: () => elapsed,
    ...change,
  });
  return { keep, reported, judged: () => judged };
}

async function tickToTheEnd(keep: ReturnType<typeof createKeepTemplates>): Promise<number> {
  let ticks = 1;
  while ((await keep.tick()) < 60_000) ticks++;
  return ticks;
}

test('validates every stored channel once, in slices that yield to the event loop', async () => {
  const channels = accounts.flatMap((account) =>
    Array.from({ length: 30 }, (_, index) => channel(account, 10 + index, index === 4 ? 'broken' : 'fine')),
  );
  const { keep, reported, judged } = keeping(channels);
  const ticks = await tickToTheEnd(keep);
  assert.equal(judged(), 60);
  // Each takes 2 ms here and a slice ends after 5 ms, so it contains three.
  assert.ok(ticks >= 20, `${ticks} turns`);
  assert.deepEqual(reported, ['a 14 channel 14: no', 'b 14 channel 14: no']);
  assert.deepEqual(keep.broken('a'), [{ id: 14, foundAt: 1000 }]);
  assert.deepEqual(keep.broken('nobody'), []);
  await tickToTheEnd(keep);
  assert.equal(judged(), 60);
});

test('in a shared database, validates what other processes write, and drops what they fix', async () => {
  const channels = [channel('a', 1, 'broken', 5000)];
  const { keep, reported } = keeping(channels, { isShared: true });
  await tickToTheEnd(keep);
  assert.equal(keep.broken('a').length, 1);
  channels.splice(0, 1, channel('a', 1, 'fine', 6000), channel('b', 2, 'broken', 6000));
  await tickToTheEnd(keep);
  assert.deepEqual([keep.broken('a').length, keep.broken('b').length], [0, 1]);
  assert.deepEqual(reported, ['a 1 channel 1: no', 'b 2 channel 2: no']);
});

test('reports at most a thousand broken channels', async () => {
  const channels = Array.from({ length: 1100 }, (_, index) => channel('a', 10_000 + index, 'broken'));
  const { keep, reported } = keeping(channels, { elapsedMs: () => 0 });
  await tickToTheEnd(keep);
  assert.deepEqual([reported.length, keep.broken('a').length], [1000, 1000]);
});
