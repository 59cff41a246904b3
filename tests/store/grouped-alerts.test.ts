// When grouped notifications leave, what is grouped outside of storms, and when a storm is over.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { idText } from '#store/base/codec.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { judgeStorms, PathUnderTest, prepared } from './path-under-test.ts';
import { checksOf, countOf, minuteMs, run, sentDigests, subscribed } from './storm-under-test.ts';

describe('an alert storm', () => {
  onSqlite('is over a minute after its wave, and what was grouped recovers grouped', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ids, people } = await checksOf(test, 7, 4);
    const names = (indices: readonly number[]) => indices.map((index) => `0${index}`).join();
    const startedAt = test.now;
    await run(test, 'failed', ids.slice(0, 6));
    assert.equal(await test.temp.store.alertStorms.since(test.accountId), startedAt);
    test.temp.clock.advance(40_000);
    assert.deepEqual(await judgeStorms(test), [{ accountId: test.accountId, digests: 1, isOver: false }]);
    assert.deepEqual(
      (await sentDigests(test)).map(({ alerts }) => alerts),
      [2],
    );
    test.temp.clock.advance(10_000);
    assert.deepEqual(await judgeStorms(test), [{ accountId: test.accountId, digests: 0, isOver: true }]);
    assert.equal(await test.temp.store.alertStorms.since(test.accountId), null);
    await run(test, 'failed');
    assert.equal((await countOf(test, people))['pending'], 1, 'a new failure is a message of its own');
    await sentDigests(test);
    // The first four failures were single, and so are their recoveries.
    await run(
      test,
      'failed',
      ids.filter((_, at) => at !== 0 && at !== 5),
    );
    assert.deepEqual(await countOf(test, people), {
      delivered: 5,
      'delivered digest': 1,
      digested: 3,
      'collecting digest': 1,
      pending: 1,
    });
    await sentDigests(test);
    test.temp.clock.advance(4 * minuteMs);
    assert.equal((await judgeStorms(test)).filter(({ digests }) => digests > 0).length, 0, 'recoveries can wait');
    test.temp.clock.advance(minuteMs);
    await judgeStorms(test);
    assert.deepEqual(await sentDigests(test), [
      {
        alerts: 1,
        sections: [
          ['recovered', 1, names([5])],
          ['stillFailing', 5, names([1, 2, 3, 4, 6])],
        ],
      },
    ]);
  });

  onSqlite('tells a new failure within a minute while recoveries wait for their digest', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ids } = await checksOf(test, 7, 4);
    await run(test, 'failed', ids.slice(0, 6));
    test.temp.clock.advance(minuteMs);
    await judgeStorms(test);
    await sentDigests(test);
    await run(test, 'passed');
    test.temp.clock.advance(minuteMs);
    await judgeStorms(test);
    assert.deepEqual(await sentDigests(test), [], 'they wait for the pause after the last digest');
    test.temp.raw.exec('UPDATE alert_storms SET started_at = 1');
    await run(test, 'failed', ids.slice(6));
    test.temp.clock.advance(35_000);
    await judgeStorms(test);
    const [digest] = await sentDigests(test);
    assert.deepEqual(
      digest?.sections.map(([state, count]) => [state, count]),
      [
        ['failing', 1],
        ['recovered', 2],
      ],
    );
  });

  onSqlite('is not begun or prolonged by reminders, which are grouped with their alerts', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ids, people } = await checksOf(test, 4, 2);
    await run(test, 'failed', ids.slice(0, 2));
    await sentDigests(test);
    test.temp.clock.advance(2 * minuteMs);
    await run(test, 'failed', ids);
    await sentDigests(test);
    const remind = async () => {
      test.temp.clock.advance(minuteMs);
      await test.schedule();
      const rules = { reminders: { amount: 9, intervalMs: 1000 } };
      const ended = (await test.claim()).map((claimed) => {
        const attempt = test.ended(claimed, 'failed');
        return { ...attempt, rules: { ...attempt.rules, ...rules } };
      });
      await test.record(ended, 'one', prepared);
    };
    test.temp.clock.advance(2 * minuteMs);
    await remind();
    assert.equal(await test.temp.store.alertStorms.since(test.accountId), null);
    assert.equal((await countOf(test, people))['pending'], 4, 'their alerts were single');
    test.temp.raw.exec('UPDATE notified SET is_grouped = 1');
    await remind();
    assert.equal(await test.temp.store.alertStorms.since(test.accountId), null);
    assert.equal((await countOf(test, people))['digested'], 4);
  });

  it('reports a failure whose escalation ends in it within a minute, also if others are acknowledged or a channel is broken', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ids, people } = await checksOf(test, 6, 3);
    const broken = await subscribed(test, 'EMAIL', ids);
    const late = ids[5] ?? '';
    const fail = async (failing: readonly string[]) => {
      await test.schedule();
      const ended = (await test.claim()).map((claimed) => {
        const { checkId } = claimed.run;
        const attempt = test.ended(claimed, failing.includes(checkId) ? 'failed' : 'passed');
        const escalation = { type: 'TIME_BASED', ms: 5 * minuteMs } as const;
        return checkId === late ? { ...attempt, rules: { ...attempt.rules, escalation } } : attempt;
      });
      await test.record(ended, 'one', prepared);
    };
    await fail([late]);
    test.temp.clock.advance(5 * minuteMs - 10_000);
    await fail(ids);
    const [incident] = test.rows('SELECT id FROM incidents ORDER BY id DESC LIMIT 1');
    const by = { type: 'user', id: null, name: 'a@example.org' } as const;
    const at = test.now;
    await test.temp.store.incidents.acknowledge(test.accountId, idText(incident?.['id'] as Uint8Array), by, at);
    test.temp.clock.advance(15_000);
    await fail(ids);
    test.temp.raw.exec(`UPDATE alert_channels SET config = '{}' WHERE id = ${broken}`);
    test.temp.clock.advance(45_000);
    await judgeStorms(test);
    const digests = (await sentDigests(test)).filter(({ sections }) => sections.length > 0);
    assert.deepEqual(
      digests.map(({ alerts }) => alerts),
      [3, 3],
      'two of the wave, and the one that was escalated',
    );
    assert.match(digests[0]?.sections.map(([, , names]) => names).join() ?? '', /05/);
    assert.equal((await countOf(test, people))['delivered digest'], 1);
  });

  it('groups the recoveries of failing checks that are deleted at once', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ids, people, machines } = await checksOf(test, 6, 3);
    await run(test, 'failed');
    await sentDigests(test);
    test.temp.clock.advance(10 * minuteMs);
    await judgeStorms(test);
    await sentDigests(test);
    const isDigested = (type: string): boolean => test.digested.has(type);
    for (const id of ids) await test.temp.store.checks.remove(test.accountId, id, prepared, isDigested);
    const counted = await countOf(test, people);
    // Three were grouped before, and of the three others none exceeds the threshold.
    assert.deepEqual([counted['pending'], counted['collecting digest']], [3, 1]);
    assert.equal((await countOf(test, machines))['pending'], 6);
    test.temp.clock.advance(5 * minuteMs);
    await judgeStorms(test);
    const digest = (await sentDigests(test)).at(-1);
    assert.deepEqual(
      digest?.sections.map(([state, count]) => [state, count]),
      [['recovered', 3]],
    );
  });
});
