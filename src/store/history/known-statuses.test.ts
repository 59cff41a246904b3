// What one reading of statuses knows of another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareStamps, knownOf, type StatePart, withStates } from './known-statuses.ts';

const keys = Array.from({ length: 600 }, (_, index) => index.toString(16).padStart(32, '0'));
const slots = { interval_ms: 60_000, phase_ms: 7, is_active: null };
const checks = keys.map((key, index) => ({
  key,
  name: `check ${index}`,
  created_at: index,
  updated_at: null,
  ...slots,
}));
const passing: StatePart = {
  status: 'passing',
  since: 8,
  last_outcome: 0,
  last_reason: null,
  last_location: 'local',
  last_result_id: null,
  certificate_valid_to: null,
  longest_response_us: 1000,
  shortest_response_us: 500,
  updated_at: 9,
};

function known() {
  const empty = knownOf(checks, { revision: 1, before: undefined, rangeSize: 1000 });
  return withStates(
    empty,
    empty.ranges,
    keys.map((key) => ({ key, stamp: `${key} 1`, state: passing })),
  );
}

function compared(stamps: readonly string[]) {
  const before = known();
  const [range] = before.ranges;
  assert.ok(range !== undefined);
  return compareStamps(before, range, stamps.join('\n'));
}

test('a stamp that is another one tells of its check, in whatever order stamps come', () => {
  const stamps = keys.map((key, index) => `${key} ${index === 7 ? 2 : 1}`).reverse();
  assert.deepEqual([...compared(stamps).changed], [[keys[7], `${keys[7]} 2`]]);
  assert.equal(compared(stamps).isGone, false);
});

test('a state that is gone is noticed, one of a check that is not in the list yet is left to the next reading', () => {
  const stamps = keys.map((key) => `${key} 1`);
  const added = `${'f'.repeat(32)} 1`;
  assert.deepEqual(compared([...stamps, added]), { changed: new Map(), isGone: false });
  assert.equal(compared([...stamps.slice(1), added]).isGone, true);
});

test('pieces without a change stay the same, also when the checks were read anew', () => {
  const before = known();
  const [key = ''] = keys.slice(300);
  const failing = withStates(before, before.ranges, [
    { key, stamp: `${key} 2`, state: { ...passing, status: 'failing' } },
  ]);
  assert.deepEqual(
    failing.pieces.map((piece, index) => piece === before.pieces[index]),
    [true, false, true],
  );
  assert.equal(failing.pieces.flat()[300]?.status, 'failing');
  const renamed = checks.map((check, index) => (index === 599 ? { ...check, name: 'other' } : check));
  const after = knownOf(renamed, { revision: 2, before: failing, rangeSize: 1000 });
  assert.deepEqual(
    after.pieces.map((piece, index) => piece === failing.pieces[index]),
    [true, true, false],
  );
  assert.deepEqual([after.pieces.flat()[300]?.status, after.pieces.flat()[599]?.name], ['failing', 'other']);
});
