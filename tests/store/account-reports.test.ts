// Reports on accounts: the facts they need, and one delivery per channel and period, on both engines.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { AccountReport, ReportSchedule } from '#domain/results/account-report.ts';
import { createSendAccountReports } from '#upkeep/send-account-reports.ts';
import { reportOf } from '../support/receivers/sample-alerts.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

const dayMs = 86_400_000;
const monday = Date.parse('2026-03-09T00:00:00Z');
const weekly: ReportSchedule = { every: 'week', timeZone: 'UTC' };
const { report } = reportOf(['Shop']);

/** A process that sends due reports. */
function sender(test: PathUnderTest, build: () => Promise<AccountReport> = () => Promise.resolve(report)) {
  const errors: unknown[] = [];
  const tick = createSendAccountReports({
    store: test.temp.store.accountReports,
    isSettled: (before) => test.temp.store.gaps.isSettled(before),
    startedAt: test.now,
    build,
    clock: test.temp.clock,
    onSent: () => undefined,
    onError: (_due, error) => errors.push(error),
  });
  return { tick, errors };
}

const change = (test: PathUnderTest, id: number, schedule: ReportSchedule | null) =>
  test.temp.store.alertChannels.change(test.accountId, id, ({ channel }) => ({
    channel: { ...channel, report: schedule },
    subscriptions: null,
  }));

describe('reports of channels', () => {
  it('are added once per period, whatever the number of processes', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, monday);
    const [first, second] = [
      await test.channel(null, { report: weekly }),
      await test.channel(null, { report: weekly }),
    ];
    await test.channel(null);
    const processes = [sender(test), sender(test)];
    const tick = () => Promise.all(processes.map((each) => each.tick()));
    await tick();
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 0);
    test.temp.clock.advance(8 * 3_600_000);
    await tick();
    await tick();
    const rows = 'SELECT alert_channel_id AS channel, alert_type, status FROM deliveries ORDER BY id';
    const due = { alert_type: null, status: 0 };
    const ofEach = [first, second].map((channel) => ({ channel, ...due }));
    assert.deepEqual(
      test.rows(rows).toSorted((a, b) => Number(a['channel']) - Number(b['channel'])),
      ofEach,
    );
    test.temp.clock.advance(7 * dayMs - 1);
    await tick();
    assert.equal(test.rows(rows).length, 2);
    // Several periods later, only the last one is reported.
    test.temp.clock.advance(21 * dayMs);
    await tick();
    await tick();
    assert.equal(test.rows(rows).length, 4);
    const [claimed] = await test.claimDeliveries();
    assert.ok(claimed !== undefined);
    const [content] = await test.path.readContents([claimed.delivery]);
    assert.deepEqual(content?.report, report);
  });

  it('wait after downtime until its gap is recorded, at most a day', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, monday);
    await test.channel(null, { report: weekly });
    await test.check();
    await test.runAll('passed');
    const { gaps } = test.temp.store;
    assert.equal(await gaps.isSettled(test.now), true);
    test.temp.clock.advance(8 * dayMs);
    const count = (): unknown => test.one('SELECT count(*) FROM deliveries');
    const { tick } = sender(test);
    assert.equal(await tick(), 1000);
    assert.deepEqual([await gaps.isSettled(monday + 7 * dayMs), count()], [false, 0]);
    const scheduled = await test.schedule();
    assert.ok(scheduled.missed > 0);
    assert.equal(await gaps.isSettled(monday + 7 * dayMs), true);
    await tick();
    assert.equal(count(), 1);
    test.temp.clock.advance(8 * dayMs);
    const other = sender(test);
    await other.tick();
    assert.equal(count(), 1);
    test.temp.clock.advance(86_400_001);
    await other.tick();
    assert.equal(count(), 2, 'nothing schedules');
  });

  onSqlite('follow the schedule of their channel', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, monday);
    const id = await test.channel(null, { report: weekly });
    const dueAt = (): unknown => test.one('SELECT report_at FROM alert_channels');
    assert.equal(dueAt(), monday + 8 * 3_600_000);
    test.temp.clock.advance(dayMs);
    // Overdue: saving the same schedule does not skip it.
    await change(test, id, weekly);
    assert.equal(dueAt(), monday + 8 * 3_600_000);
    const [due] = await test.temp.store.accountReports.due(test.now, 10);
    assert.ok(due !== undefined);
    await change(test, id, { every: 'month', timeZone: 'Asia/Kolkata' });
    assert.equal(dueAt(), Date.parse('2026-04-01T02:30:00Z'));
    assert.equal(await test.temp.store.accountReports.send(due, report, 1, test.now), false);
    await change(test, id, null);
    assert.equal(dueAt(), null);
    assert.deepEqual(await test.temp.store.accountReports.due(test.now + 365 * dayMs, 10), []);
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 0);
  });

  onSqlite('are tried again after an error, which does not stop those of other accounts', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, monday + dayMs);
    await test.channel(null, { report: weekly });
    await test.channel(null, { report: { every: 'week', timeZone: 'Asia/Tokyo' } });
    test.temp.clock.advance(7 * dayMs);
    let calls = 0;
    const { tick, errors } = sender(test, () => {
      calls++;
      return calls === 1 ? Promise.reject(new Error('no')) : Promise.resolve(report);
    });
    await tick();
    assert.deepEqual([errors.length, test.one('SELECT count(*) FROM deliveries')], [1, 1]);
    // Not at once: errors that last must not take the place of others.
    assert.deepEqual(await test.temp.store.accountReports.due(test.now, 10), []);
    test.temp.clock.advance(10 * 60_000);
    await tick();
    assert.deepEqual([errors.length, test.one('SELECT count(*) FROM deliveries')], [1, 2]);
  });

  onSqlite('are tried again, too, if the time zone of their schedule is no longer known', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, monday + dayMs);
    await test.channel(null, { report: weekly });
    test.temp.raw.prepare('UPDATE alert_channels SET report = ?').run('{"every":"week","timeZone":"Mars/Olympus"}');
    test.temp.clock.advance(7 * dayMs);
    const { tick, errors } = sender(test);
    await tick();
    await tick();
    assert.deepEqual([errors.length, test.one('SELECT count(*) FROM deliveries')], [1, 0]);
  });

  it('are sent on request as often as an account may within an hour, without moving the schedule', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, monday);
    const id = await test.channel(null, { report: weekly });
    const limit = () => ({ now: test.now, max: 2 });
    const { accountReports } = test.temp.store;
    const send = () => accountReports.sendNow(test.accountId, id, report, limit());
    const [first, second] = [await send(), await send()];
    assert.ok(first !== null && second !== null);
    assert.equal(await send(), null);
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 2);
    const contents = await test.path.readContents((await test.claimDeliveries()).map(({ delivery }) => delivery));
    assert.deepEqual(contents[0]?.report, report);
    test.temp.clock.advance(3_600_000);
    assert.notEqual(await send(), null);
    assert.equal(test.one('SELECT report_at FROM alert_channels'), monday + 8 * 3_600_000);
  });

  it('continue with the next period after a clock that was a year ahead was set back', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, monday);
    await test.channel(null, { report: weekly });
    test.temp.clock.advance(365 * dayMs);
    const { tick } = sender(test);
    await tick();
    test.temp.clock.advance(-365 * dayMs);
    await tick();
    assert.equal(test.one('SELECT report_at FROM alert_channels'), monday + 8 * 3_600_000);
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 1);
  });
});

