// What only a PostgreSQL can do to the store: many processes at once, a server that goes away, days as partitions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '#lib/id.ts';
import { type Migration, type SchemaMigration, migrations, NewerDatabaseError } from '#store/base/migrate.ts';
import { readPostgresAddress } from '#lib/net/postgres-address.ts';
import { connectAlone } from '#store/engines/postgres/connections.ts';
import { openConnections } from '#store/engines/postgres/connections.ts';
import { migratePostgres } from '#store/engines/postgres/schema.ts';
import { WrongKeyError } from '#store/base/key-check.ts';
import { openPostgresStore } from '#store/postgres-store.ts';
import type { Store } from '#store/store.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { lightSettings, oddPassword, type PostgresDatabase, startPostgres } from '../support/postgres/postgres.ts';
import { openRawPostgres } from '../support/store/raw-rows.ts';
import { aCheck } from '../support/store/records.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { until } from '../support/until.ts';
import { PathUnderTest } from './path-under-test.ts';

const server = await sharedPostgres();

const now = Date.UTC(2026, 2, 10, 12);
const clock = { now: () => now };
const secretKey = new Uint8Array(32).fill(7);
const dayMs = 86_400_000;

function open({ url }: Pick<PostgresDatabase, 'url'>, key = secretKey, at = clock): Promise<Store> {
  return openPostgresStore({ address: readPostgresAddress(url), secretKey: key, clock: at });
}

/** The next version of the schema. */
const expanded: readonly Migration[] = [
  ...migrations,
  ({ types }) => [
    `ALTER TABLE results ADD COLUMN of_next_version ${types.text}`,
    'CREATE INDEX results_of_next_version ON results (account_id, of_next_version)',
  ],
];

/** The columns and indexes of a schema, as text. */
function shapeOf({ url }: PostgresDatabase): string {
  const raw = openRawPostgres(url);
  const rows = raw
    .prepare(
      `SELECT table_name AS a, column_name AS b, data_type AS c, is_nullable AS d FROM information_schema.columns
       WHERE table_schema = 'public' UNION ALL
       SELECT tablename, indexname, indexdef, '' FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2`,
    )
    .all();
  raw.close();
  return rows.map((row) => Object.values(row).join(' ')).join('\n');
}

