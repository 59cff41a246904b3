// When the failure of a needed check suppresses an alert: while somebody is notified of it, and a moment longer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type CheckState, newCheckState, type StateRules } from '../checks/check-state.ts';
import {
  escalationDueAt,
  type FailureMessage,
  isNotifiedBy,
  type NeededCheck,
  recoveryAfter,
  suppressionOf,
} from './suppression.ts';

const [now, minute] = [100_000_000, 60_000];
const failure = { startedAt: now, everyMs: minute };

/** A failing check that somebody was notified of. */
function needed(change: Partial<NeededCheck> = {}): NeededCheck {
  return {
    checkId: 'd',
    name: 'Database',
    isActive: true,
    status: 'failing',
    judgedAt: now,
    everyMs: minute,
    escalatesUntil: null,
    recoveredAt: null,
    isNotified: true,
    needs: [],
    ...change,
  };
}

/** What suppresses the failure of a check that needs all of these, unless it names others. */
function suppressed(
  checks: readonly NeededCheck[],
  change: Partial<typeof failure> & { needs?: string[]; at?: number } = {},
) {
  const { needs = checks.map(({ checkId }) => checkId), at = now, ...own } = change;
  const find = (id: string): NeededCheck | null => checks.find(({ checkId }) => checkId === id) ?? null;
  return suppressionOf(needs, { ...failure, ...own }, find, at);
}

const byDatabase = { checkId: 'd', name: 'Database', until: null };

describe('a failing check suppresses', () => {
  it('while somebody was notified of it, and nothing that is deactivated, deleted or silent', () => {
    assert.deepEqual(suppressed([needed()]), byDatabase);
    assert.equal(suppressed([needed({ isNotified: false })]), null);
    assert.equal(suppressed([needed({ isActive: false })]), null);
    assert.equal(suppressed([], { needs: ['d'] }), null);
    assert.equal(suppressed([needed({ status: 'degraded' })]), null);
    const everyTen = { everyMs: 10 * minute };
    assert.notEqual(suppressed([needed({ ...everyTen, judgedAt: now - 30 * minute })]), null);
    assert.equal(suppressed([needed({ ...everyTen, judgedAt: now - 30 * minute - 1 })]), null);
    assert.notEqual(suppressed([needed({ everyMs: 10_000, judgedAt: now - 5 * minute })]), null, 'five minutes');
    assert.equal(suppressed([needed({ everyMs: 10_000, judgedAt: now - 5 * minute - 1 })]), null);
  });

  it('while its escalation runs, until it is due', () => {
    const escalating = needed({ isNotified: false, escalatesUntil: now + 1000 });
    assert.deepEqual(suppressed([escalating]), { ...byDatabase, until: now + 1000 });
    assert.equal(suppressed([escalating], { at: now + 1000 }), null);
  });

  it('by the checks that it needs itself, along chains and diamonds, and by one of many', () => {
    const api = needed({ checkId: 'a', name: 'API', isNotified: false, needs: ['d'] });
    const web = needed({ checkId: 'w', name: 'Web', isNotified: false, needs: ['a', 'd'] });
    const calm = needed({ checkId: 'c', status: 'passing', isNotified: false });
    assert.deepEqual(suppressed([api, needed()], { needs: ['a'] }), byDatabase);
    assert.deepEqual(suppressed([web, api, needed()], { needs: ['w', 'a'] }), byDatabase);
    assert.deepEqual(suppressed([calm, api, needed()], { needs: ['c', 'a'] }), byDatabase);
    assert.equal(suppressed([api, needed({ isNotified: false })], { needs: ['a'] }), null);
    assert.equal(suppressed([{ ...api, status: 'passing' }, needed()], { needs: ['a'] }), null, 'it works without it');
    assert.equal(suppressed([{ ...api, isActive: false }, needed()], { needs: ['a'] }), null);
    const circle = [needed({ isNotified: false, needs: ['a'] }), api];
    assert.equal(suppressed(circle), null);
  });

  it('never by more checks than are read, however they depend on each other', () => {
    const many = Array.from({ length: 2000 }, (_, index) =>
      needed({
        checkId: `${index}`,
        isNotified: false,
        needs: Array.from({ length: 10 }, (_each, at) => `${index + at + 1}`),
      }),
    );
    let reads = 0;
    const find = (id: string): NeededCheck | null => {
      reads++;
      return many[Number(id)] ?? null;
    };
    assert.equal(suppressionOf(['0'], failure, find, now), null);
    assert.ok(reads <= 5010, `${reads} reads`);
  });
});

describe('a check that recovered suppresses', () => {
  const recovered = (recoveredAt: number, change: Partial<NeededCheck> = {}): NeededCheck =>
    needed({ status: 'passing', recoveredAt, ...change });
  const by = (until: number) => ({ ...byDatabase, until });

  it('for an interval of the dependent, at most five minutes, if somebody was notified of its failure', () => {
    const at = now - minute;
    assert.deepEqual(suppressed([recovered(at + 1)]), by(now + 1));
    assert.equal(suppressed([recovered(at)]), null);
    const daily = { everyMs: 1440 * minute };
    assert.deepEqual(suppressed([recovered(now - 5 * minute + 1)], daily), by(now + 1));
    assert.equal(suppressed([recovered(now - 5 * minute)], daily), null);
    assert.equal(suppressed([recovered(now - 1, { isNotified: false })]), null);
    assert.equal(suppressed([recovered(now + 1)]), null, 'the clock was set back');
    assert.equal(suppressed([needed({ status: 'passing' })]), null);
  });

  it('until a run that began after the recovery has ended, at most five minutes', () => {
    const recoveredAt = now - minute;
    assert.deepEqual(suppressed([recovered(recoveredAt)], { startedAt: recoveredAt }), by(recoveredAt + 5 * minute));
    assert.equal(suppressed([recovered(recoveredAt)], { startedAt: recoveredAt + 1 }), null);
    assert.equal(suppressed([recovered(now - 5 * minute)], { startedAt: 0 }), null);
  });

  it('the dependents of a dependent a little longer, which is alerted first', () => {
    const api = needed({ checkId: 'a', isNotified: false, needs: ['d'], judgedAt: now });
    const chain = [api, recovered(now - minute)];
    assert.equal(suppressed([recovered(now - minute)]), null);
    assert.notEqual(suppressed(chain, { needs: ['a'] }), null);
    assert.equal(suppressed(chain, { needs: ['a'], at: now + 30_000 }), null);
  });
});

