// Template helpers that print times.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits, Rendering } from './budget.ts';
import { compileTemplate } from './compile.ts';
import { TemplateError } from './template-error.ts';

const now = Date.parse('2026-11-21T09:05:07.089Z');
const values = {
  STARTED_AT: '2026-07-24T10:00:00.000Z',
  MS: 1_795_251_907_089,
  FORMAT: 'YYYY',
  BAD: 'soonish',
  NOTHING: undefined,
};

const table: readonly (readonly [source: string, text: string])[] = [
  ['{{moment}}', 'November 21, 2026'],
  ['{{moment "YYYY-MM-DD"}}', '2026-11-21'],
  ['{{moment FORMAT}}', '2026'],
  ['{{moment "X"}}', '1795251907'],
  ['{{moment "x"}}', '1795251907089'],
  ['{{moment "2 days ago" "YYYY-MM-DD"}}', '2026-11-19'],
  ['{{moment "last week" "X"}}', '1794647107'],
  ['{{moment STARTED_AT "DD/MM HH:mm"}}', '24/07 10:00'],
  ['{{moment MS "HH:mm"}}', '09:05'],
  ['{{moment 0 "YYYY"}}', '1970'],
  ['{{moment NOTHING "YYYY"}}', ''],
  ['{{date "YYYY"}}', '2026'],
  ['{{date "tomorrow" "D"}}', '22'],
  ['{{year}}', '2026'],
  ['{{year 2}}', '2026'],
  ['{{#eq (moment "dddd") "Saturday"}}weekend{{/eq}}', 'weekend'],
  ['{{uppercase (moment "MMM")}}', 'NOV'],
];

for (const [source, text] of table) {
  test(`${source} prints ${JSON.stringify(text)}`, () => {
    assert.equal(compileTemplate(source).render(values, now), text);
  });
}

test('localTime prints a time in the zone of the account, before and after a change of clocks', () => {
  const printed = (value: unknown): string => {
    const rendering = new Rendering(now, limits.output, false, true, 'Europe/Berlin');
    return compileTemplate('{{localTime VALUE}}').renderNext({ VALUE: value }, rendering, limits.output);
  };
  assert.equal(printed('2026-10-25T00:59:59.000Z'), '2026-10-25 02:59:59 CEST');
  assert.equal(printed('2026-10-25T01:00:00.000Z'), '2026-10-25 02:00:00 CET');
  assert.equal(printed(8.64e15), '+275760-09-13T00:00:00.000Z');
  assert.equal(printed(undefined), '');
  assert.throws(() => printed('soonish'), /"soonish" is not a valid time/);
  assert.throws(() => compileTemplate('{{localTime "soonish"}}'), /"soonish" is not a valid time/);
});

test('rejects an invalid literal time on save, with line and column', () => {
  assert.throws(
    () => compileTemplate('first\n  {{moment "garbage words" "X"}}'),
    (error) =>
      error instanceof TemplateError &&
      error.line === 2 &&
      error.column === 3 &&
      /"garbage words" is not a valid time/.test(error.message),
  );
});

test('rejects a format with an unknown word on save, or while rendering if it comes from a value', () => {
  const at = (error: unknown): boolean =>
    error instanceof TemplateError &&
    error.line === 2 &&
    error.column === 2 &&
    /"soonish" is not a format token/.test(error.message);
  assert.throws(() => compileTemplate('first\n {{moment STARTED_AT "soonish"}}'), at);
  assert.throws(() => compileTemplate('first\n {{moment BAD}}').render(values, now), at);
});

test('does not accept a time alone as a format', () => {
  assert.throws(() => compileTemplate('{{moment "2 days ago"}}'), /is a time, not a format/);
  assert.throws(() => compileTemplate('{{moment STARTED_AT}}').render(values, now), /is a time, not a format/);
  assert.throws(() => compileTemplate('{{date MS}}').render(values, now), /is a time, not a format/);
});

test('accepts literal characters common in formats', () => {
  assert.equal(compileTemplate('{{moment "YYYY-MM-DDTHH:mm:ss[Z]"}}').render(values, now), '2026-11-21T09:05:07Z');
  assert.equal(compileTemplate('{{moment "HH:mm UTC"}}').render(values, now), '09:05 UTC');
});

test('an invalid time value is a rendering error with line and column', () => {
  assert.throws(
    () => compileTemplate('first\n {{moment BAD "X"}}').render(values, now),
    (error) =>
      error instanceof TemplateError &&
      error.line === 2 &&
      error.column === 2 &&
      /"soonish" is not a valid time/.test(error.message),
  );
});
