// Alert storms: alerts of people's channels beyond the threshold go into digests, and none is lost.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import type { Digest } from '#domain/alerts/digest.ts';
import type { Outcome } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { createJudgeStates } from '#pipeline/judge-states.ts';
import { idBytes } from '#store/base/codec.ts';
import { it } from '../support/store/each-engine.ts';
import { aChannel } from '../support/store/records.ts';
import { HeartbeatUnderTest, hour, settingsOf } from './heartbeat-under-test.ts';
import { judgeStorms, PathUnderTest, prepared } from './path-under-test.ts';

const page = { limit: 100, offset: 0 };
const minuteMs = 60_000;

interface Checks {
  readonly ids: readonly string[];
  readonly people: number;
  readonly machines: number;
}

/** Checks with an email channel and a webhook each of them alerts. */
async function checksOf(test: PathUnderTest, count: number, threshold: number): Promise<Checks> {
  test.digested.add('EMAIL');
  test.temp.raw
    .prepare('UPDATE accounts SET alert_settings = ? WHERE id = ?')
    .run(JSON.stringify({ digestThreshold: threshold }), idBytes(test.accountId));
  const ids: string[] = [];
  for (let made = 0; made < count; made++)
    ids.push(await test.check({ name: `Check ${String(made).padStart(2, '0')}` }));
  return { ids, people: await subscribed(test, 'EMAIL', ids), machines: await subscribed(test, 'WEBHOOK', ids) };
}

/** A channel that these checks alert. */
async function subscribed(test: PathUnderTest, type: string, ids: readonly string[]): Promise<number> {
  const saved = await test.temp.store.alertChannels.add({
    channel: aChannel(test.accountId, { type }),
    subscriptions: ids.map((checkId) => ({ checkId, groupId: null, activated: true })),
  });
  assert.ok('saved' in saved);
  return saved.saved.channel.id;
}

/** Runs the due checks: those named end with the outcome, the others pass. */
async function run(test: PathUnderTest, outcome: Outcome, ids?: readonly string[]): Promise<void> {
  await test.schedule();
  const runs = (await test.claim()).toSorted((a, b) => (a.run.checkId < b.run.checkId ? -1 : 1));
  await test.record(
    runs.map((claimed) => test.ended(claimed, ids?.includes(claimed.run.checkId) === false ? 'passed' : outcome)),
    'one',
    prepared,
  );
  test.temp.clock.advance(10_000);
  await assertCarried(test);
}

/** Every alert is sent by itself or in a digest that exists. */
async function assertCarried(test: PathUnderTest): Promise<void> {
  const { rows } = await test.temp.store.deliveries.list(test.accountId, {}, page);
  for (const { delivery } of rows) {
    assert.equal(delivery.status === 'digested', delivery.digestStatus !== undefined);
    assert.equal(delivery.status === 'digested', delivery.digestId !== undefined);
  }
}

async function countOf(test: PathUnderTest, channel: number): Promise<Record<string, number>> {
  const { rows } = await test.temp.store.deliveries.list(test.accountId, { alertChannelId: channel }, page);
  const statuses = rows.map(({ delivery: { status, isDigest } }) => (isDigest === true ? `${status} digest` : status));
  return Object.fromEntries([...Map.groupBy(statuses, (status) => status)].map(([name, all]) => [name, all.length]));
}

/** Due digests, and what they say: state, number, names. Their attempts succeed. */
async function sentDigests(test: PathUnderTest) {
  const claimed = await test.claimDeliveries('one', () => 1000);
  const digests: { alerts: number; sections: [string, number, string][] }[] = [];
  for (const one of claimed) {
    const [input] = await test.path.readContents([one.delivery]);
    const request = { method: 'MAIL', url: 'mailto:a@example.org', headers: [], body: 'x' };
    await test.path.saveRendered([{ ...one.delivery, rendered: { request } }], { owner: 'one', now: test.now });
    await test.settle(one, 200);
    const digest: Digest | undefined = input?.digest;
    if (digest === undefined) continue;
    const sections = digest.sections.map(({ state, count, checks }): [string, number, string] => [
      state,
      count,
      checks.map(({ name }) => name.replace('Check ', '')).join(),
    ]);
    digests.push({ alerts: digest.alerts, sections });
  }
  return digests;
}

describe('an alert storm', () => {
  it('begins with the check beyond the threshold: people get a digest, machines every alert', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { ids, people, machines } = await checksOf(test, 6, 4);
    await run(test, 'failed');
    assert.deepEqual(await countOf(test, machines), { pending: 6 });
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
  });

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

  it('is over a minute after its wave, and what was grouped recovers grouped', async (newStore) => {
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

  it('tells a new failure within a minute while recoveries wait for their digest', async (newStore) => {
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

  it('is not begun or prolonged by reminders, which are grouped with their alerts', async (newStore) => {
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
    assert.equal((await changes.next()).deliveries, true);
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
