// When channels with active hours send, across midnight, weekends and clock changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActiveHours, activeFrom, type Weekday } from './active-hours.ts';

const workdays: readonly Weekday[] = ['MON', 'TUE', 'WED', 'THU', 'FRI'];

function hours(from: string, to: string, days: readonly Weekday[] = workdays, timeZone = 'Europe/Berlin'): ActiveHours {
  return { timeZone, periods: [{ days, from, to }], outside: 'WAIT', otherChannelId: null };
}

const next = (active: ActiveHours, now: string): string => new Date(activeFrom(active, Date.parse(now))).toISOString();

test('sends at once within the hours, from the first minute to before the last', () => {
  const office = hours('08:00', '18:00');
  for (const now of ['2026-11-27T07:00:00.000Z', '2026-11-27T12:00:00.000Z', '2026-11-27T16:59:59.999Z']) {
    assert.equal(next(office, now), now);
  }
});

test('waits for the next morning, and over a weekend for Monday', () => {
  const office = hours('08:00', '18:00');
  assert.equal(next(office, '2026-11-26T17:00:00.000Z'), '2026-11-27T07:00:00.000Z');
  assert.equal(next(office, '2026-11-27T17:00:00.000Z'), '2026-11-30T07:00:00.000Z');
  assert.equal(next(hours('08:00', '18:00', ['THU']), '2026-11-26T20:00:00.000Z'), '2026-12-03T07:00:00.000Z');
});

test('continues over midnight if the end is not after the start', () => {
  const night = hours('22:00', '06:00', ['SUN']);
  assert.equal(next(night, '2026-11-30T04:59:00.000Z'), '2026-11-30T04:59:00.000Z', 'Monday 05:59 in Berlin');
  assert.equal(next(night, '2026-11-30T05:00:00.000Z'), '2026-12-06T21:00:00.000Z');
  const always = hours('00:00', '24:00', ['SUN', ...workdays, 'SAT']);
  assert.equal(next(always, '2026-11-29T23:30:00.000Z'), '2026-11-29T23:30:00.000Z');
});

test('follows daylight saving time', () => {
  const sunday = hours('02:30', '04:00', ['SUN']);
  // 02:30 does not exist on this day: 02:00 CET is followed by 03:00 CEST.
  assert.equal(next(sunday, '2026-03-29T00:00:00.000Z'), '2026-03-29T01:30:00.000Z');
  // 02:30 exists twice on this day: the period starts with the first, at UTC+2.
  assert.equal(next(sunday, '2026-10-25T00:00:00.000Z'), '2026-10-25T00:30:00.000Z');
  assert.equal(
    next(hours('08:00', '18:00', workdays, 'America/New_York'), '2026-11-02T05:00:00.000Z'),
    '2026-11-02T13:00:00.000Z',
  );
});

test('a period that a clock change skips up to its end is shifted whole', () => {
  const now = Date.parse('2026-03-28T12:00:00Z');
  for (const [from, to, startsAt] of [
    ['02:00', '03:00', '2026-03-29T01:00:00Z'],
    ['02:30', '03:15', '2026-03-29T01:30:00Z'],
  ] as const) {
    const periods = [{ days: ['SUN'], from, to }] as const;
    const hours = { timeZone: 'Europe/Berlin', periods, outside: 'WAIT', otherChannelId: null } as const;
    const found = activeFrom(hours, now);
    assert.equal(found, Date.parse(startsAt));
    assert.equal(activeFrom(hours, found), found, 'it is active when it said it would be');
  }
});
