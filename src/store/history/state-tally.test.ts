// What a few stamps and a tally of all tell of the states of an account.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownOf, type StatePart, withStates } from './known-statuses.ts';
import { changedBy, tallyOf } from './state-tally.ts';

const keys = Array.from({ length: 5 }, (_, index) => index.toString(16).padStart(32, '0'));
const state = { status: 'passing', last_outcome: 0, updated_at: 9 } as StatePart;
const at = 1_790_000_000_000;
const before = keys.map((key, index) => `${key}-${index + 10} ${at + index}`);

function known() {
  const checks = keys.map((key) => ({
    key,
    name: 'check',
    created_at: 1,
    updated_at: null,
    interval_ms: null,
    phase_ms: null,
    is_active: 1,
  }));
  const empty = knownOf(checks, { revision: 1, before: undefined, rangeSize: 10 });
  const changes = before.map((stamp, index) => ({ key: keys[index] ?? '', stamp, state }));
  return withStates(empty, empty.ranges, changes);
}

/** What is told when these are the stamps of all, and `told` the lines that came. */
function told(stamps: readonly string[], lines: readonly string[]) {
  const stampText = lines.length === 0 ? null : lines.join('\n');
  return changedBy(known(), tallyOf(before.join('\n')), { ...tallyOf(stamps.join('\n')), stamps: stampText });
}

test('while the tally is the same nothing has changed, and stamps that are known tell nothing', () => {
  for (const lines of [[], before]) assert.deepEqual([...(told(before, lines)?.changed ?? [['?', '?']])], []);
});

test('a state that changed is told by its stamp when it accounts for the whole difference', () => {
  const [first = '', ...rest] = before;
  const [key = ''] = keys;
  for (const changed of [`${key}-99 ${at}`, `${key}-10 ${at + 5}`, `${key}-99 `]) {
    const answer = told([changed, ...rest], [changed, ...rest.slice(2)]);
    assert.deepEqual([...(answer?.changed ?? [])], [[key, changed]]);
    assert.deepEqual(answer?.tally, tallyOf([changed, ...rest].join('\n')));
    assert.equal(told([changed, ...rest], [first]), null);
    assert.equal(told([changed, ...rest], []), null);
  }
});

test('a state that is gone, or of a check that is not known, has all of them read', () => {
  const added = `${'f'.repeat(32)}-99 ${at}`;
  assert.equal(told(before.slice(1), []), null);
  assert.equal(told([...before, added], []), null);
  assert.equal(told([...before, added], [added]), null);
});
