// Runs that triggers start wait in a queue with a bound, per account.
import assert from 'node:assert/strict';
import { Refusal } from '#actions/refusal.ts';
import { startedOf } from '#actions/checks/triggers.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount, putCheck, putGroup } from '../support/store/rows.ts';

test('a call that would leave more than 5,000 triggered runs open starts none and gives the figures', async (newStore) => {
  await using temp = await newStore();
  const accounts = [putAccount(temp.raw), putAccount(temp.raw)] as const;
  const target = { groupId: 1, checkId: null };
  const call = (accountId: string) =>
    temp.store.triggers.start({
      accountId,
      target,
      newToken: `token of ${accountId}`,
      idempotencyKey: null,
      servedLocations: ['local'],
      now: temp.clock.now(),
    });
  for (const accountId of accounts) {
    putGroup(temp.raw, accountId, 1);
    for (let check = 0; check < 90; check++) putCheck(temp.raw, accountId, { groupId: 1 });
  }
  const [flood, other] = accounts;
  for (let calls = 0; calls < 55; calls++) assert.equal((await call(flood)).outcome, 'started');
  const refused = await call(flood);
  assert.deepEqual(refused, { outcome: 'queue-full', max: 5000, waiting: 4950, wanted: 90 });
  assert.throws(
    () => startedOf(refused, target, () => assert.fail('nothing waits')),
    (error: unknown) =>
      error instanceof Refusal &&
      error.code === 'too-many' &&
      error.retryAfterSeconds === 10 &&
      error.message.includes('None was started'),
  );
  assert.equal(temp.raw.prepare('SELECT count(*) AS n FROM runs').get()?.['n'], 4950);
  assert.equal((await call(other)).outcome, 'started');
});
