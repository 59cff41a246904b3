// Rejected templates, with places and hints.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOwnTime } from '../../../tests/support/own-time.ts';
import { passGate } from './gate.ts';
import { TemplateError } from './template-error.ts';

function refused(source: string): string {
  try {
    passGate(source);
  } catch (error) {
    if (error instanceof TemplateError) return `${error.line}:${error.column} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

const table: Readonly<Record<string, RegExp>> = {
  '{{upper X}}': /^1:1 unknown helper upper \(did you mean uppercase\?\)$/,
  '{{upercase X}}': /^1:1 unknown helper upercase \(did you mean uppercase\?\)$/,
  'a\n b {{#foo X}}{{/foo}}': /^2:4 unknown helper foo/,
  '{{eq (foo) 1}}': /^1:6 unknown helper foo/,
  '{{eq X (trm Y)}}': /did you mean trim\?/,
  '{{CHECK NAME}}': /variable names contain no spaces: did you mean {{CHECK_NAME}}\?/,
  '{{CHECK_NAME 5}}': /CHECK_NAME is a variable and takes no arguments/,
  '{{$UUID 5}}': /\$UUID is a variable and takes no arguments/,
  '{{$UUDI}}': /unknown value \$UUDI \(did you mean \$UUID\?\): use \$UUID or \$RANDOM_NUMBER/,
  '{{TAGS.0}}': /^1:1 {{TAGS\.0}} is not valid template syntax: write list items as NAME\.\[0\]/,
  'x\n{{X}}{{eq "a}}" =}}': /^2:6 /,
  '{{#if X}}{{else if a..b}}{{/if}}': /^1:10 /,
  '{{#if a..b}}{{/if}}': /^1:1 /,
  '{{}}': /^1:1 {{}} is not valid/,
  '{{"text"}}': /must start with a name/,
  '{{5}}': /must start with a name/,
  '{{log "x"}}': /unknown helper log/,
  '{{log}}': /unknown helper log/,
  '{{helperMissing}}': /unknown helper helperMissing/,
  '{{#blockHelperMissing}}{{/blockHelperMissing}}': /unknown helper blockHelperMissing/,
  '{{helperMissing "a"}}': /unknown helper helperMissing/,
  '{{each TAGS}}': /each is a block helper: write {{#each …}}…{{\/each}}/,
  '{{if X}}': /if is a block/,
  '{{eq (if X) 1}}': /if is a block/,
  '{{#if}}{{/if}}': /if needs 1 argument, got 0/,
  '{{#if A B}}{{/if}}': /if takes 1 argument, got 2/,
  '{{neither A}}': /neither needs 2 arguments, got 1/,
  '{{has A}}': /has needs 2 arguments, got 1/,
  '{{moment "yesterday"}}': /^1:1 "yesterday" is a time, not a format: add a format after it/,
  'a {{#if (moment "MMM D at HH:mm")}}{{/if}}':
    /^1:9 "at" is not a format token: enclose literal text in brackets, \[at\]/,
  '{{#uppercase X}}{{/uppercase}}': /from the block or from an argument, not from both/,
  '{{uppercase}}': /uppercase needs 1 argument, got 0 \(for a variable of this name, write {{this\.uppercase}}\)/,
  '{{compare A}}': /compare needs 3 arguments, got 1/,
  '{{@secret}}': /unknown data variable @secret/,
  '{{@budget.printed}}': /unknown data variable @budget/,
  '{{a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q}}': /more than 16 parts/,
  [`{{eq 1 ${'../'.repeat(16)}a}}`]: /more than 16 parts/,
  '{{#if X}}{{> (lookup . "p")}}{{/if}}': /partials/,
};

for (const [source, message] of Object.entries(table)) {
  test(`rejects ${JSON.stringify(source)} with its place and a hint`, () => {
    assert.match(refused(source), message);
  });
}

test('rejects a path of many thousand parts quickly', () => {
  const tookMs = countOwnTime();
  assert.match(refused(`{{${'a.'.repeat(8000)}a}}`), /more than 16 parts/);
  assert.ok(tookMs() < 200);
});

test('finds the variables that a template uses, separately from names of an item', () => {
  const source =
    '{{A}}{{{B}}}{{this.C}}{{#if D}}{{E}}{{/if}}{{#each F as |g i|}}{{g}}{{H}}{{../I}}{{@root.J}}{{else}}{{K}}{{/each}}' +
    '{{eq (uppercase L) M.n}}{{#N}}{{O}}{{/N}}{{lookup @root "P"}}{{lookup this "Q"}}{{lookup TAGS 0}}{{@index}}';
  const { references } = passGate(source);
  const named = (isVariable: boolean): string =>
    references
      .filter((reference) => reference.isVariable === isVariable)
      .map(({ name }) => name)
      .sort()
      .join(' ');
  assert.equal(named(true), 'A B C D E F I J K L M N P Q TAGS');
  assert.equal(named(false), 'H O g');
  assert.deepEqual(references.find(({ name }) => name === 'B')?.place, { line: 1, column: 9 });
});