describe('a PostgreSQL database', () => {
  it('that is empty and opened by many processes at once is migrated by one, while the others wait', async () => {
    const database = await server.newDatabase();
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(database)));
    await Promise.all(stores.map((store) => store.gaps.recordHeartbeat()));
    const alone = await server.newDatabase();
    await (await open(alone)).close();
    assert.equal(shapeOf(database), shapeOf(alone));
    assert.match(shapeOf(alone), /^checks account_id bytea NO$/m);
    for (const store of stores) await store.close();
  });

  it('that is of the first version is brought up to date by one of many, and keeps what is in it', async () => {
    const database = await server.newDatabase();
    const fresh = await server.newDatabase();
    const upToDate = async ({ url }: PostgresDatabase): Promise<void> => {
      const connections = await openConnections(readPostgresAddress(url));
      await migratePostgres(connections, undefined, expanded);
      await connections.close();
    };
    for (const each of [database, fresh]) await (await open(each)).close();
    const raw = openRawPostgres(database.url);
    raw.exec(`INSERT INTO installation (key, value) VALUES ('absence', '1/2')`);
    await Promise.all(Array.from({ length: 6 }, () => upToDate(database)));
    await upToDate(fresh);
    assert.equal(shapeOf(database), shapeOf(fresh));
    assert.match(shapeOf(database), /of_next_version/);
    assert.equal(raw.prepare(`SELECT value FROM installation WHERE key = 'absence'`).get()?.['value'], '1/2');
    raw.close();
  });

  it('is brought up to date however long that takes, which who does it and who waits for it tell', async () => {
    const database = await server.newDatabase();
    await (await open(database)).close();
    const raw = openRawPostgres(database.url);
    // Stands for a statement that has much to do: it waits for a table that is being read, and is begun again when it may not any more.
    raw.exec('BEGIN; LOCK TABLE results IN ACCESS SHARE MODE');
    const address = readPostgresAddress(database.url);
    const [one, two] = [await openConnections(address, 500), await openConnections(address, 500)];
    const reported: SchemaMigration[] = [];
    const both = [one, two].map((connections) => migratePostgres(connections, (news) => reported.push(news), expanded));
    const again = { withinMs: 30_000, seen: () => JSON.stringify(reported) };
    await until('who waits to say so, and who migrates to begin again', () => reported.length === 3, again);
    raw.exec('COMMIT');
    await Promise.all(both);
    const to = expanded.length;
    assert.deepEqual(reported, [
      { from: migrations.length, to },
      { from: null, to },
      { from: migrations.length, to },
    ]);
    for (const connections of [one, two]) await connections.close();
    raw.close();
  });

  it('is refused when a newer version has been at it, and says what to do', async () => {
    const database = await server.newDatabase();
    await (await open(database)).close();
    const raw = openRawPostgres(database.url);
    raw.exec(`UPDATE installation SET value = '99' WHERE key = 'schema-version'`);
    const before = shapeOf(database);
    await assert.rejects(
      open(database),
      (error) => error instanceof NewerDatabaseError && /version 99/.test(error.message),
    );
    assert.equal(shapeOf(database), before);
    raw.close();
  });

  it('opens only with the key that sealed it', async () => {
    const database = await server.newDatabase();
    await (await open(database)).close();
    await (await open(database)).close();
    await assert.rejects(open(database, new Uint8Array(32).fill(8)), (error) => {
      assert.ok(error instanceof WrongKeyError);
      assert.match(error.message, new RegExp(`${database.name}: set TOCSIN_SECRET_KEY`));
      return !error.message.includes(oddPassword);
    });
  });

  it('is reached over the socket of the machine, too', async () => {
    const database = await server.newDatabase();
    const url = `postgres://tocsin@/${database.name}?host=${encodeURIComponent(server.socketDir)}`;
    const address = { ...readPostgresAddress(url), port: server.port };
    const store = await openPostgresStore({ address, secretKey, clock });
    await store.gaps.recordHeartbeat();
    await store.close();
  });
});

describe('a PostgreSQL that is not there', () => {
  it('is said by the start, with the address and without the password', async () => {
    for (const url of [
      `postgres://tocsin:canary@127.0.0.1:${server.port}/nowhere`,
      'postgres://tocsin:canary@127.0.0.1:1/tocsin',
    ]) {
      await assert.rejects(open({ url }), (error) => {
        assert.ok(error instanceof StoreUnavailableError, String(error));
        assert.match(error.message, /postgres:\/\/tocsin@127\.0\.0\.1:/);
        return !error.message.includes('canary');
      });
    }
  });

  it('makes every method reject as unavailable while it is away, and is used again when it is back', async (t) => {
    const server = await startPostgres(null, undefined, lightSettings);
    t.after(() => server.stop());
    await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
    const { store } = test.temp;
    await test.check();
    await test.schedule();
    const claimed = await test.claim();
    const refusals: unknown[] = [];
    const isUnavailable = (error: unknown): boolean => {
      refusals.push(error);
      assert.ok(error instanceof StoreUnavailableError, String(error));
      return false;
    };
    const tryAll = async (): Promise<boolean> =>
      (
        await Promise.all([
          store.gaps.recordHeartbeat().then(() => true, isUnavailable),
          store.accounts.usage(test.accountId, test.now).then(() => true, isUnavailable),
          test.schedule().then(() => true, isUnavailable),
        ])
      ).every(Boolean);
    await server.halt('immediate');
    await tryAll();
    assert.equal(refusals.length, 3, 'it was away');
    const begun = server.begin();
    await until('the database to be back', tryAll);
    await begun;
    const recorded = await test.record(claimed.map((one) => test.ended(one, 'passed')));
    assert.deepEqual(
      recorded.map(({ isRecorded }) => isRecorded),
      [true],
      'what was claimed before it went is still held',
    );
    assert.equal(test.difference(), 0);
  });
});

