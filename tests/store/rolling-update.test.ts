// A newer version migrates the database under a store that is open: the older process goes on (CONTRIBUTING.md).
import assert from 'node:assert/strict';
import { test } from '../support/store/each-engine.ts';
import type { RawRows } from '../support/store/raw-rows.ts';
import { PathUnderTest } from './path-under-test.ts';

/** What a newer version may do to a schema: a column more in every table, a table and an index more. */
function expand(raw: RawRows, isSqlite: boolean): void {
  const tables = isSqlite
    ? `SELECT name FROM sqlite_schema WHERE type = 'table'`
    : `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
         AND relnamespace = current_schema()::regnamespace`;
  const names = raw
    .prepare(tables)
    .all()
    .map(({ name }) => String(name));
  assert.ok(names.length > 20, `only ${names.length} tables were found`);
  const version = isSqlite
    ? 'PRAGMA user_version = 1000'
    : `UPDATE installation SET value = '1000' WHERE key = 'schema-version'`;
  raw.exec(
    [
      'BEGIN',
      ...names.map((name) => `ALTER TABLE ${name} ADD COLUMN of_newer_version TEXT`),
      ...names.map((name) => `ALTER TABLE ${name} ADD COLUMN counted_by_newer INTEGER NOT NULL DEFAULT 3`),
      'CREATE TABLE of_newer_version (account_id INTEGER NOT NULL)',
      'CREATE INDEX results_of_newer_version ON results (account_id, of_newer_version)',
      version,
      'COMMIT',
    ].join(';\n'),
  );
}

/** Everything from a due slot to the log of its delivery: a failure, and its end. */
async function wholePath(path: PathUnderTest): Promise<void> {
  for (const outcome of ['failed', 'passed'] as const) {
    path.temp.clock.advance(10_000);
    const recorded = await path.runAll(outcome);
    assert.deepEqual(
      recorded.map(({ isRecorded, deliveries }) => [isRecorded, deliveries]),
      [[true, 1]],
    );
    const claimed = await path.claimDeliveries();
    assert.equal(claimed.length, 1);
    for (const one of claimed) assert.deepEqual(await path.settle(one, 200), [true]);
  }
}

test('a store that is open goes on while a newer version migrates its database', async (newStore) => {
  await using path = await PathUnderTest.open(newStore);
  const { store, raw, clock } = path.temp;
  const checkId = await path.check();
  const channel = await path.channel(checkId);
  await wholePath(path);
  const [run] = await claimedOf(path);
  expand(raw, !path.temp.isShared);
  // What was taken before is recorded after, with the old columns.
  assert.ok(run !== undefined);
  assert.equal((await path.record([path.ended(run, 'passed')]))[0]?.isRecorded, true);
  await wholePath(path);
  await wholePath(path);
  assert.equal(path.difference(), 0);
  assert.deepEqual(path.rows('SELECT status, count(*) AS many FROM deliveries GROUP BY status'), [
    { status: 1, many: 6 },
  ]);
  assert.equal(path.one('SELECT count(*) FROM attempts'), 6);
  // What was missed, an exhausted delivery, a channel that fails, a lease that runs out.
  clock.advance(60_000);
  assert.ok((await path.schedule()).missed > 0);
  await path.channel(checkId, { config: { name: 'Other', url: 'http://127.0.0.1:9/other' } });
  raw.exec(`UPDATE alert_channels SET exhausted_in_a_row = 4 WHERE id = ${channel}`);
  await path.record((await path.claim()).map((claimed) => path.ended(claimed, 'failed')));
  raw.exec('UPDATE deliveries SET attempts = 5 WHERE status = 0');
  for (const one of await path.claimDeliveries()) await path.settle(one, 500);
  await path.report();
  assert.ok(path.reports.length > 0);
  await path.path.takeOver(path.now);
  await path.path.moveWithClock(-3_600_000, path.now);
  // And beside the path.
  const found = await store.checks.find(path.accountId, checkId);
  assert.equal(found?.check.id, checkId);
  await path.check();
  await path.temp.store.variables.add(path.accountId, { key: 'LATER', value: '1', locked: false, secret: false });
  clock.advance(40 * 86_400_000);
  await store.retention.sweep(path.now, path.now);
});

async function claimedOf(path: PathUnderTest) {
  path.temp.clock.advance(10_000);
  await path.schedule();
  return path.claim();
}
