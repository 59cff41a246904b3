// Messages of heartbeat results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Heartbeat, Overdue } from '#domain/checks/heartbeat.ts';
import { overdueFinding } from './finding.ts';

const at = Date.UTC(2026, 10, 26, 12, 34, 57, 200);
const heartbeat: Heartbeat = {
  accountId: 'a',
  checkId: 'c',
  isActive: true,
  periodMs: 30_000,
  graceMs: 10_000,
  dueAt: at,
  timerAt: at - 40_000,
  pingedAt: at - 40_000,
  startedAt: null,
  resultAt: null,
  isPassing: true,
  isExcused: false,
};
const failed: Overdue = { outcome: 'failed', at, intervalMs: 40_000, excuse: null };
const messageOf = (change: Partial<Heartbeat>, overdue: Partial<Overdue> = {}, timeZone = 'UTC'): string | null => {
  const changed = { ...heartbeat, ...change };
  return overdueFinding(changed, { ...failed, ...overdue }, changed.timerAt, timeZone).message;
};

test('shows the last ping, the period and the grace', () => {
  assert.equal(messageOf({}), 'no ping since 12:34:17 UTC; expected every 30 s, 10 s grace');
  assert.equal(messageOf({ graceMs: 0, periodMs: 90 * 60_000 }), 'no ping since 12:34:17 UTC; expected every 90 min');
  assert.equal(
    messageOf({ pingedAt: at - 86_400_000, periodMs: 86_400_000, graceMs: 7_200_000 }),
    'no ping since 2026-11-25 12:34:57 UTC; expected every 1 day, 2 h grace',
    'the ping, not the restart of the timer; with its date on another day',
  );
  assert.equal(
    messageOf({ pingedAt: at }),
    'no ping since 12:34:17 UTC; expected every 30 s, 10 s grace',
    'a ping after the deadline is not the last one before it',
  );
  assert.equal(messageOf({ pingedAt: null }), 'no ping since 12:34:17 UTC; expected every 30 s, 10 s grace');
});

test('shows when and how long pings could not be received', () => {
  const excuse = { from: at - 60_000, to: at, ms: 9000 };
  assert.equal(
    messageOf({}, { outcome: 'unknown', excuse }),
    'inconclusive: Tocsin could not receive pings for 9 s in total from 2026-11-26 12:33:57 UTC to ' +
      '2026-11-26 12:34:57 UTC; the deadline is extended by one period',
  );
});

test('times are in the zone of the account, with the date where that is another day', () => {
  assert.equal(messageOf({}, {}, 'Europe/Berlin'), 'no ping since 13:34:17 CET; expected every 30 s, 10 s grace');
  const midnight = Date.UTC(2026, 9, 24, 22);
  assert.equal(
    messageOf({ timerAt: midnight - 1000, pingedAt: null }, { at: midnight }, 'Europe/Berlin'),
    'no ping since 2026-10-24 23:59:59 CEST; expected every 30 s, 10 s grace',
  );
});
