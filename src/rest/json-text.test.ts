// Bodies with too many members are rejected before parsing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { maxMembers } from '#lib/schema/faults.ts';
import { parseJson } from './json-text.ts';

const refusal = { statusCode: 400, message: new RegExp(`more than ${maxMembers} members and elements`) };

test('counts members of objects, elements of arrays and nested ones', () => {
  const many = Array.from({ length: 90_000 }, (_, index) => `"qzzz${index}":1`).join(',');
  assert.throws(() => parseJson(`{${many}}`), refusal);
  assert.throws(() => parseJson(`[${'1,'.repeat(maxMembers)}1]`), refusal);
  assert.throws(() => parseJson(`[${'[],'.repeat(maxMembers / 2)}[]]`), refusal);
  assert.throws(() => parseJson('['.repeat(maxMembers + 1)), refusal);
});

test('accepts as many as allowed, and does not count commas in strings', () => {
  assert.equal((parseJson(`[${'1,'.repeat(maxMembers - 1)}1]`) as unknown[]).length, maxMembers);
  const text = `${','.repeat(maxMembers)}"[{\\`;
  assert.equal(parseJson(JSON.stringify(text)), text);
  assert.throws(() => parseJson('"open \\'), { statusCode: 400, message: /not valid JSON/ });
});