const state: CheckState = {
  ...newCheckState,
  status: 'failing',
  failingSince: now,
  position: { at: now, startedAt: now },
  failedInARow: 1,
};
const runs = (count: number): StateRules => ({
  escalation: { type: 'RUN_BASED', runs: count },
  isMuted: false,
  reminders: null,
  parallel: null,
});

it('an escalation is due after its runs or minutes, and does not run while muted, passing or alerted', () => {
  assert.equal(escalationDueAt(state, runs(3), minute), now + 2.5 * minute);
  assert.equal(
    escalationDueAt(
      { ...state, failedInARow: 2, position: { at: now + minute, startedAt: now + minute } },
      runs(3),
      minute,
    ),
    now + 2.5 * minute,
  );
  assert.equal(escalationDueAt(state, runs(1), 10_000), now + 10_000);
  const timed: StateRules = { ...runs(1), escalation: { type: 'TIME_BASED', ms: 5 * minute } };
  assert.equal(escalationDueAt(state, timed, minute), now + 5.5 * minute);
  assert.equal(escalationDueAt(state, { ...runs(3), isMuted: true }, minute), null);
  assert.equal(escalationDueAt({ ...state, alerted: 'failing' }, runs(3), minute), null);
  assert.equal(escalationDueAt({ ...state, status: 'passing' }, runs(3), minute), null);
});

it('somebody is notified of a failure by a delivery that arrived or will soon, not by one that ended or waits for hours', () => {
  const isNotified = (change: Partial<FailureMessage>, since = now): boolean => {
    const message = { status: 'pending', nextAttemptAt: now, createdAt: now, quotaWaitsSince: null } as const;
    return isNotifiedBy([{ ...message, ...change }], since, now);
  };
  for (const status of ['pending', 'delivered', 'collecting', 'superseded'] as const)
    assert.ok(isNotified({ status }), status);
  for (const status of ['exhausted', 'refused', 'failed', 'cancelled'] as const)
    assert.ok(!isNotified({ status }), status);
  assert.ok(isNotified({ nextAttemptAt: now + 5 * minute }));
  assert.ok(!isNotified({ nextAttemptAt: now + 5 * minute + 1 }), 'it waits for active hours or a late retry');
  assert.ok(!isNotified({ quotaWaitsSince: now - 5 * minute - 1 }), 'it waits for a quota');
  assert.ok(!isNotified({ status: 'delivered' }, now + 1), 'it is about an earlier failure');
  assert.ok(!isNotifiedBy([], now, now));
});

describe('the recovery that dependents wait after', () => {
  const none = { recoveredAt: null, failedFrom: null };
  const failed = (from: number, alerted: CheckState['alerted'] = 'failing'): CheckState => ({
    ...state,
    alerted,
    failingSince: from,
  });
  const passing = { status: 'passing' } as const;

  it('is the end of a failure that was alerted or suppressed', () => {
    const told = { recoveredAt: now, failedFrom: now - minute };
    assert.deepEqual(recoveryAfter(none, failed(now - minute), passing, false, now), told);
    assert.deepEqual(recoveryAfter(none, failed(now - minute, null), passing, true, now), {
      ...told,
      failedFrom: null,
    });
    assert.deepEqual(recoveryAfter(none, failed(now - minute, null), passing, false, now), none, 'one blip');
    assert.deepEqual(recoveryAfter(told, failed(now), { status: 'failing' }, false, now), told);
    assert.deepEqual(recoveryAfter(told, newCheckState, passing, false, now), told);
  });

  it('is not renewed by a flap', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1000, max: 4 * minute }), { minLength: 2, maxLength: 60 }), (lengths) => {
        let [at, recovery] = [now, recoveryAfter(none, failed(now - minute), passing, false, now)];
        // A dependent that fails all the time, once a day.
        let isReleased = false;
        for (const [index, length] of lengths.entries()) {
          const start = at;
          at += length;
          const isPassing = index % 2 === 0;
          const { recoveredAt } = recovery;
          const until = (recoveredAt ?? 0) + 5 * minute;
          if (isPassing && at > until) isReleased ||= start < at;
          if (!isPassing) recovery = recoveryAfter(recovery, failed(start), passing, false, at);
          if (isReleased) return;
        }
        assert.ok(at - now <= 5 * minute + 5 * minute, `hidden for ${at - now} ms`);
      }),
    );
  });

  it('is renewed by a longer failure, and by one after a calm', () => {
    const before = { recoveredAt: now, failedFrom: now - minute };
    const long = recoveryAfter(before, failed(now + 1000), passing, false, now + 1000 + 5 * minute);
    assert.equal(long.recoveredAt, now + 1000 + 5 * minute);
    const late = recoveryAfter(before, failed(now + 6 * minute), passing, false, now + 7 * minute);
    assert.equal(late.recoveredAt, now + 7 * minute);
    const flap = recoveryAfter(before, failed(now + 6 * minute - 1), passing, false, now + 7 * minute);
    assert.deepEqual(flap, before);
  });
});
