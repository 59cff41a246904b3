// Decoding of escapes, with positions in the original.
import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeEscapes } from './text-masker.ts';

test('decodes escapes of JSON, HTML and URLs, one layer at a time', () => {
  for (const [escaped, decoded] of [
    [String.raw`a\/b\"c\\d\n\u00e9\u{1f600}\ud83d\ude00\x3d\'`, 'a/b"c\\d\né😀😀=\''],
    ['&#47;&#x2F;&#X2f;&#47 &amp;&lt;&equals;&sol;&eacute;&Eacute;&yuml;&#128512;', '//// &<=/éÉÿ😀'],
    ['%2B%c3%a9%E9%u00e9%F0%9F%98%80%252B', '+ééé😀%2B'],
    ['&amp;#x2F;', '&#x2F;'],
  ] as const)
    assert.equal(decodeEscapes(escaped)?.text, decoded, escaped);
  for (const plain of ['', 'plain', 'C:\\dir', '50% of', 'a & b &nothing; &#x110000;', '\\', '%', '&', '%zz \\u12'])
    assert.equal(decodeEscapes(plain), null, plain);
});

test('maps a position to the start and end of its character in the original', () => {
  const original = String.raw`ab\u003dc%C3%A9d&#128512;`;
  const decoded = decodeEscapes(original);
  assert.ok(decoded);
  const pieces = Array.from(decoded.text, (_, at) => original.slice(decoded.startOf(at), decoded.endOf(at)));
  assert.deepEqual(pieces, ['a', 'b', String.raw`\u003d`, 'c', '%C3%A9', 'd', '&#128512;']);
});
