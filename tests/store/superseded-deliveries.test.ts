// A message that waits for its retry is not sent after a newer one of its incident, on channels whose readers want the
// present.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { it, type NewStore, onSqlite } from '../support/store/each-engine.ts';
import { judgeStorms, PathUnderTest, prepared } from './path-under-test.ts';
import { checksOf, minuteMs, run } from './storm-under-test.ts';

const request = { method: 'MAIL', url: 'mailto:a@example.org', headers: [], body: 'x' };
const reason = 'a newer message about the same incident is sent instead';

/** One slot of every check, recorded with that outcome. */
async function slot(test: PathUnderTest, outcome: 'passed' | 'degraded' | 'failed'): Promise<void> {
  test.temp.clock.advance(10_000);
  await test.schedule();
  const runs = await test.claim();
  await test.record(
    runs.map((claimed) => test.ended(claimed, outcome)),
    'one',
    prepared,
  );
}

/** Claims and renders what is due. */
async function claimed(test: PathUnderTest, owner = 'one') {
  const due = await test.claimDeliveries(owner);
  await test.path.saveRendered(
    due.map(({ delivery }) => ({ ...delivery, rendered: { request } })),
    { owner, now: test.now },
  );
  return due;
}

/** Attempts everything that is due; returns the types of the alerts. */
async function send(test: PathUnderTest, status: number): Promise<(string | null)[]> {
  const due = await claimed(test);
  for (const one of due) await test.settle(one, status);
  return due.map(({ delivery }) => delivery.alertType);
}

/** A check that failed; the first attempt of its message failed. */
async function failed(newStore: NewStore, type: string) {
  const test = await PathUnderTest.open(newStore);
  const channel = await test.channel(await test.check(), { type, sendDegraded: true });
  await slot(test, 'failed');
  assert.deepEqual(await send(test, 500), ['ALERT_FAILURE']);
  return { test, channel };
}

const states = (test: PathUnderTest): unknown[] =>
  test.rows('SELECT alert_type AS type, status, error FROM deliveries ORDER BY id');
const superseded = { type: 'ALERT_FAILURE', status: 8, error: reason };

describe('a failure that waits for its retry', () => {
  onSqlite('is superseded by the recovery, which is sent', async (newStore) => {
    const { test } = await failed(newStore, 'EMAIL');
    await using _ = test;
    await slot(test, 'passed');
    assert.deepEqual(await send(test, 200), ['ALERT_RECOVERY']);
    test.temp.clock.advance(21_000);
    assert.deepEqual(await send(test, 200), []);
    assert.deepEqual(states(test), [superseded, { type: 'ALERT_RECOVERY', status: 1, error: null }]);
    const { rows } = await test.temp.store.deliveries.list(
      test.accountId,
      { statuses: ['superseded'] },
      { limit: 10, offset: 0 },
    );
    assert.deepEqual(
      rows.map(({ log }) => log.length),
      [1],
      'its attempt is on record',
    );
    assert.deepEqual(await test.temp.store.failingChannels.list(test.accountId), [], 'it is not a failure');
  });

  it('is superseded when both are due, and the recovery is sent by the same claim', async (newStore) => {
    const { test } = await failed(newStore, 'EMAIL');
    await using _ = test;
    test.temp.clock.advance(21_000);
    await slot(test, 'passed');
    assert.deepEqual(await send(test, 200), ['ALERT_RECOVERY']);
    assert.deepEqual(states(test)[0], superseded);
  });

  onSqlite('is sent to a webhook, as specified', async (newStore) => {
    const { test } = await failed(newStore, 'WEBHOOK');
    await using _ = test;
    await slot(test, 'passed');
    assert.deepEqual(await send(test, 200), ['ALERT_RECOVERY']);
    test.temp.clock.advance(21_000);
    assert.deepEqual(await send(test, 200), ['ALERT_FAILURE']);
  });

  onSqlite(
    'is not superseded by another incident, by a certificate, or by a message that was cancelled',
    async (newStore) => {
      const { test } = await failed(newStore, 'EMAIL');
      await using _ = test;
      await slot(test, 'passed');
      test.temp.raw.exec(
        `UPDATE deliveries SET status = 5, next_attempt_at = NULL WHERE alert_type = 'ALERT_RECOVERY'`,
      );
      await slot(test, 'failed');
      test.temp.clock.advance(21_000);
      assert.deepEqual(await send(test, 200), ['ALERT_FAILURE']);
      assert.deepEqual(await send(test, 200), ['ALERT_FAILURE']);
      assert.deepEqual(test.one('SELECT count(*) FROM deliveries WHERE status = 8'), 0);
    },
  );

  it('finishes an attempt in progress before the recovery is sent', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check(), { type: 'EMAIL' });
    await slot(test, 'failed');
    const [first = assert.fail('it is due')] = await claimed(test);
    await slot(test, 'passed');
    assert.deepEqual(await test.claimDeliveries('one', () => 4, false, [first]), []);
    await test.settle(first, 500);
    assert.deepEqual(await send(test, 200), ['ALERT_RECOVERY']);
    test.temp.clock.advance(21_000);
    assert.deepEqual(await send(test, 200), []);
    assert.deepEqual(states(test)[0], superseded);
  });

  it('is superseded with its interrupted attempt on record', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check(), { type: 'EMAIL' });
    await slot(test, 'failed');
    assert.equal((await claimed(test, 'dead')).length, 1);
    await slot(test, 'passed');
    test.temp.clock.advance(60_000);
    assert.deepEqual(await send(test, 200), ['ALERT_RECOVERY']);
    assert.deepEqual(states(test)[0], superseded);
    assert.match(String(test.one('SELECT error_message FROM attempts ORDER BY started_at')), /the delivery has ended/);
  });

  it('is superseded once when two processes claim at the same time', async (newStore) => {
    const { test } = await failed(newStore, 'EMAIL');
    await using _ = test;
    await slot(test, 'passed');
    test.temp.clock.advance(21_000);
    const claims = ['one', 'two'].map((owner) => test.claimDeliveries(owner, () => 4, true));
    const due = (await Promise.all(claims)).flat();
    assert.ok(due.every(({ delivery }) => delivery.alertType === 'ALERT_RECOVERY'));
    assert.equal(due.length, 1);
    assert.deepEqual(states(test)[0], superseded);
  });
});

describe('a grouped notification that waits for its retry', () => {
  it('is superseded when newer messages tell of all its checks, and not before', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ids, people } = await checksOf(test, 3, 1);
    await run(test, 'failed');
    await send(test, 200);
    test.temp.clock.advance(minuteMs);
    await judgeStorms(test);
    const attempted = async (): Promise<unknown> => {
      await send(test, 500);
      return test.one('SELECT attempts FROM deliveries WHERE is_digest = 1 ORDER BY id LIMIT 1');
    };
    assert.equal(await attempted(), 1);
    await run(test, 'failed', ids.slice(0, 2));
    test.temp.clock.advance(11_000);
    assert.equal(await attempted(), 2, 'one of its checks recovered, the other did not');
    await run(test, 'passed');
    test.temp.clock.advance(11_000);
    assert.equal(await attempted(), 2);
    const digests = test.rows(
      `SELECT status, error FROM deliveries WHERE is_digest = 1 AND alert_channel_id = ${people} ORDER BY id`,
    );
    assert.deepEqual(digests[0], { status: 8, error: 'newer messages about all its checks are sent instead' });
    assert.equal(digests[1]?.['status'], 6, 'the recoveries collect');
  });
});
