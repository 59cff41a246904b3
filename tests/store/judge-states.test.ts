// States that are evaluated without a new result, on both engines: a suppressed alert is sent once, with the
// result that found it (docs/decisions/0100).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { occurrenceFrom, withSkipped } from '#domain/checks/maintenance-window.ts';
import type { StateRules } from '#domain/checks/check-state.ts';
import type { Check } from '#domain/checks/check.ts';
import { settleMs } from '#domain/checks/heartbeat.ts';
import type { DeliveryFacts } from '#domain/results/recording.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import { idBytes, idText } from '#store/base/codec.ts';
import type { NewWindow } from '#store/checks/maintenance-windows.ts';
import { type OpenedAlert, statesAtOnce } from '#store/path/states/judge-states.ts';
import { it, type NewStore, onSqlite } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { HeartbeatUnderTest, hour, minute, settingsOf } from './heartbeat-under-test.ts';
import { inspect, PathUnderTest, rendered } from './path-under-test.ts';

const silenced: Partial<StateRules> = { isMuted: true };

/** Runs every check that is due and records that outcome; then ten seconds go by. */
async function slot(test: PathUnderTest, outcome: 'passed' | 'failed' | 'unknown', rules: Partial<StateRules> = {}) {
  await test.schedule();
  const ended = (await test.claim()).map((claimed) => {
    const attempt = test.ended(claimed, outcome);
    return { ...attempt, rules: { ...attempt.rules, ...rules } };
  });
  const recorded = await test.record(ended);
  test.temp.clock.advance(10_000);
  return recorded;
}

const notified = (test: PathUnderTest): unknown[] =>
  test.rows('SELECT alert_type FROM deliveries ORDER BY id').map(({ alert_type }) => alert_type);

async function addWindow(test: PathUnderTest, endsIn: number, change: Partial<NewWindow> = {}) {
  const window = {
    name: 'Restart',
    description: null,
    tags: [],
    startsAt: test.now - minute,
    endsAt: test.now + endsIn,
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    timezone: 'UTC',
    pauseAllChecks: false,
    silenceAllAlerts: change.silenceAlertsTags === undefined,
    isPublic: false,
    silenceAlertsTags: [],
    checkIds: [],
    groupIds: [],
    ...change,
  };
  return test.temp.store.maintenanceWindows.add(test.accountId, window);
}

