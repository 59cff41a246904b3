// Over PostgreSQL old results may go while others are rolled up.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

const server = await sharedPostgres();

it('results are released beside a turn of roll-ups', async () => {
  const temp = await openTempPostgres(server);
  await using test = await PathUnderTest.open(() => Promise.resolve(temp));
  await test.check();
  const { rollUps } = temp.store;
  const tick = () => rollUps.tick(test.now, 86_400_000);
  await tick();
  const alone = await rollUps.release(test.now);
  assert.ok(alone > 0);
  for (let round = 0; round < 20; round++) {
    const [beside] = await Promise.all([rollUps.release(test.now), tick(), tick()]);
    assert.equal(beside, alone, `round ${round}`);
  }
});
