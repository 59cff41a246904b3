// Over PostgreSQL nobody takes work by a clock that is not the database's (docs/decisions/0016).
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

const hourMs = 3_600_000;
const server = await sharedPostgres();

it('a process whose clock is an hour off claims no schedule, run or delivery, and reads the time again', async () => {
  let reported = 0;
  const temp = await openTempPostgres(server, Date.now(), { onOtherTime: () => reported++ });
  await using test = await PathUnderTest.open(() => Promise.resolve(temp));
  /** Works at another time, and counts how often it was notified. */
  const off = async (byMs: number, work: () => Promise<unknown>): Promise<number> => {
    const before = reported;
    temp.clock.advance(byMs);
    await work();
    temp.clock.advance(-byMs);
    return reported - before;
  };
  await test.channel(await test.check());
  const count = (table: string): number => Number(test.one(`SELECT count(*) FROM ${table}`));
  temp.raw.prepare('UPDATE schedules SET next_due_at = ?').run(test.now - 1);

  assert.equal(await off(hourMs, () => test.schedule()), 1);
  assert.deepEqual([count('runs'), count('results')], [0, 0], 'no run, and no hour of missed slots');
  await test.schedule();
  assert.equal(count('runs'), 1);

  assert.equal(await off(hourMs, async () => assert.deepEqual(await test.claim(), [])), 1);
  const [run] = await test.claim();
  assert.ok(run !== undefined);
  const stolen = await off(hourMs, async () => assert.deepEqual(await test.claim('two'), [], 'it is leased'));
  assert.equal(stolen, 1);
  await test.record([test.ended(run, 'failed')]);

  assert.equal(await off(hourMs, async () => assert.deepEqual(await test.claimDeliveries(), [])), 1);
  assert.equal((await test.claimDeliveries()).length, 1);
  assert.equal(reported, 4);
});