describe('a failure that outlasts a maintenance window or mute', () => {
  it('is alerted once when the window ends, with the result that found it', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const channel = await test.channel(await test.check({ tags: ['shop'] }));
    await addWindow(test, minute, { silenceAlertsTags: ['shop'] });
    const [recorded] = await slot(test, 'failed', silenced);
    await slot(test, 'unknown', silenced);
    test.temp.clock.advance(minute - 20_000 - 1);
    assert.deepEqual(await inspect(test), []);
    test.temp.clock.advance(1);
    const facts: DeliveryFacts[] = [];
    const opened = await inspect(test, (given) => {
      facts.push(given);
      return rendered(given);
    });
    assert.deepEqual(
      opened.map(({ alertTypes, deliveries }) => [alertTypes, deliveries]),
      [[['ALERT_FAILURE'], 1]],
    );
    const [{ finding, resultId, location, reminder, alertType } = assert.fail('it was rendered')] = facts;
    assert.deepEqual([resultId, location, reminder, alertType], [recorded?.resultId, 'local', null, 'ALERT_FAILURE']);
    assert.deepEqual(
      [finding.verdict, finding.reason, finding.message, finding.responseTimeMs, finding.details],
      ['failed', 'status', 'status 500', 12.345, { status: 200 }],
    );
    assert.equal(finding.startedAt, test.now - minute);
    const [alert] = test.rows('SELECT * FROM alerts');
    assert.equal(idText(alert?.['result_id'] as Uint8Array), recorded?.resultId);
    assert.deepEqual(
      [alert?.['alert_type'], alert?.['error'], alert?.['status_code'], alert?.['started_at'], alert?.['created_at']],
      ['ALERT_FAILURE', 'status 500', 200, test.now - minute, test.now],
    );
    assert.deepEqual(test.rows('SELECT alert_channel_id, open, notified_at FROM notified'), [
      { alert_channel_id: channel, open: 'failure', notified_at: test.now },
    ]);
    assert.equal(test.one('SELECT alerted FROM check_states'), 'failing');
    assert.deepEqual(await inspect(test), [], 'it was alerted');
    await slot(test, 'failed');
    await slot(test, 'passed');
    assert.deepEqual(notified(test), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  });

  it('is alerted when the window is shortened or deleted', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await test.channel(await test.check());
    const { maintenanceWindows } = test.temp.store;
    const long = await addWindow(test, hour);
    const other = await addWindow(test, hour);
    await slot(test, 'failed', silenced);
    await maintenanceWindows.change(test.accountId, long.id, (present) => ({ ...present, endsAt: test.now }));
    assert.deepEqual(await inspect(test), [], 'the other one lasts');
    await maintenanceWindows.remove(test.accountId, other.id);
    assert.equal((await inspect(test)).length, 2);
  });

  it('is alerted when a running occurrence of a repeating window is ended, or in one that is skipped', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    const { maintenanceWindows } = test.temp.store;
    const daily = { repeatInterval: 1, repeatUnit: 'DAY' } as const;
    const window = await addWindow(test, hour, daily);
    const skip = (startsAt: number) =>
      maintenanceWindows.change(test.accountId, window.id, (present) => {
        const skippedOccurrences = withSkipped(present, occurrenceFrom(present, startsAt) ?? assert.fail(), test.now);
        return { ...present, skippedOccurrences: skippedOccurrences ?? assert.fail() };
      });
    await slot(test, 'failed', silenced);
    assert.deepEqual(await inspect(test), [], 'it is silenced');
    await skip(window.startsAt);
    assert.equal((await inspect(test)).length, 1);
    await slot(test, 'passed');
    const tomorrow = window.startsAt + 24 * hour;
    await skip(tomorrow);
    test.temp.clock.advance(tomorrow + minute - test.now);
    await slot(test, 'failed', silenced);
    assert.equal((await inspect(test)).length, 1, 'the skipped occurrence silences nothing');
    await slot(test, 'passed');
    test.temp.clock.advance(24 * hour);
    await slot(test, 'failed', silenced);
    assert.deepEqual(await inspect(test), [], 'the next one silences again');
  });

  it('is alerted when the mute of the check or of its group is removed', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkGroups } = test.temp.store;
    const group = { group: aGroup(test.accountId, { muted: true }), subscriptions: null, isAutoAssigned: false };
    const saved = await checkGroups.add(group);
    assert.ok('saved' in saved);
    const own = await test.check({ muted: true });
    const ofGroup = await test.check({ groupId: saved.saved.group.id });
    for (const id of [own, ofGroup]) await test.channel(id);
    await slot(test, 'failed', silenced);
    assert.deepEqual(await inspect(test), []);
    const idsOf = (opened: readonly OpenedAlert[]): string[] => opened.map(({ context: { check } }) => check.id);
    await test.edit(own, { muted: false });
    assert.deepEqual(idsOf(await inspect(test)), [own]);
    await checkGroups.change(test.accountId, saved.saved.group.id, ({ group: present }) => ({
      ...group,
      group: { ...present, muted: false },
    }));
    assert.deepEqual(idsOf(await inspect(test)), [ofGroup]);
  });

  onSqlite('is alerted when the mute until an instant is over, and results before it are silent', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check({ mutedUntil: test.now + minute }));
    await test.schedule();
    const [claimed] = await test.claim();
    assert.ok(claimed?.context);
    const rules = stateRulesOf(claimed.context, ['local'], maintenanceOf(claimed.context, test.now));
    await test.record([test.ended(claimed, 'failed', { rules })]);
    test.temp.clock.advance(minute - 1);
    assert.deepEqual([await inspect(test), notified(test)], [[], []]);
    test.temp.clock.advance(1);
    await inspect(test);
    assert.deepEqual(notified(test), ['ALERT_FAILURE']);
  });

  onSqlite('is alerted when a result finds a state milder or worse than the alerted one', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check(), { sendDegraded: true });
    await slot(test, 'failed');
    await test.schedule();
    const ended = (await test.claim()).map((claimed) => test.ended(claimed, 'degraded'));
    await test.record(ended.map((one) => ({ ...one, rules: { ...one.rules, isMuted: true } })));
    await inspect(test);
    assert.deepEqual(notified(test), ['ALERT_FAILURE', 'ALERT_DEGRADED']);
  });

  it('is not alerted for a check that does not run, or a result that was deleted', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const id = await test.check();
    await test.channel(id);
    await slot(test, 'failed', silenced);
    await test.edit(id, { activated: false });
    assert.deepEqual(await inspect(test), []);
    await test.edit(id, { activated: true });
    test.temp.raw.prepare('UPDATE results SET run_id = id').run();
    assert.deepEqual(await inspect(test), []);
    test.temp.raw.prepare('UPDATE results SET run_id = NULL').run();
    assert.equal((await inspect(test)).length, 1, 'it is alerted once none of these applies');
  });

  it('is held back again when it was looked at too long ago to be known', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await slot(test, 'failed', silenced);
    test.temp.clock.advance(hour);
    assert.deepEqual(await inspect(test), []);
    await slot(test, 'unknown', silenced);
    assert.equal((await inspect(test)).length, 1, 'as it was found last: it is looked at again');
  });
});