describe('several processes on one PostgreSQL', () => {
  it('share runs and deliveries without taking one twice', async () => {
    await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
    const first = await test.check();
    const channel = await test.channel(first);
    for (let more = 1; more < 60; more++) {
      const checkId = await test.check();
      await test.temp.store.alertChannels.subscribe(test.accountId, channel, {
        checkId,
        groupId: null,
        activated: true,
      });
    }
    const ticks = await Promise.all(Array.from({ length: 4 }, () => test.schedule()));
    assert.equal(
      ticks.reduce((sum, { runs }) => sum + runs, 0),
      60,
    );
    const owners = ['one', 'two', 'three', 'four'];
    const claims = await Promise.all(owners.map((owner) => test.claim(owner)));
    assert.equal(new Set(claims.flat().map(({ run }) => run.id)).size, 60);
    assert.equal(claims.flat().length, 60);
    // Everybody tries to record everything: each run is recorded by its holder.
    const all = claims.flat().map((claimed) => test.ended(claimed, 'failed'));
    const recorded = await Promise.all(owners.map((owner) => test.record(all, owner)));
    assert.equal(recorded.flat().filter(({ isRecorded }) => isRecorded).length, 60);
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 60);
    assert.equal(test.one('SELECT failed FROM account_counts WHERE failed > 0'), 60);
    assert.equal(test.difference(), 0);
    const taken = await Promise.all(owners.map((owner) => test.claimDeliveries(owner, () => 60)));
    assert.equal(taken.flat().length, 60);
    assert.equal(new Set(taken.flat().map(({ delivery }) => delivery.id)).size, 60);
  });

  it('make changes one after the other: none is lost, and no number is given twice', async () => {
    await using temp = await openTempPostgres(server);
    const accountId = newId();
    const saved = await temp.store.checks.add({
      check: aCheck(accountId, { tags: [] }),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.ok('saved' in saved);
    const { id } = saved.saved.check;
    const tags = Array.from({ length: 24 }, (_, index) => `tag ${index}`);
    await Promise.all(
      tags.map((tag) =>
        temp.store.checks.change(accountId, id, ({ check }) => ({
          check: { ...check, tags: [...check.tags, tag] },
          subscriptions: null,
          isAutoAssigned: false,
        })),
      ),
    );
    const found = await temp.store.checks.find(accountId, id);
    assert.deepEqual([...(found?.check.tags ?? [])].sort(), [...tags].sort());
  });

  it('take calls of a trigger while the counters of its account are written two hundred times a second', async (t) => {
    const temp = await openTempPostgres(server, now);
    await using test = await PathUnderTest.open(() => Promise.resolve(temp), now);
    const checkId = await test.check();
    await test.runAll('passed');
    const writer = await connectAlone(readPostgresAddress(temp.url), () => {});
    const ending = new AbortController();
    t.after(() => ending.abort());
    const write = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        await writer.query('UPDATE account_counts SET passed = passed + 0');
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      await writer.end();
    };
    const writing = write();
    for (let call = 0; call < 20; call++) {
      const { outcome } = await temp.store.triggers.start({
        accountId: test.accountId,
        target: { groupId: null, checkId },
        newToken: newId(),
        idempotencyKey: null,
        servedLocations: ['local'],
        now,
      });
      assert.equal(outcome, 'started');
    }
    ending.abort();
    await writing;
    assert.equal(test.difference(), 0);
  });

  it('do not let two schedulers overrun the execution limit together', async () => {
    await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
    for (let count = 0; count < 12; count++) await test.check();
    test.temp.raw.exec('UPDATE accounts SET execution_limit = 5');
    const tick = () =>
      test.path.scheduleDue({
        now: test.now,
        max: 3,
        plan: (schedule) => ({
          runs: [{ slotAt: schedule.nextDueAt, dueAt: schedule.nextDueAt, location: 'local' }],
          missed: [],
          nextDueAt: schedule.nextDueAt + schedule.intervalMs,
        }),
        missedReason: () => 'overload',
      });
    await Promise.all([tick(), tick(), tick(), tick()]);
    while ((await tick()).schedules > 0);
    assert.equal(test.one('SELECT used FROM usage'), 5);
    assert.equal(test.one('SELECT count(*) FROM runs'), 5);
    assert.deepEqual(test.rows('SELECT missed, limited FROM account_counts WHERE missed > 0'), [
      { missed: 7, limited: 7 },
    ]);
    assert.equal(test.difference(), 0);
  });
});

