// Variable names that templates cannot print are rejected with a suggestion.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileTemplate } from './compile.ts';
import { contextOf } from './context.ts';
import { helpers } from './helpers.ts';
import { helperNames, variableNameProblem } from '#domain/accounts/variable-name.ts';

const facts = { createdAt: 0, uuid: 'u', randomNumber: 7, userAgent: '' };

function isPrinted(name: string): boolean {
  try {
    return compileTemplate(`{{${name}}}`).render(contextOf({ [name]: 'printed' }, facts), 0) === 'printed';
  } catch {
    return false;
  }
}

test('rejects a name exactly if templates cannot print it, and suggests one that they can', () => {
  assert.deepEqual(new Set(helperNames), new Set(helpers.keys()));
  const words = ['true', 'false', 'null', 'undefined', 'this', 'else', '__proto__', 'constructor', 'prototype', 'call'];
  for (const name of [...helperNames, ...words, 'toHTML']) {
    assert.equal(isPrinted(name), false, name);
    const [, suggested = ''] = /; use another name, e\.g\. (\w+)$/.exec(variableNameProblem(name) ?? '') ?? [];
    assert.ok(isPrinted(suggested) && variableNameProblem(suggested) === null, `${name}: ${suggested}`);
  }
  for (const name of ['TOKEN', 'Date', 'toString', '_x', 'as', 'raw']) {
    assert.ok(isPrinted(name), name);
    assert.equal(variableNameProblem(name), null, name);
  }
  assert.match(variableNameProblem('CHECK_NAME') ?? '', /Tocsin sets itself .* e\.g\. MY_CHECK_NAME$/);
});
