// Calendar months of execution limits.
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { LimitReachedError, monthEnd, monthStart } from './account.ts';

describe('the UTC calendar month of an instant', () => {
  const rows: readonly [at: string, from: string, to: string][] = [
    ['2026-03-10T12:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['2026-02-28T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ];
  for (const [at, from, to] of rows) {
    it(`of ${at} lasts from ${from} until ${to}`, () => {
      assert.equal(new Date(monthStart(Date.parse(at))).toISOString(), from);
      assert.equal(new Date(monthEnd(Date.parse(at))).toISOString(), to);
    });
  }
});

test('a reached limit is reported with the numbers and who can raise it', () => {
  assert.equal(
    new LimitReachedError('checks', 1000, 1000).message,
    '1,000 of 1,000 checks used. Delete some, or ask an operator to raise limits.checks of this account.',
  );
  assert.match(new LimitReachedError('apiKeys', 1, 1).message, /^1 of 1 API keys used/);
});