describe('results of a day', () => {
  it('lie in a partition of their own, are read as before, and go with the day', async () => {
    let at = now;
    await using test = await PathUnderTest.open((start) => openTempPostgres(server, start), at);
    await test.check();
    await test.runAll('failed');
    const days = `SELECT tableoid::regclass::text AS day FROM results`;
    assert.deepEqual(test.rows(days), [{ day: 'results_20260310' }]);
    const { retention, checkResults } = test.temp.store;
    const [row] = test.rows('SELECT check_id FROM results');
    assert.ok(row !== undefined);
    at += 31 * dayMs;
    assert.equal(
      (await retention.sweep(now, now)).removed,
      5,
      'yesterday goes, of results, exchanges, assets and pings, and today stays',
    );
    assert.equal(test.rows(days).length, 1);
    await retention.sweep(at - 30 * dayMs, at);
    assert.deepEqual(test.rows(days), []);
    const partitions = test.rows(`SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY 1`);
    assert.ok(
      partitions.some(({ relname }) => relname === 'results_20260413'),
      JSON.stringify(partitions),
    );
    assert.ok(!partitions.some(({ relname }) => relname === 'results_20260310'));
    const indexes = test.rows(`SELECT indexdef FROM pg_indexes WHERE tablename = 'results_20260413'`);
    assert.ok(
      indexes.some(({ indexdef }) => String(indexdef).includes('run_id IS NOT NULL')),
      'attempts of a new day are counted from their index',
    );
    const checkId = newId();
    assert.deepEqual(
      (await checkResults.list(test.accountId, checkId, { resultType: 'ALL' }, { limit: 5, offset: 0 })).rows,
      [],
    );
  });
});

describe('a process that starts over PostgreSQL', () => {
  it('and has to wait does not take for a clock set back what others planned meanwhile', async () => {
    await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
    await test.check();
    await test.runAll('passed');
    const { raw } = test.temp;
    raw.exec('BEGIN; LOCK TABLE schedules');
    const startedAt = performance.now();
    const started = test.path.takeOver(test.now);
    // Longer than a difference between two processes may be.
    await until('three seconds of waiting', () => performance.now() - startedAt > 3000);
    raw.exec('UPDATE schedules SET next_due_at = next_due_at + 2990; COMMIT');
    const dueAt = test.one('SELECT next_due_at FROM schedules');
    await started;
    assert.equal(test.one('SELECT next_due_at FROM schedules'), dueAt);
    assert.equal(test.one(`SELECT count(*) FROM installation WHERE key = 'lap'`), 0);
  });
});

describe('a process that stood still in the middle of a transaction', () => {
  it('finds that the server ended it, and may do it again: nothing is given up for that', async (t) => {
    const connections = await openConnections(readPostgresAddress((await server.newDatabase()).url));
    t.after(() => connections.close());
    const standStill = () =>
      connections.transaction(async (session) => {
        await session.query('SET LOCAL idle_in_transaction_session_timeout = 50');
        // Nothing of this process goes on meanwhile: what the server says is read with the answer to the next statement.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
        await session.query('SELECT 1');
      });
    const said: string[] = [];
    // Where this process is held up before it stands still, the end comes with the answer to the first statement.
    for (let tries = 0; tries < 5 && !said.some((message) => /idle-in-transaction/.test(message)); tries++) {
      await assert.rejects(standStill(), (error) => {
        said.push(String(error));
        return error instanceof StoreUnavailableError;
      });
    }
    assert.match(said.at(-1) ?? '', /idle-in-transaction/, said.join('\n'));
  });
});
