// Gaps in monitoring that Tocsin caused are reported: as notices, and by the reason of each slot.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ownNotices } from '#actions/operating/own-notices.ts';
import { createNoticeActions, type Notice } from '#actions/operating/notices.ts';
import { createScheduleRuns } from '#pipeline/schedule-runs.ts';
import { createRunChecks } from '#pipeline/run-checks.ts';
import { reasonCodes } from '#store/base/codes.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { PathUnderTest } from './path-under-test.ts';

const day = 86_400_000;

function noticesOf({ temp, accountId }: PathUnderTest): Promise<Notice[]> {
  const actions = createNoticeActions({
    missingVariables: { notices: async () => [] },
    silentCheckNotices: async () => [],
    stormNotices: async () => [],
    ...temp.store,
    runtimeEnds: async () => [],
    missingBrowsers: async () => [],
    ownFaultNotices: async () => [],
    silentLocations: async () => [],
    processNotices: () => [],
    brokenChannels: async () => [],
  });
  return actions.list({
    principal: { kind: 'api-key', id: '' },
    role: 'read-only',
    accountId,
    accountIds: [accountId],
  });
}

describe('notices', () => {
  it('tell of slots that were missed and verdicts that were withheld, for two days', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.runAll('passed');
    assert.deepEqual(await noticesOf(test), []);
    test.temp.clock.advance(10_000);
    await test.runAll('unknown');
    test.temp.clock.advance(40_000);
    await test.runAll('passed');
    const [notice, ...others] = await noticesOf(test);
    assert.deepEqual(others, []);
    assert.equal(notice?.kind, 'gap');
    assert.equal(notice.since, Math.floor(test.now / day) * day);
    assert.match(notice.message, /3 scheduled runs were missed and 1 result was inconclusive/);
    test.temp.clock.advance(2 * day);
    assert.deepEqual(await noticesOf(test), []);
  });

  onSqlite(
    'do not blame Tocsin for runs without a verdict that the settings of a check are to blame for',
    async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      await test.check();
      await test.schedule();
      const finding = test.finding('unknown', { reason: 'settings', message: 'request.url uses {{GONE}}' });
      await test.record((await test.claim()).map((claimed) => test.ended(claimed, 'unknown', { finding })));
      assert.equal(test.one('SELECT unknown FROM account_counts'), 1);
      assert.equal(test.one('SELECT misconfigured FROM account_counts'), 1);
      assert.deepEqual(await noticesOf(test), []);
    },
  );

  onSqlite('do not tell of slots above the execution limit: that is the account owner’s own wish', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    test.temp.raw.prepare('UPDATE accounts SET execution_limit = 0').run();
    await test.check();
    await test.schedule();
    assert.equal(test.one('SELECT missed FROM account_counts'), 1);
    assert.deepEqual(await noticesOf(test), []);
  });

  it('tell at a start for how long nothing ran, for two days, and not of a restart', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { gaps } = test.temp.store;
    const diedAt = test.now;
    assert.equal(await gaps.noteStart(), null, 'a first start');
    await gaps.recordHeartbeat();
    test.temp.clock.advance(59_000);
    assert.equal(await gaps.noteStart(), null, 'a restart');
    test.temp.clock.advance(541_000);
    assert.equal(await gaps.rollback(), null);
    assert.deepEqual(await gaps.noteStart(), { from: diedAt, to: test.now, isRollback: false, stoppedMs: null });
    const [notice] = await noticesOf(test);
    assert.deepEqual([notice?.kind, notice?.since], ['downtime', diedAt]);
    assert.match(notice?.message ?? '', /not running for 10 min, until \S+Z\. /);
    await test.temp.store.accounts.change(test.accountId, { timeZone: 'Asia/Tokyo' });
    const none = async () => [];
    const own = {
      ownFaultNotices: none,
      processNotices: none,
      affectedAccounts: { ...test.temp.store.affectedAccounts, gap: async () => null },
      locations: () => [],
      location: { code: 'local', name: 'Local' },
      now: () => test.now,
    };
    const [sent] = await ownNotices({ ...test.temp.store, ...own, serverTimeZone: 'UTC' }, test.accountId);
    assert.match(sent?.message ?? '', /until \S+ \S+ UTC\+9\. /, 'in the zone of the account that it is sent to');
    test.temp.clock.advance(2 * day);
    assert.deepEqual(await noticesOf(test), []);
  });
});

