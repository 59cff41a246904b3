// Bodies with very many members are refused before they are parsed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { maxMembers } from '#lib/schema/faults.ts';
import { parseJson } from './json-text.ts';

const refusal = { statusCode: 400, message: /more than 10000 members and elements/ };

test('members of one object, elements of one array and nested ones all count', () => {
  const many = Array.from({ length: 90_000 }, (_, index) => `"qzzz${index}":1`).join(',');
  assert.throws(() => parseJson(`{${many}}`), refusal);
  assert.throws(() => parseJson(`[${'1,'.repeat(maxMembers)}1]`), refusal);
  assert.throws(() => parseJson(`[${'[],'.repeat(maxMembers / 2)}[]]`), refusal);
  assert.throws(() => parseJson('['.repeat(maxMembers + 1)), refusal);
});

test('as many as are allowed pass, and commas in strings do not count', () => {
  assert.equal((parseJson(`[${'1,'.repeat(maxMembers - 1)}1]`) as unknown[]).length, maxMembers);
  const text = `${','.repeat(maxMembers)}"[{\\`;
  assert.equal(parseJson(JSON.stringify(text)), text);
  assert.throws(() => parseJson('"open \\'), { statusCode: 400, message: /not valid JSON/ });
});
