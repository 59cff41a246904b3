// Random and derived identifiers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { derivedId, derivedIdBytes, isUuid, newId, newIdAt } from './id.ts';

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const instants = fc.integer({ min: 0, max: 2 ** 48 - 1 });

describe('a derived id', () => {
  it('is a UUID of version 7 and the standard variant, for every time and text', () => {
    fc.assert(
      fc.property(instants, fc.array(fc.string()), (at, parts) => {
        const id = derivedId(at, ...parts);
        assert.match(id, version7);
        assert.ok(isUuid(id));
      }),
    );
  });

  it('is the same for the same time and parts, and changes with any of them', () => {
    const at = Date.UTC(2026, 2, 10);
    const id = derivedId(at, 'check', 'local');
    assert.equal(derivedId(at, 'check', 'local'), id);
    const others = [
      derivedId(at + 1, 'check', 'local'),
      derivedId(at, 'check', 'paris'),
      derivedId(at, 'chec', 'klocal'),
      derivedId(at, 'checklocal'),
      derivedId(at, 'check', 'local', 1),
      derivedId(at, 'local', 'check'),
    ];
    assert.equal(new Set([id, ...others]).size, 7);
  });

  it('does not change between versions', () => {
    assert.equal(derivedId(1_773_144_000_000, 'check', 'local'), '019cd79e-4600-7675-a473-6b9e306f6780');
    assert.equal(
      derivedIdBytes(1_773_144_000_000, 'check', 'local').toString('hex'),
      '019cd79e-4600-7675-a473-6b9e306f6780'.replaceAll('-', ''),
    );
  });

  it('sorts by its time, as text', () => {
    fc.assert(
      fc.property(instants, instants, fc.string(), fc.string(), (one, other, a, b) => {
        fc.pre(one !== other);
        assert.equal(derivedId(one, a) < derivedId(other, b), one < other);
      }),
    );
  });

  it('ignores fractions of a millisecond', () => {
    assert.equal(derivedId(1000.7, 'a'), derivedId(1000, 'a'));
  });
});

describe('a new id', () => {
  it('is a unique UUID of version 7', () => {
    const ids = Array.from({ length: 1000 }, newId);
    assert.equal(new Set(ids).size, 1000);
    for (const id of ids) assert.match(id, version7);
  });

  it('sorts by time among derived ones', () => {
    const before = derivedId(Date.now() - 1, 'x');
    const id = newId();
    assert.ok(before < id && id < derivedId(Date.now() + 1, 'x'));
  });
});

describe('the shape of a UUID', () => {
  for (const [text, is] of [
    ['3f0c9a52-7d1e-4c58-9b11-6f2f0f6a4b27', true],
    ['3F0C9A52-7D1E-4C58-9B11-6F2F0F6A4B27', true],
    ['3f0c9a527d1e4c589b116f2f0f6a4b27', false],
    ['3f0c9a52-7d1e-4c58-9b11-6f2f0f6a4b2g', false],
    [' 3f0c9a52-7d1e-4c58-9b11-6f2f0f6a4b27', false],
    ['3f0c9a52-7d1e-4c58-9b11-6f2f0f6a4b27\n', false],
    ['', false],
  ] as const) {
    it(`is ${is ? '' : 'not '}that of ${JSON.stringify(text)}`, () => assert.equal(isUuid(text), is));
  }
});

it('consecutive ids sort in the order of their creation', () => {
  const ids = Array.from({ length: 1000 }, () => newId());
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => isUuid(id) && id.charAt(14) === '7' && '89ab'.includes(id.charAt(19))));
});

describe('an id for a given time', () => {
  it('is a UUID of version 7 of that time', () => {
    fc.assert(
      fc.property(instants, (at) => {
        assert.match(newIdAt(at), version7);
        assert.equal(Number.parseInt(newIdAt(at).replace('-', '').slice(0, 12), 16), at);
      }),
    );
  });

  it('sorts after earlier ones for the same time, for a hundred thousand of them', () => {
    const ids = Array.from({ length: 100_000 }, () => newIdAt(1_773_144_000_000));
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, version7);
    assert.ok(newIdAt(1_773_144_000_001) > (ids.at(-1) ?? ''));
  });
});
