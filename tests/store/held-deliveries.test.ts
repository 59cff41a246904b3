// Deliveries that are held, on both engines (docs/decisions/0119).
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import { test } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { failing } from './path-under-test.ts';

const hold = { since: 1000, reason: 'restore', backupAt: 500 } as const;

test('nothing is sent while deliveries are held, and what waits is sent once they are released', async (newStore) => {
  const { test: path } = await failing(newStore, 3);
  await using _ = path;
  const { heldDeliveries } = path.temp.store;
  await heldDeliveries.hold(hold);
  await heldDeliveries.hold({ since: 2000, reason: 'setting', backupAt: null });
  assert.deepEqual(await heldDeliveries.find(), hold, 'a hold stays as it began');
  const sent: string[] = [];
  const deliveries = createSendDeliveries({
    store: path.path,
    clock: path.temp.clock,
    owner: 'one',
    isShared: () => false,
    render: () => assert.fail('every delivery is rendered when it is recorded'),
    isHeld: async () => (await heldDeliveries.find()) !== null,
    send: ({ id }) => {
      sent.push(id);
      return Promise.resolve(path.outcome(200));
    },
    wake: () => {},
    onError: (error) => assert.fail(String(error)),
  });
  assert.equal(await deliveries.tick(), 1000, 'it is asked again in a second');
  assert.deepEqual([sent.length, await heldDeliveries.waiting()], [0, 3]);
  await heldDeliveries.release();
  await deliveries.tick();
  await until('all to be sent', () => sent.length === 3);
  await heldDeliveries.hold(hold);
  const replay = () => path.temp.store.deliveries.replay(path.accountId, sent[0] ?? '', newId());
  await until('the first one to be recorded, and replayed', async () => (await replay()) === 'done');
  assert.equal(await deliveries.tick(), 1000);
  assert.deepEqual([sent.length, await heldDeliveries.waiting()], [3, 1], 'the replay is held too');
  await heldDeliveries.release();
  await deliveries.tick();
  await until('the replay to be sent', () => sent.length === 4);
  await deliveries.stop(5000);
});

test('deliveries that are discarded are cancelled, and later ones are sent', async (newStore) => {
  const { test: path } = await failing(newStore, 3);
  await using _ = path;
  const { heldDeliveries } = path.temp.store;
  await heldDeliveries.hold(hold);
  assert.equal(await heldDeliveries.discard(), 3);
  assert.deepEqual([await heldDeliveries.find(), await heldDeliveries.waiting()], [null, 0]);
  assert.equal((await path.claimDeliveries()).length, 0);
  path.temp.clock.advance(10_000);
  await path.runAll('passed');
  assert.equal((await path.claimDeliveries()).length, 3, 'recoveries go out');
});
