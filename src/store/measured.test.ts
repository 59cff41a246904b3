// What is read out of packed details is what was packed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusIn } from './measured.ts';
import { packed } from './packed.ts';
import type { JsonValue } from '#domain/json.ts';

const digitsOf = (details: JsonValue): string => Buffer.from(packed(details)).toString('hex');

describe('the status code in packed details', () => {
  it('is the first number of a list, whatever follows', () => {
    for (const status of [100, 127, 128, 200, 404, 599, 999]) {
      for (const rest of [[], ['203.0.113.17', 11_400, 22_800], [0, 0, 0, 0, 0, 0, 0, 0, [[1, 2]], { t: 'Sure' }]]) {
        const digits = digitsOf([status, ...rest]);
        assert.equal(statusIn(digits), status, digits);
        assert.equal(statusIn(digits.toUpperCase()), status, digits);
      }
    }
  });

  it('is none of what is no list, of a list without one, and of nothing', () => {
    const others: JsonValue[] = [
      [],
      [0, 0, 5],
      ['200'],
      [null],
      [-200],
      [200.5],
      { p: { dns: 200 } },
      'text',
      200,
      null,
    ];
    for (const details of others) assert.equal(statusIn(digitsOf(details)), 0, JSON.stringify(details));
    assert.equal(statusIn(null), 0);
    assert.equal(statusIn(''), 0);
  });

  it('is not made up of one that is cut off', () => {
    assert.throws(() => statusIn(digitsOf([200]).slice(0, 6)), /cut off/);
  });
});