describe('an escalation by time', () => {
  const afterFive: Partial<Check> = {
    useGlobalAlertSettings: false,
    alertSettings: { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } },
  };

  onSqlite('of a check that runs rarely is alerted when the time has passed', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { id } = await test.add({ ...afterFive, frequency: 60 });
    test.temp.raw.prepare('UPDATE schedules SET next_due_at = ? WHERE check_id = ?').run(test.now, idBytes(id));
    await test.channel(id);
    await slot(test, 'failed', { escalation: { type: 'TIME_BASED', ms: 5 * minute } });
    test.temp.clock.advance(5 * minute - 10_001);
    assert.deepEqual(await inspect(test), []);
    test.temp.clock.advance(1);
    assert.equal((await inspect(test)).length, 1);
    assert.deepEqual(notified(test), ['ALERT_FAILURE']);
  });

  it('of a missing heartbeat is alerted at that time, not at the next deadline', async (newStore) => {
    await using beat = await HeartbeatUnderTest.open(newStore, afterFive);
    await beat.test.edit(beat.id, { settings: settingsOf(beat.token, 1440) });
    await beat.ping();
    await beat.judge();
    await beat.after(24 * hour + 5 * minute + settleMs);
    assert.deepEqual([beat.outcomes(), beat.alerts()], [['passed', 'failed'], []]);
    beat.test.temp.clock.advance(5 * minute - settleMs - 1);
    assert.deepEqual(await inspect(beat.test), []);
    beat.test.temp.clock.advance(1);
    assert.equal((await inspect(beat.test)).length, 1);
    assert.deepEqual(beat.alerts(), ['ALERT_FAILURE']);
    await beat.ping();
    await beat.judge();
    assert.deepEqual(beat.alerts(), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  });
});

