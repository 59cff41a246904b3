// Fixes of templates fit the text around the variable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonFix, urlFix } from './fix.ts';

const applied = (template: string, fix: ReturnType<typeof jsonFix>): string =>
  fix === null ? template : template.replace(fix.find, () => fix.replaceWith);
const fixed = (template: string): string => applied(template, jsonFix(template, 'X'));

test('a variable alone between quotes is written as JSON, without the quotes', () => {
  assert.equal(fixed('{"a": "{{X}}"}'), '{"a": {{json X}} }');
  assert.equal(fixed('{"a": "{{{ ../X }}}"}'), '{"a": {{json ../X}} }');
});

test('a variable within a text is escaped there, also after escaped quotes and other tags', () => {
  assert.equal(fixed('{"a": "down: {{X}}"}'), '{"a": "down: {{jsonString X}}"}');
  assert.equal(fixed('{"a": "\\"{{X}}\\" {{default Y "-"}}"}'), '{"a": "\\"{{jsonString X}}\\" {{default Y "-"}}"}');
  assert.equal(
    fixed('{"a": {{default Y "-"}}, "b": "is {{X}}"}'),
    '{"a": {{default Y "-"}}, "b": "is {{jsonString X}}"}',
  );
});

test('a variable outside of quotes is written as JSON', () => {
  assert.equal(fixed('{"a": {{X}} }'), '{"a": {{json X}} }');
});

test('an escaped quotation mark before a variable belongs to the text', () => {
  assert.equal(fixed(String.raw`{"a": "\"{{X}}"}`), String.raw`{"a": "\"{{jsonString X}}"}`);
});

test('the first plain use is fixed, and uses with helpers stay', () => {
  assert.equal(fixed('{"a": {{json X}}, "b": "{{X}}"}'), '{"a": {{json X}}, "b": {{json X}} }');
  assert.equal(jsonFix('{"a": "{{upper X}}"}', 'X'), null);
  assert.equal(jsonFix('{"a": "{{XY}}"}', 'X'), null);
});

test('a variable of a URL is percent-encoded', () => {
  assert.equal(applied('https://x/{{{X}}}', urlFix('https://x/{{{X}}}', 'X')), 'https://x/{{urlencode X}}');
});
