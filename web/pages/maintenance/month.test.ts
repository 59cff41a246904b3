// A month of the calendar of maintenance, across clock changes and borders of days.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calendarMonth, monthText, partsByDay, shifted } from './month.ts';

const occurrence = (startsAt: string, endsAt: string) => ({
  windowId: 1,
  name: 'Upgrade',
  startsAt,
  endsAt,
  skipped: false,
  endedAt: null,
});

describe('a month of the calendar', () => {
  it('has the weeks from Monday to Sunday that contain its days, in its zone', () => {
    const march = calendarMonth('2026-03', 'Europe/Berlin');
    assert.equal(march.weeks.length, 6);
    assert.deepEqual(march.query, { from: '2026-02-22T23:00:00.000Z', to: '2026-04-05T22:00:00.000Z' });
    assert.equal(march.weeks.flat().filter(march.isInMonth).length, 31);
    assert.equal(calendarMonth('2027-02', 'UTC').weeks.length, 4, 'a February from Monday to Sunday');
    assert.deepEqual([shifted('2026-12', 1), shifted('2026-01', -1)], ['2027-01', '2025-12']);
    assert.equal(monthText(Date.parse('2026-03-31T22:30:00Z'), 'Europe/Berlin'), '2026-04');
  });

  it('shows an occurrence on each of its days, with the local time at which it begins and ends', () => {
    const march = calendarMonth('2026-03', 'Europe/Berlin');
    const parts = partsByDay(
      [
        occurrence('2026-03-28T22:00:00Z', '2026-03-30T02:00:00Z'),
        occurrence('2020-01-01T00:00:00Z', '2026-02-23T23:00:00Z'),
      ],
      march,
      'Europe/Berlin',
    );
    const shown = [...parts].flatMap(([day, all]) =>
      all.map(({ when }) => `${new Date(day * 86_400_000).toISOString().slice(5, 10)} ${when}`),
    );
    assert.deepEqual(shown, ['02-23 all day', '03-28 23:00', '03-29 all day', '03-30 until 04:00']);
  });
});
