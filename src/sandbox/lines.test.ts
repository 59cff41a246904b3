// Lines and output in chunks: complete, limited and in linear time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineReader, outputReader } from './lines.ts';

test('returns complete lines for any chunks', () => {
  const lines: string[] = [];
  const read = lineReader(10, (line) => lines.push(line), assert.fail);
  for (const piece of ['a', 'b\n', '\ncd', '', 'e\nf\n', 'g']) read(piece);
  assert.deepEqual(lines, ['ab', '', 'cde', 'f']);
});

test('an overlong line ends reading', () => {
  const lines: string[] = [];
  let ended = 0;
  const read = lineReader(
    5,
    (line) => lines.push(line),
    () => ended++,
  );
  for (const piece of ['12345\n', '123', '456', '7\n', '8\n']) read(piece);
  assert.deepEqual([lines, ended], [['12345'], 1]);
});

test('reads a long line in many small chunks quickly', () => {
  let length = 0;
  const read = lineReader(1 << 20, (line) => (length = line.length), assert.fail);
  for (let count = 0; count < 1_000_000; count++) read('x');
  read('\n');
  assert.equal(length, 1_000_000);
});

test('does not split characters and words of output between chunks', () => {
  const pieces: string[] = [];
  const output = outputReader(10, (piece) => pieces.push(piece));
  const bytes = Buffer.from('grün\nhunter22');
  output.read(bytes.subarray(0, 3));
  output.read(bytes.subarray(3, 9));
  output.read(bytes.subarray(9));
  assert.deepEqual(pieces, ['grün\n']);
  output.end();
  assert.deepEqual(pieces, ['grün\n', 'hunter22']);
  output.read(Buffer.from('12345678901'));
  assert.equal(pieces[2], '12345678901');
});