/** Checks that fail and are muted, all at one channel. */
async function mutedChecks(newStore: NewStore, count: number): Promise<{ test: PathUnderTest; ids: string[] }> {
  const test = await PathUnderTest.open(newStore);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await test.check({ frequencyOffset: 30, muted: true }));
  const channel = await test.channel(ids[0] ?? '');
  const subscribe = test.temp.raw.prepare(
    'INSERT INTO subscriptions (account_id, id, alert_channel_id, check_id, activated) VALUES (?, ?, ?, ?, 1)',
  );
  ids.slice(1).forEach((id, n) => subscribe.run(idBytes(test.accountId), n + 100, channel, idBytes(id)));
  for (let left = count; left > 0; left -= 100) {
    await test.tick(500);
    const claimed = await test.claim();
    await test.record(
      claimed.map((one) => {
        const ended = test.ended(one, 'failed');
        return { ...ended, rules: { ...ended.rules, isMuted: true } };
      }),
    );
  }
  return { test, ids };
}

/** Takes the mute of all of them away, as an edit of each would. */
function unmuteAll(test: PathUnderTest): void {
  test.temp.raw.prepare('UPDATE checks SET muted = 0').run();
  test.temp.raw.prepare(`UPDATE counters SET last = last + 1 WHERE noun = 'revision'`).run();
}

describe('many states', () => {
  it('are evaluated in slices, and each is alerted once', async (newStore) => {
    const { test, ids } = await mutedChecks(newStore, 2 * statesAtOnce + 20);
    await using _ = test;
    assert.deepEqual(await inspect(test), []);
    const [last] = ids.toSorted().slice(-1);
    await test.edit(last ?? '', { muted: false });
    assert.equal((await inspect(test)).length, 1);
    unmuteAll(test);
    assert.equal((await inspect(test)).length, ids.length - 1);
    assert.equal(test.one('SELECT count(DISTINCT check_id) FROM alerts'), ids.length);
    assert.equal(test.one('SELECT count(*) FROM deliveries'), ids.length);
  });

  it('are alerted once each by concurrent evaluations while results are recorded and checks deleted', async (newStore) => {
    const { test, ids } = await mutedChecks(newStore, 100);
    await using _ = test;
    unmuteAll(test);
    test.temp.clock.advance(30_000);
    await test.tick(500);
    const deleted = new Set(ids.slice(0, 10));
    const ended = (await test.claim())
      .filter(({ run }) => !deleted.has(run.checkId))
      .map((claimed, index) => test.ended(claimed, index % 3 === 0 ? 'passed' : 'failed'));
    const pieces = Array.from({ length: 9 }, (_piece, n) => ended.slice(n * 10, n * 10 + 10));
    const recording = pieces.map((piece) => test.record(piece));
    const deleting = [...deleted].map((id) => test.temp.store.checks.remove(test.accountId, id, rendered));
    const polls = [inspect(test), inspect(test), inspect(test)];
    const opened = (await Promise.all(polls)).flat().length;
    const recorded = (await Promise.all(recording)).flat();
    assert.deepEqual(new Set(await Promise.all(deleting)), new Set([true]));
    assert.equal(recorded.length, 90);
    const opening = recorded.filter(({ alertTypes }) => alertTypes.includes('ALERT_FAILURE')).length;
    const alertsOf = (type: string): string[] =>
      test
        .rows(`SELECT check_id FROM alerts WHERE alert_type = '${type}'`)
        .map((row) => idText(row['check_id'] as Uint8Array));
    const failures = alertsOf('ALERT_FAILURE');
    assert.equal(failures.length, opened + opening);
    assert.equal(new Set(failures).size, failures.length, 'no channel is notified twice');
    const failing = ended.filter(({ outcome }) => outcome === 'failed').map(({ run }) => run.checkId);
    assert.deepEqual(
      failing.filter((id) => !failures.includes(id)),
      [],
      'nobody who fails is left out',
    );
    const over = failures.filter((id) => !failing.includes(id));
    assert.deepEqual(
      alertsOf('ALERT_RECOVERY').toSorted(),
      over.toSorted(),
      'alerted checks that pass or are deleted are resolved',
    );
    assert.equal(test.one(`SELECT count(*) FROM notified WHERE open = 'failure'`), failing.length);
    assert.equal(test.one(`SELECT count(*) FROM check_states WHERE alerted = 'failing'`), failing.length);
  });
});
