// When reports are due, what they cover and what they list.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createReportTotals, lastPeriod, nextReportAt, type ReportedSums, reportQuery } from './account-report.ts';
import { emptyRollUp } from './roll-up.ts';

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

describe('a report', () => {
  for (const [every, timeZone, now, next, from, to] of [
    // A Sunday in Berlin, still Saturday in UTC-time; a Monday before and after 8:00.
    ['week', 'Europe/Berlin', '2026-03-07T23:30Z', '2026-03-09T07:00', '2026-02-22T23:00', '2026-03-01T23:00'],
    ['week', 'Europe/Berlin', '2026-03-09T06:59Z', '2026-03-09T07:00', '2026-03-01T23:00', '2026-03-08T23:00'],
    ['week', 'Europe/Berlin', '2026-03-09T07:00Z', '2026-03-16T07:00', '2026-03-01T23:00', '2026-03-08T23:00'],
    // Clocks change within the week.
    ['week', 'Europe/Berlin', '2026-03-25T12:00Z', '2026-03-30T06:00', '2026-03-15T23:00', '2026-03-22T23:00'],
    // On the day on which the clocks change, and where days begin within an hour of UTC.
    ['month', 'America/New_York', '2026-10-31T12:00Z', '2026-11-01T13:00', '2026-09-01T04:00', '2026-10-01T04:00'],
    ['week', 'Asia/Kolkata', '2026-03-08T18:00Z', '2026-03-09T02:30', '2026-03-01T18:00', '2026-03-08T18:00'],
    ['week', 'Asia/Kolkata', '2026-03-08T17:59Z', '2026-03-09T02:30', '2026-02-22T18:00', '2026-03-01T18:00'],
    ['month', 'UTC', '2026-12-31T23:59Z', '2027-01-01T08:00', '2026-11-01T00:00', '2026-12-01T00:00'],
    ['month', 'America/New_York', '2026-03-01T04:00Z', '2026-03-01T13:00', '2026-01-01T05:00', '2026-02-01T05:00'],
  ] as const) {
    test(`of each ${every} in ${timeZone} at ${now} is due at ${next}`, () => {
      const schedule = { every, timeZone };
      assert.equal(iso(nextReportAt(schedule, at(now))), next);
      const span = lastPeriod(schedule, at(now));
      assert.deepEqual([iso(span.from), iso(span.to)], [from, to]);
    });
  }

  test('adds up all checks and lists the ten that matter', () => {
    const totals = createReportTotals();
    const sums = Array.from({ length: 25 }, (_, index): ReportedSums => {
      const sum = { ...emptyRollUp(), knownMs: 1000, downMs: index, unknownMs: index % 2 === 0 ? 0 : 10 };
      const check = { checkId: `c${index}`, name: `Check ${index}`, checkType: 'API', tags: [] } as const;
      return { check, sum, before: { ...emptyRollUp(), knownMs: 500, downMs: 5 }, incidents: 1 };
    });
    totals.add(sums.slice(0, 12));
    totals.add(sums.slice(12));
    const { checks, total, rows, leastAvailable, slowest, leastKnown } = totals.total(25);
    assert.deepEqual([checks, rows?.length], [25, 25]);
    assert.deepEqual(total, {
      availability: 98.8,
      availabilityBefore: 99,
      downMs: 300,
      unknownMs: 120,
      unknownRatio: 0.4777,
      incidents: 25,
    });
    assert.deepEqual(
      leastAvailable.map(({ checkId }) => checkId),
      Array.from({ length: 10 }, (_, index) => `c${24 - index}`),
    );
    assert.deepEqual([slowest.length, leastKnown.length], [0, 10]);
  });

  test('has an address in the web UI with its range, checks and heading', () => {
    const span = { from: at('2026-03-01T23:00Z'), to: at('2026-03-08T23:00Z') };
    const all = { groupId: null, tags: [], title: null };
    const report = { every: 'week', days: null, timeZone: 'Europe/Berlin', span, ...all } as const;
    assert.equal(reportQuery(report).toString(), 'every=week&at=2026-03-01T23%3A00Z&timezone=Europe%2FBerlin');
    const days = { fromOn: '2026-03-01', toOn: '2026-03-05' };
    const scope = { groupId: 7, tags: ['a', 'b&c'], title: 'Acme' };
    assert.equal(
      reportQuery({ ...report, every: null, days, ...scope }).toString(),
      'fromOn=2026-03-01&toOn=2026-03-05&timezone=Europe%2FBerlin&groupId=7&tag=a&tag=b%26c&title=Acme',
    );
  });
});
