// Which channels hear that another one fails.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ActiveHours } from './active-hours.ts';
import { reportRecipients, type ReportCandidate } from './report-recipients.ts';

const night = Date.UTC(2026, 2, 10, 3);
const failing = 1;
const byDay = (otherChannelId: number | null): ActiveHours => ({
  timeZone: 'UTC',
  periods: [{ days: ['MON', 'TUE', 'WED', 'THU', 'FRI'], from: '08:00', to: '18:00' }],
  outside: otherChannelId === null ? 'WAIT' : 'OTHER_CHANNEL',
  otherChannelId,
});
const channel = (id: number, more: Partial<ReportCandidate> = {}): ReportCandidate => ({
  id,
  isSubscribed: false,
  isFailing: false,
  activeHours: null,
  ...more,
});
const chosen = (...candidates: readonly ReportCandidate[]) => reportRecipients(candidates, failing, night);

it('the channels of the same check send the report, else the others of the account', () => {
  const [two, three] = [channel(2, { isSubscribed: true }), channel(3)];
  assert.deepEqual(chosen(two, three), [[2], [3]]);
  assert.deepEqual(chosen({ ...two, isFailing: true }, three), [[3], [2]]);
});

it('a channel that waits until morning, or sends through the failing one, sends no report in the night', () => {
  const three = channel(3);
  for (const other of [null, failing, 4]) {
    const two = channel(2, { isSubscribed: true, activeHours: byDay(other) });
    assert.deepEqual(chosen(two, three, channel(4, { isFailing: true })), [[3], [2], [4]], `${other}`);
  }
  assert.deepEqual(chosen(channel(2, { isSubscribed: true, activeHours: byDay(3) }), three), [[2], [3]]);
});

it('a late or doubtful report is better than none', () => {
  const later = channel(2, { activeHours: byDay(null) });
  assert.deepEqual(chosen(later, channel(3, { isFailing: true })), [[2], [3]]);
  assert.deepEqual(chosen(channel(2, { isFailing: true }), channel(3, { isFailing: true })), [[2, 3]]);
  assert.deepEqual(chosen(), []);
});
