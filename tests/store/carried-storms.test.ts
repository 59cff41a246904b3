// A backup restored during an alert storm: digests that were collecting are sent with all their alerts.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { carryOver } from '#cli/carry-over.ts';
import { idBytes } from '#store/base/codec.ts';
import { openStore } from '#store/sqlite-store.ts';
import { aChannel } from '../support/store/records.ts';
import { openTempStore, secretKey } from '../support/store/temp-store.ts';
import { PathUnderTest, prepared } from './path-under-test.ts';

test('a digest that began after the backup, and its alerts, are carried into it', async () => {
  await using test = await PathUnderTest.open(() => Promise.resolve(openTempStore()));
  const { temp, accountId } = test;
  assert.equal(temp.address.kind, 'sqlite');
  const { path } = temp.address;
  test.digested.add('EMAIL');
  temp.raw
    .prepare('UPDATE accounts SET alert_settings = ? WHERE id = ?')
    .run(JSON.stringify({ digestThreshold: 1 }), idBytes(accountId));
  const ids = [await test.check(), await test.check(), await test.check()];
  await temp.store.alertChannels.add({
    channel: aChannel(accountId, { type: 'EMAIL', grouping: true }),
    subscriptions: ids.map((checkId) => ({ checkId, groupId: null, activated: true })),
  });
  const backup = `${path}.backup`;
  const database = new DatabaseSync(path);
  database.exec(`VACUUM INTO '${backup}'`);
  database.close();
  await test.schedule();
  await test.record(
    (await test.claim()).map((claimed) => test.ended(claimed, 'failed')),
    'one',
    prepared,
  );
  await temp.rest();
  assert.deepEqual(carryOver(backup, path), { states: 3, deliveries: 4 });

  const store = openStore({ path: backup, secretKey, clock: temp.clock });
  const { rows } = await store.deliveries.list(accountId, {}, { limit: 10, offset: 0 });
  assert.deepEqual(rows.map(({ delivery: { status } }) => status).toSorted(), [
    'collecting',
    'digested',
    'digested',
    'pending',
  ]);
  temp.clock.advance(60_000);
  assert.deepEqual(await store.alertStorms.judge(accountId, temp.clock.now()), {
    accountId,
    digests: 1,
    isOver: true,
  });
  const [digest] = (await store.deliveries.list(accountId, { statuses: ['pending'] }, { limit: 10, offset: 0 })).rows;
  const [content] = await store.path.readContents([digest?.delivery ?? assert.fail('the digest is pending')]);
  assert.equal(content?.digest?.alerts, 2);
  assert.deepEqual(
    content.digest.sections.map(({ state, count }) => [state, count]),
    [
      ['failing', 2],
      ['stillFailing', 1],
    ],
  );
  await store.close();
});
