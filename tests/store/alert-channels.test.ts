// Alert channels as they are listed: of one account, with what they are subscribed to.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import type { StoredChannel } from '#store/channels/alert-channels.ts';
import { test } from '../support/store/each-engine.ts';
import { aChannel } from '../support/store/records.ts';
import { putAccount, putCheck } from '../support/store/rows.ts';

test('channels are listed in the order of their ids with their subscriptions, page by page, without those of other accounts', async (newStore) => {
  await using temp = await newStore();
  const { alertChannels } = temp.store;
  const [accountId, foreign] = [putAccount(temp.raw), putAccount(temp.raw)];
  const add = async (of: string, checkIds: readonly string[]): Promise<StoredChannel> => {
    const saved = await alertChannels.add({
      channel: aChannel(of, { secrets: { webhookSecret: `secret of ${checkIds.length}` } }),
      subscriptions: checkIds.map((checkId) => ({ checkId, groupId: null, activated: true })),
    });
    assert.ok('saved' in saved);
    return saved.saved;
  };
  const checkIds = [putCheck(temp.raw, accountId), putCheck(temp.raw, accountId)];
  const channels: StoredChannel[] = [];
  for (let count = 0; count < 3; count++) {
    channels.push(await add(accountId, checkIds.slice(0, count)));
    await add(foreign, []);
  }
  assert.deepEqual(
    channels.map(({ subscriptions }) => subscriptions.map(({ checkId }) => checkId)),
    [[], checkIds.slice(0, 1), checkIds],
  );
  const at = (limit: number, offset: number) => alertChannels.list(accountId, { limit, offset });
  assert.deepEqual(await at(10, 0), { rows: channels, total: 3 });
  assert.deepEqual(await at(2, 0), { rows: channels.slice(0, 2), total: 3 });
  assert.deepEqual(await at(2, 2), { rows: channels.slice(2), total: 3 });
  assert.deepEqual(await at(2, 3), { rows: [], total: 3 });

  const [first, second] = channels;
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(await alertChannels.remove(accountId, first.channel.id), true);
  assert.deepEqual(await at(1, 0), { rows: [second], total: 2 });
  assert.equal((await alertChannels.list(foreign, { limit: 10, offset: 0 })).total, 3);
  assert.deepEqual(await alertChannels.list(newId(), { limit: 10, offset: 0 }), { rows: [], total: 0 });
});