describe('a clock that was set while nothing ran', () => {
  onSqlite('differs from downtime by the time since the machine started', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { gaps } = test.temp.store;
    const { clock } = test.temp;
    const told = async () => (await noticesOf(test))[0]?.message ?? '';
    const up = (minutes: number) => ({ boot: 'b', upMs: minutes * 60_000 });
    await gaps.recordHeartbeat(up(10));
    clock.advance(3_600_000);
    assert.equal((await gaps.noteStart({ boot: 'other', upMs: 0 }))?.stoppedMs, null);
    assert.match(await told(), /^Tocsin was not running for 60 min, .* If the clock was set meanwhile, /);
    assert.equal((await gaps.noteStart(up(70)))?.stoppedMs, 3_600_000);
    assert.match(await told(), /^Tocsin was not running for 60 min, .* during that time\.$/);
    assert.equal((await gaps.noteStart(up(12)))?.stoppedMs, 120_000);
    assert.match(await told(), /^The clock was set forward by 58 min .* not running for 2 min, /);
    await gaps.recordHeartbeat(up(20));
    clock.advance(-1_800_000);
    assert.equal(await gaps.noteStart(), null, 'nothing is known');
    assert.equal((await gaps.noteStart(up(20)))?.stoppedMs, 0);
    assert.match(await told(), /^The clock was set back by 30 min .* not running for 0 s, /);
  });
});

describe('data that a restore took away', () => {
  it('is a notice of its own, and its slots say so', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    const { gaps } = test.temp.store;
    await gaps.recordHeartbeat();
    const backupAt = test.now;
    test.temp.clock.advance(20_000);
    test.temp.raw
      .prepare(`INSERT INTO installation (key, value) VALUES ('rolled-back', ?)`)
      .run(`${backupAt}/${test.now}`);
    const rollback = await gaps.rollback();
    assert.deepEqual(rollback, { from: backupAt, to: test.now });
    assert.deepEqual(await gaps.noteStart(), { ...rollback, isRollback: true, stoppedMs: null });
    const [notice] = await noticesOf(test);
    assert.equal(notice?.kind, 'rollback');
    assert.match(notice?.message ?? '', /^Data was rolled back to /);
    const tick = createScheduleRuns({
      store: test.path,
      firstRuns: test.temp.store.firstRuns,
      clock: { now: () => test.now, lastSet: null },
      locations: () => ['local'],
      startedAt: test.now,
      rollback,
      wake: () => {},
    });
    await tick();
    assert.equal(test.one('SELECT message FROM results'), 'not recorded: data was rolled back by a restore');
    await gaps.recordHeartbeat();
    test.temp.clock.advance(600_000);
    assert.equal((await gaps.noteStart())?.isRollback, false, 'a later absence is one');
  });
});

describe('slots that go by while the database cannot be written', () => {
  const away = new StoreUnavailableError('the database cannot be written: full');

  it('are missed with that reason by the scheduler', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    let isAway = false;
    const tick = createScheduleRuns({
      store: { scheduleDue: (rules) => (isAway ? Promise.reject(away) : test.path.scheduleDue(rules)) },
      firstRuns: test.temp.store.firstRuns,
      clock: { now: () => test.now, lastSet: null },
      locations: () => ['local'],
      startedAt: test.now,
      wake: () => {},
    });
    await tick();
    isAway = true;
    test.temp.clock.advance(10_000);
    await assert.rejects(tick(), /cannot be written/);
    isAway = false;
    test.temp.clock.advance(20_000);
    await tick();
    const missed = [
      { slots: 2, reason: reasonCodes.encode('store'), message: 'not run: the database could not be written' },
    ];
    assert.deepEqual(test.rows('SELECT slots, reason, message FROM results'), missed);
    test.temp.clock.advance(30_000);
    await tick();
    assert.match(String(test.one('SELECT message FROM results ORDER BY id DESC')), /too busy/, 'that was later');
  });

  it('are missed with that reason when their run was planned before', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    let isAway = true;
    const step = createRunChecks({
      store: { ...test.path, claimRuns: (claim) => (isAway ? Promise.reject(away) : test.path.claimRuns(claim)) },
      clock: test.temp.clock,
      owner: 'one',
      location: 'local',
      locations: () => ['local'],
      probe: () => assert.fail('it was probed'),
      record: async (attempt) => void (await test.record([attempt])),
      startedAt: 0,
      wake: () => {},
    });
    await test.schedule();
    await assert.rejects(step.tick(), /cannot be written/);
    isAway = false;
    test.temp.clock.advance(15_000);
    await step.tick();
    await until('the outcome', () => test.one('SELECT missed FROM account_counts') === 1);
    assert.equal(test.one('SELECT message FROM results'), 'not run: the database could not be written');
  });

  it('are missed where a run waits for room longer than its slot lasts', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    const room = Promise.withResolvers<() => void>();
    let left = 0;
    const step = createRunChecks({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      location: 'local',
      locations: () => ['local'],
      enter: () => room.promise,
      probe: () => assert.fail('it was probed'),
      record: async (attempt) => void (await test.record([attempt])),
      startedAt: 0,
      wake: () => {},
    });
    await test.schedule();
    await step.tick();
    assert.equal(step.inProgress, 1);
    test.temp.clock.advance(15_000);
    room.resolve(() => void left++);
    await until('the outcome', () => test.one('SELECT missed FROM account_counts') === 1);
    assert.match(String(test.one('SELECT message FROM results')), /^not run: Tocsin was too busy/);
    assert.equal(left, 1, 'its room is free again');
  });
});
