// Alert storms: alerts of people's channels beyond the threshold go into digests, and none is lost.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import { newId } from '#lib/id.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import { idBytes } from '#store/base/codec.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { HeartbeatUnderTest, hour, settingsOf } from './heartbeat-under-test.ts';
import { judgeStorms, PathUnderTest, prepared } from './path-under-test.ts';
import { checksOf, countOf, minuteMs, page, run, sentDigests, subscribed } from './storm-under-test.ts';

describe('an alert storm', () => {
  onSqlite(
    'begins with the check beyond the threshold: people get a digest, machines every alert',
    async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const { ids, people, machines } = await checksOf(test, 6, 4);
      const ungrouped = await subscribed(test, 'EMAIL', ids, false);
      await run(test, 'failed');
      assert.deepEqual(await countOf(test, machines), { pending: 6 });
      assert.deepEqual(await countOf(test, ungrouped), { pending: 6 }, 'grouping is off');
      assert.deepEqual(await countOf(test, people), { pending: 4, digested: 2, 'collecting digest': 1 });
      assert.deepEqual(await sentDigests(test), [], 'the digest still collects');
      assert.deepEqual(await judgeStorms(test), []);
      test.temp.clock.advance(minuteMs);
      await judgeStorms(test);
      assert.deepEqual(await countOf(test, people), { delivered: 4, digested: 2, 'pending digest': 1 });
      const [digest] = await sentDigests(test);
      assert.equal(digest?.alerts, 2);
      assert.deepEqual(
        digest.sections.map(([state, count]) => [state, count]),
        [
          ['failing', 2],
          ['stillFailing', 4],
        ],
      );
      assert.deepEqual(
        digest.sections.flatMap(([, , names]) => names.split(',')).toSorted(),
        ids.map((_, at) => `0${at}`),
      );
      const { rows } = await test.temp.store.deliveries.list(test.accountId, { statuses: ['digested'] }, page);
      assert.deepEqual(
        rows.map(({ delivery }) => delivery.digestStatus),
        ['delivered', 'delivered'],
      );
      const digestId = rows[0]?.delivery.digestId ?? '';
      const members = await test.temp.store.deliveries.list(test.accountId, { digestId }, page);
      assert.equal(members.total, 2);
    },
  );

  it('does not begin with as many checks as the threshold, with the same check again, or if it is switched off', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { people } = await checksOf(test, 3, 3);
    await run(test, 'failed');
    await run(test, 'passed');
    await run(test, 'failed');
    assert.deepEqual(await countOf(test, people), { pending: 9 });
    await using off = await PathUnderTest.open(newStore);
    const { people: channel } = await checksOf(off, 25, 0);
    await run(off, 'failed');
    assert.deepEqual(await countOf(off, channel), { pending: 25 });
  });

  it('counts the alerts of a minute, whichever transaction recorded them', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ids, people } = await checksOf(test, 4, 2);
    await run(test, 'failed', ids.slice(0, 1));
    test.temp.clock.advance(minuteMs);
    await run(test, 'failed', ids.slice(0, 2));
    await run(test, 'failed', ids.slice(0, 3));
    assert.deepEqual(await countOf(test, people), { pending: 3 }, 'the first failure is too old');
    await run(test, 'failed');
    assert.deepEqual(await countOf(test, people), { pending: 3, digested: 1, 'collecting digest': 1 });
  });

  it('is of its account: the alerts of another are sent one by one', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await checksOf(test, 5, 3);
    const other = newId();
    test.temp.raw.prepare('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?)').run(idBytes(other), 'B', 0);
    const quiet = Object.assign(Object.create(test) as PathUnderTest, { accountId: other });
    const { people } = await checksOf(quiet, 3, 3);
    await run(test, 'failed');
    assert.deepEqual(await countOf(quiet, people), { pending: 3 });
    test.temp.clock.advance(minuteMs);
    const judged = await judgeStorms(test);
    assert.deepEqual(
      judged.map(({ accountId }) => accountId),
      [test.accountId],
    );
  });

  it('survives a changed clock, a deleted channel and a threshold that is switched off', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { people } = await checksOf(test, 5, 3);
    await run(test, 'failed');
    test.temp.clock.advance(-60 * minuteMs);
    assert.deepEqual(await judgeStorms(test), [{ accountId: test.accountId, digests: 1, isOver: true }], 'set back');
    await using gone = await PathUnderTest.open(newStore);
    const removed = await checksOf(gone, 5, 3);
    await run(gone, 'failed');
    await gone.temp.store.alertChannels.remove(gone.accountId, removed.people);
    assert.equal((await countOf(gone, removed.people))['cancelled digest'], 1);
    gone.temp.clock.advance(61 * minuteMs);
    assert.deepEqual(await judgeStorms(gone), [{ accountId: gone.accountId, digests: 0, isOver: true }]);
    assert.equal((await countOf(test, people))['pending digest'], 1);
  });

  it('counts exactly when many transactions record at once', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const other = newId();
    test.temp.raw.prepare('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?)').run(idBytes(other), 'B', 0);
    const second = Object.assign(Object.create(test) as PathUnderTest, { accountId: other });
    const accounts = [
      { of: test, ...(await checksOf(test, 24, 5)) },
      { of: second, ...(await checksOf(second, 24, 5)) },
    ];
    await test.schedule();
    const runs = (await test.claim()).map((claimed) => test.ended(claimed, 'failed'));
    assert.equal(runs.length, 48);
    // Each batch has checks of both accounts; every other one in the opposite order.
    const batches = Array.from({ length: 8 }, (_, index) => {
      const batch = runs.filter((_, at) => at % 8 === index);
      return index % 2 === 0 ? batch : batch.toReversed();
    });
    await Promise.all(batches.map((batch) => test.record(batch, 'one', prepared)));
    for (const { of, people, machines } of accounts) {
      assert.deepEqual(await countOf(of, machines), { pending: 24 });
      assert.deepEqual(await countOf(of, people), { pending: 5, digested: 19, 'collecting digest': 1 });
    }
    test.temp.clock.advance(minuteMs);
    const judged = (await Promise.all([judgeStorms(test), judgeStorms(test)])).flat();
    assert.equal(judged.filter(({ digests }) => digests === 1).length, 2, 'each digest leaves once');
    for (const { of, people } of accounts) assert.equal((await countOf(of, people))['pending digest'], 1);
  });

  it('is recorded and ended as a whole or not at all', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { people } = await checksOf(test, 5, 3);
    const { raw } = test.temp;
    const without = async (table: string, work: () => Promise<unknown>): Promise<void> => {
      raw.exec(`ALTER TABLE ${table} RENAME TO away`);
      await assert.rejects(work());
      raw.exec(`ALTER TABLE away RENAME TO ${table}`);
    };
    await test.schedule();
    const runs = await test.claim();
    const record = () =>
      test.record(
        runs.map((claimed) => test.ended(claimed, 'failed')),
        'one',
        prepared,
      );
    await without('delivery_contents', record);
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 0);
    assert.equal(test.one('SELECT count(*) FROM alert_storms WHERE started_at IS NOT NULL'), 0);
    await record();
    test.temp.clock.advance(minuteMs);
    await without('delivery_contents', () => judgeStorms(test));
    const collecting = { delivered: 3, digested: 2, 'collecting digest': 1 };
    await sentDigests(test);
    assert.deepEqual(await countOf(test, people), collecting);
    assert.equal(test.one('SELECT count(*) FROM alert_storms WHERE started_at IS NOT NULL'), 1);
    await judgeStorms(test);
    assert.equal((await sentDigests(test))[0]?.alerts, 2);
  });

  it('is a change of deliveries for pages that are open', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await checksOf(test, 5, 3);
    await run(test, 'failed');
    await sentDigests(test);
    const changes = test.temp.store.accountChanges.open(test.accountId);
    await changes.next();
    assert.equal((await changes.next()).deliveries, false);
    test.temp.clock.advance(minuteMs);
    await judgeStorms(test);
    await sentDigests(test);
    const { deliveries, notices } = await changes.next();
    assert.deepEqual({ deliveries, notices }, { deliveries: true, notices: true }, 'it is over');
  });

  it('lets a digest be sent at once, but not cancelled while it collects', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await checksOf(test, 5, 3);
    await run(test, 'failed');
    const { deliveries } = test.temp.store;
    const { rows } = await deliveries.list(test.accountId, { statuses: ['collecting'] }, page);
    const id = rows[0]?.delivery.id ?? '';
    assert.equal(await deliveries.cancel(test.accountId, id), 'collecting');
    assert.equal(await deliveries.replay(test.accountId, id, newId()), 'not-ended');
    assert.equal(await deliveries.retry(test.accountId, id), 'done');
    await judgeStorms(test);
    assert.equal((await sentDigests(test)).length, 1);
    const replay = newId();
    assert.equal(await deliveries.replay(test.accountId, id, replay), 'done');
    const [again] = await sentDigests(test);
    assert.equal(again?.alerts, 2);
    const [member] = (await deliveries.list(test.accountId, { digestId: id }, page)).rows;
    assert.equal(await deliveries.replay(test.accountId, member?.delivery.id ?? '', newId()), 'done');
    assert.equal((await deliveries.list(test.accountId, { digestId: id }, page)).total, 2);
  });

  it('begins with missing pings as well', async (newStore) => {
    await using beat = await HeartbeatUnderTest.open(newStore);
    const { test } = beat;
    await checksOf(test, 0, 2);
    const tokens = [beat.token];
    const ids = [beat.id];
    for (let more = 0; more < 3; more++) {
      const token = randomUUID();
      tokens.push(token);
      ids.push((await test.add({ checkType: 'HEARTBEAT', settings: settingsOf(token, 10) })).id);
    }
    const people = await subscribed(test, 'EMAIL', ids);
    await test.path.receivePings(tokens.map((token) => ({ ...beat.received('ping'), token })));
    await beat.judge();
    await beat.after(hour);
    assert.deepEqual(await countOf(test, people), { pending: 2, digested: 2, 'collecting digest': 1 });
  });

  it('begins with alerts that become due without a result', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { people } = await checksOf(test, 4, 2);
    await test.schedule();
    const silenced = (await test.claim()).map((claimed) => {
      const attempt = test.ended(claimed, 'failed');
      return { ...attempt, rules: { ...attempt.rules, isMuted: true } };
    });
    await test.record(silenced, 'one', prepared);
    assert.deepEqual(await countOf(test, people), {});
    const tick = createJudgeStates({
      store: test.path,
      clock: test.temp.clock,
      locations: () => ['local'],
      render: prepared,
      statusOf: () => null,
      isDigested: (type) => test.digested.has(type),
      onOpened: () => {},
    });
    while ((await tick()) < 1000);
    assert.deepEqual(await countOf(test, people), { pending: 2, digested: 2, 'collecting digest': 1 });
  });
});
