// Configurations of all channels, page by page and by when they were written.
import assert from 'node:assert/strict';
import { putAccount, putChannel } from '../support/store/rows.ts';
import { it } from '../support/store/each-engine.ts';

it('configurations of every account come in order, page by page', async (newStore) => {
  await using temp = await newStore();
  const owners = [putAccount(temp.raw), putAccount(temp.raw)].toSorted();
  for (const accountId of owners) for (const id of [1, 2, 3]) putChannel(temp.raw, accountId, id);
  const found: string[] = [];
  const { channelConfigs } = temp.store;
  for (let page = await channelConfigs.after(null, 2); page.length > 0;) {
    found.push(...page.map(({ accountId, id }) => `${accountId} ${id}`));
    const last = page.at(-1);
    assert.ok(last && typeof last.config['url'] === 'string' && last.type === 'WEBHOOK');
    page = await channelConfigs.after(last, 2);
  }
  assert.deepEqual(
    found,
    owners.flatMap((accountId) => [1, 2, 3].map((id) => `${accountId} ${id}`)),
  );
});

it('configurations written since an instant come in the order in which they were written', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  for (const id of [1, 2, 3]) putChannel(temp.raw, accountId, id);
  const before = await temp.store.channelConfigs.writtenSince(0, 10);
  const newest = Math.max(...before.map(({ writtenAt }) => writtenAt));
  temp.clock.advance(60_000);
  await temp.store.alertChannels.change(accountId, 2, ({ channel }) => ({ channel, subscriptions: null }));
  const since = await temp.store.channelConfigs.writtenSince(newest + 1, 10);
  assert.deepEqual(
    since.map(({ id }) => id),
    [2],
  );
  assert.deepEqual(await temp.store.channelConfigs.writtenSince(temp.clock.now() + 1, 10), []);
});
