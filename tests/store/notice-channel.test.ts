// Notices about Tocsin itself become deliveries of the operator's channel: each once, and its end.
import assert from 'node:assert/strict';
import type { Notice } from '#domain/alerts/notice-channel.ts';
import { createSendNotices } from '#upkeep/send-notices.ts';
import { test } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

test('a notice that lasts is one delivery of the named channel, and its end another', async (newStore) => {
  const path = await PathUnderTest.open(newStore);
  await using _ = path;
  const { store, clock } = path.temp;
  const alertChannelId = await path.channel(null);
  const problem: Notice = {
    id: 'watchdog-withheld',
    kind: 'watchdog-withheld',
    since: clock.now(),
    subject: 'Tocsin',
    message: 'The watchdog is not called.',
    action: 'See the log.',
  };
  let notices: readonly Notice[] = [problem];
  let isThere = true;
  let missing = 0;
  const processes = [1, 2].map(() =>
    createSendNotices({
      store: store.noticeChannel,
      channel: { accountId: path.accountId, alertChannelId },
      exists: () => Promise.resolve(isThere),
      notices: () => Promise.resolve(notices),
      link: () => 'https://tocsin.example/notices',
      clock,
      onSent: () => {},
      onMissing: () => missing++,
    }),
  );
  const tick = async (): Promise<unknown[]> => {
    await Promise.all(processes.map((each) => each()));
    const found = await store.deliveries.list(path.accountId, {}, { limit: 10, offset: 0 });
    return found.rows.map(({ delivery }) => [delivery.alertChannelId, delivery.alertType, delivery.checkId]);
  };
  assert.deepEqual(await tick(), []);
  clock.advance(300_000);
  const opened = [alertChannelId, 'ALERT_FAILURE', null];
  assert.deepEqual(await tick(), [opened]);
  assert.deepEqual(await tick(), [opened]);
  const [claimed] = await path.claimDeliveries();
  assert.ok(claimed !== undefined);
  const [content] = await path.path.readContents([claimed.delivery]);
  assert.equal(content?.variables['CHECK_ERROR_MESSAGE'], 'The watchdog is not called. See the log.');
  notices = [];
  isThere = false;
  assert.deepEqual([(await tick()).length, (await tick()).length, missing], [1, 1, 2]);
  isThere = true;
  assert.deepEqual(await tick(), [[alertChannelId, 'ALERT_RECOVERY', null], opened]);
  assert.equal((await tick()).length, 2);
});
