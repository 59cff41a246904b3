// Named spans and calendar periods, in time zones with clock changes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { periodAt, periodsOf, spanOf } from './calendar.ts';

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
