// Ids as bytes in columns.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { idBytes, idText } from './codec.ts';

describe('the bytes of an id', () => {
  it('are its digits in order, in any case, and convert back to the same text', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const digits = Buffer.from(id.replaceAll('-', ''), 'hex');
        assert.deepEqual(idBytes(id), digits);
        assert.deepEqual(idBytes(id.toUpperCase()), digits);
        assert.equal(idText(digits), id);
      }),
    );
  });

  it('of an invalid id are fewer, so that no row matches', () => {
    const id = '0199f0c4-0000-7000-8000-0000000000ff';
    for (const text of ['', 'x', id.slice(1), `${id}0`, id.replace('c', 'g'), id.replace('c', 'ſ'), 'é'.repeat(36)]) {
      assert.ok(idBytes(text).length < 16, text);
    }
  });
});