describe('facts of a report', () => {
  it('are the incidents of its period, and older ones that are still open', async (newStore) => {
    await using test = await PathUnderTest.open(newStore, monday);
    const [flapping, down] = [await test.check(), await test.check()];
    const { accountReports } = test.temp.store;
    const one = async (outcomes: Readonly<Record<string, 'passed' | 'failed'>>): Promise<void> => {
      await test.schedule();
      const runs = await test.claim();
      await test.record(runs.map((claimed) => test.ended(claimed, outcomes[claimed.run.checkId] ?? 'passed')));
      test.temp.clock.advance(10_000);
    };
    await one({ [down]: 'failed' });
    // The time of an incident is that of its ID, which has the system's time.
    await pause(2);
    const from = Date.now();
    for (let count = 0; count < 3; count++) {
      await one({ [flapping]: 'failed', [down]: 'failed' });
      await one({ [down]: 'failed' });
    }
    const { total, counts, longest } = await accountReports.incidents(test.accountId, { from, to: Date.now() + 1 });
    assert.deepEqual([total, [...counts]], [3, [[flapping, 3]]]);
    assert.deepEqual(
      longest.map(({ checkId, endedAt }) => [checkId, endedAt === null]),
      [
        [down, true],
        [flapping, false],
        [flapping, false],
        [flapping, false],
      ],
    );
    const earlier = await accountReports.incidents(test.accountId, { from: 0, to: from });
    assert.deepEqual([...earlier.counts], [[down, 1]]);
  });
});
