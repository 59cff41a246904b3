// Values read from packed details.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { phasesIn, statusIn } from './measured.ts';
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

  it('is missing in anything but a list, in a list without one, and in nothing', () => {
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

  it('is not read from truncated details', () => {
    assert.throws(() => statusIn(digitsOf([200]).slice(0, 6)), /cut off/);
  });
});

describe('the phases in packed details', () => {
  const both = (details: JsonValue) => {
    const digits = digitsOf(details);
    assert.deepEqual(phasesIn(digits.toUpperCase()), phasesIn(digits));
    return phasesIn(digits);
  };

  it('are found in a list by position, with the optional wait, whatever stands between', () => {
    assert.deepEqual(both([200, '203.0.113.17', 600, 21_000, 44_000, 120_000, 127]), [0, 600, 21_000, 120_000, 127]);
    const odd: JsonValue[] = [-5, 0.5, true, null, 'x'.repeat(40), Array.from({ length: 20 }, () => 1), { a: ['7'] }];
    for (const each of odd) {
      const details = [200, each, 1, 2, 3, 4, 5, each, each, [each, each], { t: each, r: [each], w: 128, p: [3, 0] }];
      assert.deepEqual(both(details), [128, 1, 2, 4, 5], JSON.stringify(each));
    }
    assert.deepEqual(both([200]), [0, 0, 0, 0, 0]);
  });

  it('are found in an object by name', () => {
    const p = { dns: 128, tcp: 300, tls: 7, revocation: 9 };
    assert.deepEqual(both({ a: '2001:db8::1', p, r: 5, f: { p: { dns: 1 } } }), [
      undefined,
      128,
      300,
      undefined,
      undefined,
    ]);
    assert.deepEqual(both({ signal: 'fail', exitCode: 3, userAgent: 'y'.repeat(300) }), []);
    assert.ok(both({ p: 7 }).every((us) => us === undefined));
    assert.deepEqual([phasesIn(null), phasesIn(''), both(null), both('text'), both(5)], [[], [], [], [], []]);
  });

  it('are not read from truncated details', () => {
    const digits = digitsOf([200, '203.0.113.17', 600, 21_000]);
    for (const length of [2, 6, 14, 20, digits.length - 2]) {
      assert.throws(() => phasesIn(digits.slice(0, length)), /cut off/, String(length));
    }
  });
});
