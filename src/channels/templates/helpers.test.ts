// Comparison helpers return the same inline, as a block and as an argument.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileTemplate } from './compile.ts';
import { comparisonHelpers } from './helpers.ts';

const values = {
  TYPE: 'ALERT_FAILURE',
  FIVE: 5,
  FIVE_TEXT: '5',
  ZERO: 0,
  EMPTY: '',
  YES: true,
  NO: false,
  TAGS: ['prod', 'env:eu'],
  NONE: [],
  NOTHING: undefined,
};

/** Call → result; tested inline, as a block with else and as a sub-expression. */
const table: readonly (readonly [call: string, holds: boolean])[] = [
  ["eq TYPE 'ALERT_FAILURE'", true],
  ["eq TYPE 'ALERT_RECOVERY'", false],
  ["eq FIVE '5'", false],
  ['eq FIVE 5', true],
  ['eq NOTHING', true],
  ['eq NOTHING ALSO_NOTHING', true],
  ["eq TYPE compare='ALERT_FAILURE'", true],
  ["is FIVE '5'", true],
  ['is ZERO EMPTY', true],
  ["isnt FIVE '5'", false],
  ['isnt FIVE 6', true],
  ['gt FIVE 4', true],
  ['gt FIVE 5', false],
  ["gt FIVE_TEXT '10'", true],
  ['gt FIVE_TEXT 4', true],
  ['gt NOTHING 1', false],
  ['gte FIVE 5', true],
  ['lt FIVE 6', true],
  ['lt FIVE 5', false],
  ['lte FIVE 5', true],
  ['lte FIVE compare=4', false],
  ["contains TAGS 'prod'", true],
  ["contains TAGS 'pro'", false],
  ["contains TYPE 'FAIL'", true],
  ["contains TYPE 'fail'", false],
  ["contains TYPE ''", true],
  ["contains TYPE 'ALERT' 1", false],
  ["contains TAGS 'env:eu' -1", true],
  ["contains NOTHING 'x'", false],
  ['contains TYPE NOTHING', false],
  ["contains @root 'x'", false],
  ["has TAGS 'prod'", true],
  ["has TYPE 'FAIL'", true],
  ["has @root 'TYPE'", true],
  ["has @root 'constructor'", false],
  ['has NOTHING 5', false],
  ['and FIVE TYPE', true],
  ['and FIVE EMPTY', false],
  ['and NONE', true],
  ["and (eq TYPE 'ALERT_FAILURE') (gt FIVE 1)", true],
  ['or EMPTY FIVE', true],
  ['or EMPTY ZERO NO', false],
  ['not EMPTY', true],
  ['not FIVE', false],
  ['neither EMPTY ZERO', true],
  ['neither EMPTY FIVE', false],
  ["compare FIVE '==' FIVE_TEXT", true],
  ["compare FIVE '===' FIVE_TEXT", false],
  ["compare FIVE '!=' 6", true],
  ["compare FIVE '!==' FIVE_TEXT", true],
  ["compare FIVE '<' 6", true],
  ["compare FIVE '>' 6", false],
  ["compare FIVE '<=' 5", true],
  ["compare FIVE '>=' 6", false],
  ["compare FIVE 'typeof' 'number'", true],
  ['compare FIVE TYPE 5', false],
  ["compare @root '<' @root", false],
  ['isTruthy FIVE', true],
  ["isTruthy 'false'", false],
  ["isTruthy 'No'", false],
  ['isTruthy NONE', false],
  ['isFalsey NOTHING', true],
  ["isFalsey 'nada'", true],
  ["isFalsey '0'", true],
  ["isFalsey 'something'", false],
  ['ifEven 4', true],
  ["ifEven '4'", true],
  ['ifEven 5', false],
  ['ifEven TYPE', false],
  ['ifOdd 5', true],
  ['ifOdd 4', false],
  ['ifOdd TYPE', false],
  ['ifNth 2 4', true],
  ['ifNth 2 5', false],
  ['ifNth 0 5', false],
  ["unlessEq TYPE 'x'", true],
  ["unlessEq TYPE 'ALERT_FAILURE'", false],
  ['unlessGt FIVE 5', true],
  ['unlessGt FIVE 4', false],
  ['unlessGteq FIVE 6', true],
  ['unlessGteq FIVE 5', false],
  ['unlessLt FIVE 5', true],
  ['unlessLt FIVE 6', false],
  ['unlessLteq FIVE 4', true],
  ['unlessLteq FIVE 5', false],
  ["startsWith 'ALERT' TYPE", true],
  ["startsWith 'FAIL' TYPE", false],
  ["startsWith 'x' NOTHING", false],
];

for (const [call, holds] of table) {
  test(`{{${call}}} is ${holds} inline, as a block with else and as an argument`, () => {
    const name = call.split(' ')[0];
    const render = (source: string): string => compileTemplate(source).render(values, 0);
    assert.equal(render(`{{${call}}}`), String(holds));
    assert.equal(render(`{{#${call}}}yes{{else}}no{{/${name}}}`), holds ? 'yes' : 'no');
    assert.equal(render(`{{^${call}}}no{{/${name}}}`), holds ? '' : 'no');
    assert.equal(render(`{{#if (${call})}}yes{{else}}no{{/if}}`), holds ? 'yes' : 'no');
  });
}

test('tests every comparison helper', () => {
  const tried = new Set(table.map(([call]) => call.split(' ')[0]));
  assert.deepEqual(
    Object.keys(comparisonHelpers).filter((name) => !tried.has(name)),
    [],
  );
});

test('rejects an unknown operator on save', () => {
  assert.throws(() => compileTemplate("{{compare 1 '<>' 2}}"), /compare has no operator "<>": use == === /);
});
