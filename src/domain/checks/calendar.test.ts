// Named spans and calendar periods, in time zones with clock changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { daysBefore, periodAt, periodBefore, periodsOf, spanOf, spanOfDays } from './calendar.ts';

const at = (text: string): number => Date.parse(text);
const text = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
// A Wednesday.
const now = at('2026-03-11T09:30:00Z');

describe('a named span', () => {
  it('ends now, or is the week from Monday or the month', () => {
    const spans = (['last24Hours', 'last7Days', 'thisWeek', 'lastWeek', 'thisMonth', 'lastMonth'] as const).map(
      (range) => [spanOf(range, now).from, spanOf(range, now).to].map(text).join(' '),
    );
    assert.deepEqual(spans, [
      '2026-03-10T09:30 2026-03-11T09:30',
      '2026-03-04T09:30 2026-03-11T09:30',
      '2026-03-09T00:00 2026-03-11T09:30',
      '2026-03-02T00:00 2026-03-09T00:00',
      '2026-03-01T00:00 2026-03-11T09:30',
      '2026-02-01T00:00 2026-03-01T00:00',
    ]);
  });

  it('begins according to the requested time zone', () => {
    assert.equal(text(spanOf('thisMonth', now, 'America/New_York').from), '2026-03-01T05:00');
    assert.equal(text(spanOf('thisWeek', now, 'Europe/Berlin').from), '2026-03-08T23:00');
  });
});

describe('the periods of a span', () => {
  it('are contiguous, even when the clocks change', () => {
    const span = { from: at('2026-03-27T12:00:00Z'), to: at('2026-03-30T12:00:00Z') };
    const days = periodsOf(span, 'day', 'Europe/Berlin');
    assert.deepEqual(
      days.map(({ from }) => text(from)),
      ['2026-03-27T12:00', '2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00'],
    );
    assert.equal(days.at(-1)?.to, span.to);
  });

  it('contain the full hour at which they begin in a zone with a half-hour offset', () => {
    const from = Date.parse('2026-03-08T18:00:00Z');
    const week = { from, to: from + 7 * 24 * 3_600_000 };
    assert.deepEqual(periodAt('week', from, 'Asia/Kolkata'), week);
    assert.deepEqual(periodAt('week', week.to - 1, 'Asia/Kolkata'), week);
    assert.equal(periodAt('week', from - 1, 'Asia/Kolkata').to, from);
  });

  it('begin at full hours in a zone with a half-hour offset', () => {
    const span = { from: at('2026-01-30T00:00:00Z'), to: at('2026-02-02T00:00:00Z') };
    const months = periodsOf(span, 'month', 'Asia/Kolkata');
    assert.deepEqual(
      months.map(({ from, to }) => [from, to].map(text).join(' ')),
      ['2026-01-30T00:00 2026-01-31T18:00', '2026-01-31T18:00 2026-02-02T00:00'],
    );
  });
});

describe('calendar days', () => {
  it('are a time span in a zone, even when the clocks change', () => {
    const { from, to } = spanOfDays({ fromOn: '2026-03-28', toOn: '2026-03-29' }, 'Europe/Berlin');
    assert.deepEqual([text(from), text(to)], ['2026-03-27T23:00', '2026-03-29T22:00']);
  });

  it('have as many days before them', () => {
    assert.deepEqual(daysBefore({ fromOn: '2026-03-01', toOn: '2026-03-03' }), {
      fromOn: '2026-02-26',
      toOn: '2026-02-28',
    });
    assert.deepEqual(daysBefore({ fromOn: '2026-01-01', toOn: '2026-01-01' }), {
      fromOn: '2025-12-31',
      toOn: '2025-12-31',
    });
  });
});

describe('quarters and years', () => {
  for (const [period, day, from, to] of [
    ['quarter', '2026-05-31T12:00:00Z', '2026-03-31T22:00', '2026-06-30T22:00'],
    ['quarter', '2026-12-31T22:59:00Z', '2026-09-30T22:00', '2026-12-31T23:00'],
    ['year', '2026-05-31T12:00:00Z', '2025-12-31T23:00', '2026-12-31T23:00'],
  ] as const) {
    it(`contain ${day}: the ${period} from ${from}`, () => {
      const found = periodAt(period, at(day), 'Europe/Berlin');
      assert.deepEqual([text(found.from), text(found.to)], [from, to]);
      assert.equal(periodBefore(found.from, period, 'Europe/Berlin').to, found.from);
    });
  }

  it('follow each other', () => {
    const { from } = periodBefore(at('2026-01-01T00:00:00Z'), 'quarter', 'UTC');
    assert.equal(text(from), '2025-10-01T00:00');
  });
});
