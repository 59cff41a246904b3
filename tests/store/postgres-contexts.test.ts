// What runs depend on is kept in memory over PostgreSQL, where several loops of one process read it at once.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { type Connections, openConnections } from '#store/engines/postgres/connections.ts';
import type { Session } from '#store/engines/postgres/session.ts';
import { aGroup } from '../support/store/records.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { until } from '../support/until.ts';
import { HeartbeatUnderTest } from './heartbeat-under-test.ts';
import type { PathUnderTest } from './path-under-test.ts';

const server = await sharedPostgres();

/** A heartbeat, and beside it connections that can hold up a table. */
async function openFixture(
  t: TestContext,
): Promise<{ beat: HeartbeatUnderTest; test: PathUnderTest; door: Connections }> {
  const temp = await openTempPostgres(server);
  const door = await openConnections(readPostgresAddress(temp.url));
  const beat = await HeartbeatUnderTest.open(() => Promise.resolve(temp));
  t.after(async () => {
    await door.close();
    await beat[Symbol.asyncDispose]();
  });
  return { beat, test: beat.test, door };
}

/** No other statement uses the table during the work; afterwards, waits for statements that are still in progress. */
async function held<Answer>(
  door: Connections,
  table: string,
  work: (session: Session) => Promise<() => Promise<Answer>>,
): Promise<Answer> {
  const left = await door.transaction(async (session) => {
    await session.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return work(session);
  });
  return left();
}

function waitingFor(test: PathUnderTest, table: string, statements: number): Promise<unknown> {
  const sql = `SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  return until(`${statements} statements that wait for ${table}`, () => Number(test.one(sql)) === statements);
}

/** Runs this check alone, so that it is known; then the next slot of all checks is due. */
async function runFirst(test: PathUnderTest, id: string): Promise<void> {
  test.temp.raw.prepare('UPDATE schedules SET next_due_at = next_due_at + 1 WHERE check_id <> ?').run(idBytes(id));
  await test.schedule();
  const claimed = await test.claim();
  assert.deepEqual(
    claimed.map(({ context }) => context?.check.id),
    [id],
  );
  await test.record(claimed.map((each) => test.ended(each, 'passed')));
  test.temp.clock.advance(10_000);
  test.temp.raw.prepare('UPDATE schedules SET next_due_at = ?').run(test.now);
  await test.schedule();
}

/** Something in the account is another. */
function change(test: PathUnderTest): void {
  test.temp.raw.prepare(`UPDATE counters SET last = last + 1 WHERE noun = 'revision'`).run();
}

it('a claim has every check while the judge of heartbeats reads the account anew', async (t) => {
  const { beat, test, door } = await openFixture(t);
  const [known, other] = [await test.check(), await test.check()];
  await runFirst(test, known);
  await beat.ping();
  const [claimed] = await held(door, 'checks', async () => {
    const claim = test.claim();
    await waitingFor(test, 'checks', 1);
    change(test);
    const judged = beat.judge();
    await waitingFor(test, 'checks', 2);
    return () => Promise.all([claim, judged]);
  });
  assert.deepEqual(new Set(claimed.map(({ context }) => context?.check.id)), new Set([known, other]));
  assert.deepEqual(await beat.events(), ['ping RECEIVED']);
});

it('a check keeps its group while the judge of heartbeats reads the account anew', async (t) => {
  const { beat, test, door } = await openFixture(t);
  const [first, second] = [await aGroupOf(test, 'first'), await aGroupOf(test, 'second')];
  const known = await test.check({ groupId: first });
  await test.check({ groupId: first, name: 'in first' });
  await test.check({ groupId: second, name: 'in second' });
  await runFirst(test, known);
  await beat.ping();
  const claimed = await held(door, 'check_groups', async () => {
    const claim = test.claim();
    await waitingFor(test, 'check_groups', 1);
    change(test);
    await beat.judge();
    return () => claim;
  });
  const groups = claimed.map(({ context }) => `${context?.check.name} of ${context?.group?.name}`).sort();
  assert.deepEqual(groups, ['Shop of first', 'in first of first', 'in second of second']);
});

it('a check whose group is deleted while the two are read is read again', async (t) => {
  const { test, door } = await openFixture(t);
  await test.check({ groupId: await aGroupOf(test, 'first') });
  await test.schedule();
  const [claimed] = await held(door, 'check_groups', async (session) => {
    const claim = test.claim();
    await waitingFor(test, 'check_groups', 1);
    await session.query('UPDATE checks SET group_id = NULL');
    await session.query('DELETE FROM check_groups');
    return () => claim;
  });
  assert.deepEqual([claimed?.context?.check.groupId, claimed?.context?.group], [null, null]);
});

it('a claim whose checks cannot be read gives its runs back', async (t) => {
  const { test } = await openFixture(t);
  const id = await test.check();
  await test.schedule();
  test.temp.raw.exec('ALTER TABLE variables RENAME TO hidden');
  await assert.rejects(test.claim('one'), /variables/);
  test.temp.raw.exec('ALTER TABLE hidden RENAME TO variables');
  const claimed = await test.claim('two');
  assert.deepEqual(
    claimed.map(({ context }) => context?.check.id),
    [id],
  );
});

async function aGroupOf(test: PathUnderTest, name: string): Promise<number> {
  const saved = await test.temp.store.checkGroups.add({
    group: aGroup(test.accountId, { name }),
    subscriptions: null,
    isAutoAssigned: false,
  });
  assert.ok('saved' in saved);
  return saved.saved.group.id;
}
