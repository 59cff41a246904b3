// The simulation of years: some weeks of it, and whether its judges see what is wrong.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { idBytes } from '#store/base/codec.ts';
import { slotRunId } from '#store/schedules/schedule-due.ts';
import { simulateClocks } from '../bench/sim/clock.ts';
import { createAlertJudge, differences } from '../bench/sim/judge-alerts.ts';
import { createHeartbeatJudge } from '../bench/sim/judge-heartbeat.ts';
import { judgeSlots } from '../bench/sim/judge-slots.ts';
import { timesOf } from '../bench/sim/wall-clock.ts';

const minute = 60_000;

it('weeks of clocks that are set, sleep and restarts lose no slot and no alert, and invent none', async () => {
  const report = await simulateClocks({ days: 24, seed: 2 });
  const { slots, runs, paused, pings, silences, outlasted, alerts, events } = report;
  assert.ok(
    slots >= 24 * 24 * 5 && runs > 0 && paused > 0 && pings > 0 && silences > 0 && outlasted > 0 && alerts > 0,
    JSON.stringify(report),
  );
  assert.ok(
    (events['clock'] ?? 0) > 0 && (events['sleep'] ?? 0) > 0 && (events['killed'] ?? 0) > 0,
    JSON.stringify(events),
  );
});

describe('its judges', () => {
  it('report lost, invented and repeated alerts', () => {
    const judge = createAlertJudge(() => 2);
    const given = { checkId: 'c', isSilenced: false };
    judge.verdict({ ...given, resultId: '1', isFailure: true });
    assert.equal(judge.isOpen('c'), false);
    judge.verdict({ ...given, resultId: '2', isFailure: true, isSilenced: true });
    judge.verdict({ ...given, resultId: '3', isFailure: true });
    judge.verdict({ ...given, resultId: '4', isFailure: false });
    const [failure, recovery] = judge.expected();
    assert.ok(failure !== undefined && recovery !== undefined);
    assert.deepEqual([failure.resultId, recovery.resultId], ['3', '4']);
    assert.deepEqual(differences([failure, recovery], [recovery, failure]), []);
    assert.deepEqual(
      differences([failure, recovery], [recovery, recovery, { ...failure, resultId: '9' }]).map((text) =>
        text.slice(0, 8),
      ),
      ['lost: AL', 'invented', 'sent twi'],
    );
  });

  it('expect the alert of a failure that outlasts its window once, at its end, with the latest result', () => {
    const judge = createAlertJudge(() => 2);
    const silenced = { checkId: 'c', isFailure: true, isSilenced: true };
    judge.verdict({ ...silenced, resultId: '1' });
    assert.equal(judge.isSuppressed('c'), false, 'one failure is too few');
    judge.inspect('c');
    judge.verdict({ ...silenced, resultId: '2' });
    assert.equal(judge.isSuppressed('c'), true);
    judge.inspect('c');
    judge.inspect('c');
    assert.equal(judge.isSuppressed('c'), false);
    judge.verdict({ checkId: 'c', resultId: '3', isFailure: false, isSilenced: true });
    assert.deepEqual(
      judge.expected().map(({ type, resultId }) => `${type} ${resultId}`),
      ['ALERT_FAILURE 2', 'ALERT_RECOVERY 3'],
    );
  });

  it('detect a heartbeat that is reported too early, and one that is not reported', () => {
    const times = { periodMs: 60 * minute, graceMs: 10 * minute };
    const job = createHeartbeatJudge('job', times);
    job.called(0, 0, true);
    assert.throws(() => job.opened(69 * minute), /its job pinged 4140 s ago/);
    job.opened(71 * minute);
    const other = createHeartbeatJudge('job', times);
    other.called(0, 0, true);
    other.inspect(140 * minute);
    assert.throws(() => other.inspect(142 * minute), /was not reported/);
    other.interrupted(142 * minute);
    other.inspect(281 * minute);
  });

  describe('verify that every slot has one outcome, in each lap of the clock', () => {
    const checkId = '0198a000-0000-7000-8000-00000000000c';
    type Slots = readonly [slot: number, lap?: number, slots?: number][];
    const judged = (slots: Slots, until: number): number => {
      using raw = new DatabaseSync(':memory:');
      raw.exec('CREATE TABLE results (check_id BLOB, id BLOB, slots INTEGER, location TEXT, source INTEGER)');
      const insert = raw.prepare(`INSERT INTO results VALUES (?, ?, ?, 'local', 0)`);
      for (const [slot, lap = 0, count = 1] of slots) {
        insert.run(idBytes(checkId), slotRunId(slot * minute, checkId, 'local', lap), count);
      }
      return judgeSlots(raw, [{ id: checkId, intervalMs: minute }], 1, until * minute);
    };
    it('and accept slots, missed slots, and a repeated hour', () => {
      assert.equal(judged([[1], [2], [3, 0, 4], [7], [5, 1], [6, 1], [7, 1], [8, 1]], 9), 11);
    });
    const violations: readonly [what: string, slots: Slots, until: number, said: RegExp][] = [
      ['a slot without an outcome', [[1], [2], [4]], 4, /has a slot without an outcome between 1970-01-01T00:02/],
      ['a slot with two outcomes', [[1], [2, 0, 3], [4]], 5, /has a slot with two outcomes between 1970-01-01T00:02/],
      ['a result of no slot', [[1], [2, 5]], 2, /has the result .+, which belongs to no slot/],
      ['a missing end', [[1], [2]], 9, /has no slot after 1970-01-01T00:02/],
      ['a gap where the clock was set back', [[1], [2], [4, 1]], 4, /no slot from 1970-01-01T00:03.+ on, where the/],
    ];
    for (const [what, slots, until, said] of violations) {
      it(`and reject ${what}`, () => assert.throws(() => judged(slots, until), said));
    }
  });

  it('derive windows from local times', () => {
    const nightly = {
      zone: 'Europe/Berlin',
      unit: 'DAY',
      firstStart: '2027-03-27T02:30:00.000',
      firstEnd: '2027-03-27T03:30:00.000',
    } as const;
    const shown = (wall: typeof nightly, days: number): string[] =>
      timesOf(wall, Date.parse(`${wall.firstStart}Z`) + days * 24 * 60 * minute).map(
        ({ from, to }) => `${new Date(from).toISOString().slice(5, 16)} ${new Date(to).toISOString().slice(5, 16)}`,
      );
    // On the 28th clocks go from 2:00 to 3:00: half past two is half past three, and an hour is an hour.
    assert.deepEqual(shown(nightly, 2), [
      '03-27T01:30 03-27T02:30',
      '03-28T01:30 03-28T02:30',
      '03-29T00:30 03-29T01:30',
    ]);
    const monthly = {
      ...nightly,
      unit: 'MONTH',
      firstStart: '2028-01-31T23:00:00.000',
      firstEnd: '2028-02-01T01:00:00.000',
    } as const;
    assert.deepEqual(
      timesOf(monthly, Date.UTC(2028, 3, 1)).map(({ from }) => new Date(from).toISOString().slice(5, 16)),
      ['01-31T22:00', '02-29T22:00', '03-31T21:00'],
    );
  });
});
