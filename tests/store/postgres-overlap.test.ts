// Over PostgreSQL a run that may overlap with another of its check waits while another process has that one.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

const server = await sharedPostgres();

it('a run is held back while another process has a run of its check, and is an overlap if that takes its slot', async () => {
  await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
  await test.check();
  const claim = async (owner: string) => {
    const lease = { location: 'local', owner, now: test.now, leaseMs: 10_000, max: 10 };
    const { runs, nextAvailableAt } = await test.path.claimRuns(lease);
    return { slots: runs.map(({ run }) => run.slotAt), runs, nextAvailableAt };
  };
  const first = test.now;
  await test.schedule();
  assert.deepEqual((await claim('one')).slots, [first]);
  const [own] = test.rows('SELECT id, account_id FROM runs');
  assert.ok(own);

  test.temp.clock.advance(10_000);
  const second = test.now;
  await test.schedule();
  const renew = () =>
    test.temp.raw.prepare('UPDATE runs SET available_at = ? WHERE leased_by = ?').run(test.now + 10_000, 'one');
  renew();
  const held = await claim('two');
  assert.deepEqual([held.slots, held.nextAvailableAt], [[], test.now + 1000]);
  assert.deepEqual(test.rows(`SELECT available_at, leased_by, first_started_at FROM runs WHERE slot_at = ${second}`), [
    { available_at: test.now + 1000, leased_by: null, first_started_at: null },
  ]);
  assert.deepEqual((await claim('two')).slots, [], 'it is not looked at again before that');

  test.temp.clock.advance(9000);
  renew();
  assert.deepEqual((await claim('two')).slots, []);
  test.temp.clock.advance(1000);
  assert.deepEqual((await claim('one')).slots, [], 'the second time it waits longer');
  test.temp.clock.advance(4000);
  const waiting = await claim('one');
  assert.deepEqual(waiting.slots, [second], 'the process that has the other one lets them follow each other');
  assert.equal(waiting.runs[0]?.run.wasHeldBack, true);

  // Their owner has ended.
  test.temp.clock.advance(10_000);
  const taken = await claim('two');
  assert.deepEqual(taken.slots, [first, second]);
  assert.deepEqual(
    taken.runs.map(({ run }) => run.wasHeldBack ?? false),
    [false, true],
  );
});

it('slots of a minute and more are not held back, and runs of other checks do not count', async () => {
  await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
  const slow = await test.check({ frequency: 1, frequencyOffset: 0 });
  await test.check();
  await test.schedule();
  const lease = { location: 'local', now: test.now, leaseMs: 10_000 };
  assert.equal((await test.path.claimRuns({ ...lease, owner: 'one', max: 1 })).runs.length, 1);
  assert.equal((await test.path.claimRuns({ ...lease, owner: 'two', max: 10 })).runs.length, 1);
  test.temp.clock.advance(60_000);
  await test.schedule();
  test.temp.raw.prepare('UPDATE runs SET available_at = ? WHERE leased_by IS NOT NULL').run(test.now + 10_000);
  const { runs } = await test.path.claimRuns({ ...lease, owner: 'three', now: test.now, max: 100 });
  assert.deepEqual(
    runs.map(({ run }) => run.checkId),
    [slow],
  );
});
