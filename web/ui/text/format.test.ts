// Figures as people read them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exact, percent, withLocalTimes } from './format.ts';

test('a percentage is 100 only if nothing failed, and 0 only if everything did', () => {
  const shown = [1, 0.999999999999, 0.99996, 0.9999, 0.9995, 0.99, 0.5, 0.291, 0.0000001, 0].map(percent);
  const expected = ['100%', '99.99%', '99.99%', '99.99%', '99.95%', '99.00%', '50.00%', '29.10%', '0.00%', '0%'];
  assert.deepEqual(shown, expected);
});

test('a share and the same share from a percentage read the same', () => {
  for (let tenths = 0; tenths <= 100_000; tenths += 7) {
    assert.equal(percent(tenths / 1000 / 100), percent(tenths / 100_000), String(tenths));
  }
});

test('times in a message read as the other times of the page', () => {
  const at = '2026-03-29T01:00:00.000Z';
  assert.equal(withLocalTimes(`continues at ${at}.`), `continues at ${exact(Date.parse(at))}.`);
  assert.equal(
    withLocalTimes('at 2026-99-29T01:00:00.000Z, on 2026-03-29'),
    'at 2026-99-29T01:00:00.000Z, on 2026-03-29',
  );
});
