// Scanning agrees with Handlebars and reports places of errors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOwnTime } from '../../../tests/support/own-time.ts';
import { scanTags } from './scan.ts';
import { TemplateError } from './template-error.ts';

function refused(source: string): { message: string; place: string } {
  try {
    scanTags(source);
  } catch (error) {
    if (error instanceof TemplateError) return { message: error.message, place: `${error.line}:${error.column}` };
    throw error;
  }
  return { message: 'accepted', place: '' };
}

test('finds tags with their role and skips comments and escaped braces', () => {
  const tags = scanTags(
    String.raw`a {{!-- {{x}} --}}{{! y }}\{{z}} {{#if A}}{{else if B}}{{^}}{{{C}}}{{/if}} {{x "}}"}}`,
  );
  assert.deepEqual(
    tags.map(({ role, text }) => `${role} ${text}`),
    ['open {{#if A}}', 'else {{else if B}}', 'else {{^}}', 'value {{{C}}}', 'close {{/if}}', 'value {{x "}}"}}'],
  );
});

const table: readonly (readonly [source: string, message: RegExp, place: string])[] = [
  ['a\n {{#if X}}', /^{{#if X}} is never closed: add {{\/if}}$/, '2:2'],
  ['{{#if X}}\n{{#each Y}}\n{{/if}}', /^{{\/if}} does not match {{#each Y}} on line 2$/, '3:1'],
  ['x{{/if}}', /closes a block that was never opened/, '1:2'],
  ['{{else}}', /is outside a block/, '1:1'],
  ['{{X', /never closed: end it with }}/, '1:1'],
  ['{{{X}}', /never closed: end it with }}}/, '1:1'],
  ['{{X {{Y}}', /never closed/, '1:1'],
  ['{{! X', /comment is never closed/, '1:1'],
  ['{{!-- X }}', /comment is never closed: end it with --}}/, '1:1'],
  ['{{{{raw}}}}x{{{{/raw}}}}', /raw blocks/, '1:1'],
  ['{{> part}}', /partials/, '1:1'],
  ['{{#> part}}{{/part}}', /partials/, '1:1'],
  ['{{* deco}}', /decorators/, '1:1'],
  ['{{#* inline "x"}}{{/inline}}', /decorators/, '1:1'],
  ['{"a":{{json X}}}', /put a space between {{json X}} and the } that follows it/, '1:6'],
];

for (const [source, message, place] of table) {
  test(`rejects ${JSON.stringify(source)} at ${place}`, () => {
    const found = refused(source);
    assert.match(found.message, message);
    assert.equal(found.place, place);
  });
}

const hostile: Readonly<Record<string, readonly [source: string, message: RegExp]>> = {
  'a source above 32 kB': ['x'.repeat(32_769), /longer than 32 kB/],
  '32 kB counted in bytes': ['€'.repeat(11_000), /longer than 32 kB/],
  '501 expressions': ['{{X}}'.repeat(501), /more than 500/],
  '25 blocks in each other': ['{{#if X}}'.repeat(25), /more than 24 levels deep/],
  '3,000 blocks in each other': ['{{#if X}}'.repeat(3000), /more than 24 levels deep/],
  'a long else-if chain': [`{{#if X}}${'{{else if Y}}'.repeat(2000)}{{/if}}`, /more than 24 levels deep/],
  '25 parentheses in each other': [`{{eq ${'('.repeat(25)}${')'.repeat(25)}}}`, /more than 24 levels deep/],
  '10,000 parentheses': [`{{eq ${'('.repeat(10_000)}`, /more than 24 levels deep/],
  '500 flat sub-expressions': [`{{and ${'(not X) '.repeat(500)}}}`, /more than 500/],
  '2,001 words in one tag': [`{{and ${'X '.repeat(2000)}}}`, /more than 2000 names, strings and numbers/],
  'a path of 10,000 parts': [`{{${'a.'.repeat(10_000)}a}}`, /a name has more than 16 parts/],
  '10,000 steps up': [`{{${'../'.repeat(10_000)}a}}`, /a name has more than 16 parts/],
  '32 kB of open braces': ['{'.repeat(32_000), /raw blocks/],
  '32 kB of an open string': [`{{x "${'a'.repeat(32_000)}`, /never closed/],
};

for (const [what, [source, message]] of Object.entries(hostile)) {
  test(`rejects ${what} within 50 ms`, () => {
    const tookMs = countOwnTime();
    assert.match(refused(source).message, message);
    assert.ok(tookMs() < 50);
  });
}

test('accepts templates just within the limits', () => {
  assert.equal(scanTags('{{X}}'.repeat(500)).length, 500);
  assert.equal(scanTags(`${'{{#if X}}'.repeat(24)}${'{{/if}}'.repeat(24)}`).length, 48);
});
