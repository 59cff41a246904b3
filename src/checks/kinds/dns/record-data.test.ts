// Decoding of untrusted DNS names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readName } from './record-data.ts';

const label = (length: number): Buffer => Buffer.concat([Buffer.from([length]), Buffer.alloc(length, 'x')]);
const pointer = (at: number): Buffer => Buffer.from([0xc0 | (at >> 8), at & 255]);

test('follows a pointer to an earlier name', () => {
  const bytes = Buffer.concat([label(3), Buffer.from([0]), label(2), pointer(0), pointer(5)]);
  assert.deepEqual(readName(bytes, 5), { name: 'xx.xxx.', end: 10 });
  assert.deepEqual(readName(bytes, 10), { name: 'xx.xxx.', end: 12 });
});

test('limits names to 255 bytes', () => {
  const longest = Buffer.concat([label(63), label(63), label(63), label(61), Buffer.from([0])]);
  assert.equal(readName(longest, 0).end, 255);
  const longer = Buffer.concat([longest, label(1), pointer(0)]);
  assert.throws(() => readName(longer, 255), /a name is too long/);
});

test('rejects pointers to itself or forwards', () => {
  assert.throws(() => readName(pointer(0), 0), /points to itself/);
  assert.throws(() => readName(Buffer.concat([label(1), pointer(0)]), 0), /points to itself/);
  assert.throws(() => readName(Buffer.concat([pointer(2), Buffer.from([0])]), 0), /points to itself/);
});

test('escapes dots, backslashes and unprintable bytes', () => {
  const read = (text: string) =>
    readName(Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1'), Buffer.from([0])]), 0).name;
  assert.equal(read('a.b'), String.raw`a\.b.`);
  assert.equal(read('a\\b'), String.raw`a\\b.`);
  assert.equal(read('a\0 b'), String.raw`a\000\032b.`);
  assert.equal(read('\xff\xfe'), String.raw`\255\254.`);
});

test('rejects a chain of more than 64 pointers', () => {
  const chain = Buffer.concat([
    label(1),
    Buffer.from([0]),
    ...Array.from({ length: 65 }, (_, n) => pointer(n && 2 * n + 1)),
  ]);
  assert.equal(readName(chain, 3 + 2 * 63).name, 'x.');
  assert.throws(() => readName(chain, 3 + 2 * 64), /points to itself/);
});
