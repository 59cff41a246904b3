// The calendar month that an execution limit holds for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { monthEnd, monthStart } from './account.ts';

describe('the UTC calendar month of an instant', () => {
  const rows: readonly [at: string, from: string, to: string][] = [
    ['2026-03-10T12:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['2026-02-28T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ];
  for (const [at, from, to] of rows) {
    it(`of ${at} is ${from} up to, without, ${to}`, () => {
      assert.equal(new Date(monthStart(Date.parse(at))).toISOString(), from);
      assert.equal(new Date(monthEnd(Date.parse(at))).toISOString(), to);
    });
  }
});
