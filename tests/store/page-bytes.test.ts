// Pages of large checks, groups and channels are cut, so that they take a bounded amount of memory.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from '../support/store/each-engine.ts';
import { aChannel, aCheck, aGroup } from '../support/store/records.ts';

interface Slice {
  readonly limit: number;
  readonly offset: number;
}

test('a page of large rows is cut, and the next one begins after it', async (newStore) => {
  await using temp = await newStore();
  const accountId = randomUUID();
  const { store } = temp;
  const nothing = { subscriptions: null, isAutoAssigned: false };
  const text = 'x'.repeat(1_500_000);
  for (const name of ['a', 'b', 'c', 'd']) {
    const settings = { request: { method: 'GET', url: text } };
    await store.checks.add({ check: aCheck(accountId, { name, settings }), ...nothing });
    await store.checkGroups.add({ group: aGroup(accountId, { name, localSetupScript: text }), ...nothing });
    const channel = aChannel(accountId, { config: { name, template: text } });
    await store.alertChannels.add({ channel, subscriptions: null });
  }
  const slices = [0, 2].map((offset) => ({ limit: offset === 0 ? 4 : 2, offset }));
  for (const [name, list] of [
    ['checks', async (slice: Slice) => (await store.checks.list(accountId, {}, slice)).rows.length],
    ['groups', async (slice: Slice) => (await store.checkGroups.list(accountId, {}, slice)).rows.length],
    ['channels', async (slice: Slice) => (await store.alertChannels.list(accountId, slice)).rows.length],
  ] as const) {
    assert.deepEqual([name, ...(await Promise.all(slices.map(list)))], [name, 2, 2]);
  }
});
