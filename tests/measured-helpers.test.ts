// Helpers against what the classic helper library of this language was measured to do, argument by argument.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileTemplate } from '#channels/templates/compile.ts';
import measured from './support/measured-helpers.json' with { type: 'json' };

const values = {
  U: undefined,
  NUL: null,
  E: '',
  T: 'text',
  UP: 'AbC',
  SP: '  a b ',
  D: 'a,b,c',
  Z: 0,
  ONE: 1,
  FIVE: 5,
  NEG: -2,
  F: 1.5,
  S5: '5',
  S10: '10',
  YES: true,
  NO: false,
  L: ['prod', 'env:eu', 'a'],
  L0: [],
  NOPE: 'nope',
  EM: 'ab🔥',
};
const names = Object.keys(values);
const render = (source: string): string => compileTemplate(source).render(values, 0);

/** Whether a call says what was measured: `t` and `f`; where it threw (`x`) ours says no. */
function assertSays(call: string, name: string, mark: string | undefined): void {
  const holds = mark === 't';
  assert.ok(mark !== undefined && 'tfx'.includes(mark), call);
  assert.equal(
    render(`{{${call}}}|{{#${call}}}yes{{else}}no{{/${name}}}|{{#if (${call})}}1{{/if}}`),
    `${holds}|${holds ? 'yes' : 'no'}|${holds ? 1 : ''}`,
    call,
  );
}

const { compare, ...comparisons } = measured.comparisons;

for (const [name, tables] of Object.entries(comparisons)) {
  test(`${name} says what it was measured to say of every sort of value`, () => {
    for (const table of tables) {
      const rows = table.split(' ');
      names.forEach((a, i) => {
        if (rows.length === 1) assertSays(`${name} ${a}`, name, table[i]);
        else names.forEach((b, j) => assertSays(`${name} ${a} ${b}`, name, rows[i]?.[j]));
      });
    }
  });
}

test('compare says what it was measured to say, operator by operator', () => {
  const others = ['S5', 'FIVE', 'T', 'E', 'NUL', 'NO', '"number"', '"string"'];
  for (const [operator, table] of Object.entries(compare)) {
    const rows = table.split(' ');
    names.forEach((a, i) => {
      others.forEach((b, j) => assertSays(`compare ${a} "${operator}" ${b}`, 'compare', rows[i]?.[j]));
    });
  }
});

/** Where ours differs on purpose: `truncate` means the total length, and never leaves half of a character. */
const onPurpose: ReadonlySet<string> = new Set(['T 0 "…"', 'T 1 "..."', 'EM 3']);

for (const [name, calls] of Object.entries(measured.texts)) {
  test(`${name} makes what it was measured to make of every sort of value`, () => {
    for (const [args, text] of Object.entries(calls)) {
      if (name === 'truncate' && onPurpose.has(args)) continue;
      assert.equal(render(`{{{${name} ${args}}}}`), text, `${name} ${args}`);
    }
  });
}
