// Over PostgreSQL a renewal of leases waits for nothing that is being recorded or settled.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { idBytes } from '#store/base/codec.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { PathUnderTest } from './path-under-test.ts';

const server = await sharedPostgres();

/** Holds a row as the transaction does that is about to change it. */
async function hold(t: TestContext, url: string, table: 'runs' | 'deliveries', id: string): Promise<void> {
  const client = new Client({ connectionString: url });
  // Its database is removed under it.
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  await client.query('BEGIN');
  const held = await client.query(`SELECT id FROM ${table} WHERE id = $1 FOR UPDATE`, [idBytes(id)]);
  assert.equal(held.rowCount, 1);
}

/** When the lease of a row runs out, epoch ms. */
function leaseEnd({ temp }: PathUnderTest, sql: string, id: string): unknown {
  return temp.raw.prepare(sql).get(idBytes(id))?.['at'];
}

it('runs are renewed beside one that is being recorded', async (t) => {
  const temp = await openTempPostgres(server);
  await using test = await PathUnderTest.open(() => Promise.resolve(temp));
  await test.check();
  await test.check();
  test.temp.clock.advance(10_000);
  await test.schedule();
  const [held, free] = (await test.claim()).map(({ run }) => run);
  assert.ok(held !== undefined && free !== undefined);
  await hold(t, temp.url, 'runs', held.id);
  const until = (id: string) => leaseEnd(test, 'SELECT available_at AS at FROM runs WHERE id = ?', id);
  const before = until(held.id);
  test.temp.clock.advance(3000);
  await test.path.renewRuns([held, free], { owner: 'one', now: test.now, leaseMs: 10_000 });
  assert.deepEqual([until(held.id), until(free.id)], [before, test.now + 10_000]);
});

it('deliveries are renewed beside one that is being settled', async (t) => {
  const temp = await openTempPostgres(server);
  await using test = await PathUnderTest.open(() => Promise.resolve(temp));
  for (const checkId of [await test.check(), await test.check()]) await test.channel(checkId);
  await test.runAll('failed');
  const [held, free] = (await test.claimDeliveries('one')).map(({ delivery }) => delivery);
  assert.ok(held !== undefined && free !== undefined);
  await hold(t, temp.url, 'deliveries', held.id);
  const until = (id: string) => leaseEnd(test, 'SELECT next_attempt_at AS at FROM deliveries WHERE id = ?', id);
  const before = until(held.id);
  test.temp.clock.advance(3000);
  await test.path.renewDeliveries([held, free], { owner: 'one', now: test.now, leaseMs: 10_000 });
  assert.deepEqual([until(held.id), until(free.id)], [before, test.now + 10_000]);
});
