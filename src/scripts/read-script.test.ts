// Scripts read without being run: what runs is never refused, and what is refused does not run; each is tried.
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { ScriptWork } from '#domain/script.ts';
import { currentRuntime, runPlain } from '../../tests/support/script-runs.ts';
import { programFault, scriptFault } from './read-script.ts';

test('a text is read as a script without being run, in whatever form scripts are written', async () => {
  for (const text of [
    `const axios = require('axios'); const { data } = await axios.get('http://127.0.0.1:9/');`,
    `import { x } from 'nowhere'; export const y: number = x as number;`,
    `process.exit(1); throw 1;`,
  ]) {
    assert.equal(await scriptFault(text), null, text);
  }
  assert.deepEqual(await scriptFault('const a = 1;\n  a = = 2;'), {
    message: 'Expression expected',
    line: 2,
    column: 7,
  });
  assert.match((await scriptFault('enum A { B }'))?.message ?? '', /enum is not supported/);
  assert.deepEqual(await scriptFault('['.repeat(200_000)), { message: 'it is too deep or too large to be read' });
});

const imported = "import { test, expect } from '@playwright/test';\n";

/** What each is, its sort, its path and its text. */
const running: readonly (readonly [string, ScriptWork['sort'], string, string])[] = [
  [
    'a module with types',
    'plain',
    'a.ts',
    'import { sep } from "node:path";\nconst a: string = sep satisfies string; await 1;',
  ],
  ['CommonJS with types', 'plain', 'a.ts', 'const { sep }: { sep: string } = require("node:path"); sep as any;'],
  ['CommonJS that is not strict', 'plain', 'a.js', 'with ({ a: 1 }) { a; } var package = 010; return;'],
  ['an old script', 'plain', 'a.cjs', '#!/usr/bin/env node\nvar await = 1; delete await; <!-- said of old\nreturn;'],
  ['a module by its syntax', 'plain', 'a.js', 'import data from "node:fs";\nawait data; import.meta.url;'],
  ['a module with a mark at its beginning', 'plain', 'a.mjs', '\uFEFFawait 1; export const a = 1;'],
  [
    'tests with all of TypeScript',
    'spec',
    'a.spec.ts',
    `${imported}
enum Size { Small } namespace Shop { export const open = true; }
const named = (value: unknown, _: unknown) => value;
@named class Cart { constructor(private readonly size = Size.Small) {} declare x: number; @named all() { return this.size; } }
test('a', () => { expect(Shop.open).toBe(true); const none = <number>0; expect<number>(new Cart().all()!).toBe(none); });`,
  ],
  [
    'tests that export and require as CommonJS',
    'spec',
    'a.spec.ts',
    `const { test } = require('@playwright/test'); import path = require('node:path');
test('a', () => { path.sep; }); export = {};`,
  ],
];

const broken: readonly (readonly [string, ScriptWork['sort'], string, string, string, number, number])[] = [
  ['a module', 'plain', 'a.mjs', 'const a = 1;\n  a = = 2;', "Unexpected token '='", 2, 7],
  [
    'a module that declares twice',
    'plain',
    'a.mjs',
    'const a = 1;\nconst a = 2;',
    "Identifier 'a' has already been declared",
    2,
    7,
  ],
  ['types', 'plain', 'a.ts', 'const a = 1;\n  a = = 2;', 'Expression expected', 2, 7],
  [
    'an enum, which Node.js does not know',
    'plain',
    'a.ts',
    'const a = 1;\nenum A { B }',
    'TypeScript enum is not supported in strip-only mode',
    2,
    1,
  ],
  [
    'types where none are read',
    'plain',
    'a.mjs',
    'await 1;\nconst a: string = "";',
    'Missing initializer in const declaration',
    2,
    7,
  ],
  ['CommonJS', 'plain', 'a.js', 'const a = require("node:fs");\nreturn a(;', "Unexpected token ';'", 2, 10],
  ['a module by its syntax', 'plain', 'a.js', 'import "node:fs";\nawait 1;\nnull(;', "Unexpected token ';'", 3, 6],
  [
    'an import in CommonJS',
    'plain',
    'a.cjs',
    '\nimport "node:fs";',
    'Cannot use import statement outside a module',
    2,
    1,
  ],
  [
    'tests',
    'spec',
    'shop/a.spec.ts',
    `${imported}test('a', async () => {\n  expect(1.toBe(1);\n});`,
    'Identifier directly after number',
    3,
    12,
  ],
];

function run(sort: ScriptWork['sort'], path: string, content: string) {
  return runPlain('', { sort, entry: path, files: [{ path, content }] });
}

describe('a script is saved that runs:', () => {
  for (const [what, sort, path, content] of running) {
    it(what, async () => {
      assert.equal(await programFault({ sort, path, content }, currentRuntime), null);
      const { ending, tests, failedTests, errors } = await run(sort, path, content);
      assert.deepEqual([ending, tests, failedTests, errors], ['ended', 1, 0, []]);
    });
  }
});

describe('a script that cannot begin is refused with its place:', () => {
  for (const [what, sort, path, content, message, line, column] of broken) {
    it(what, async () => {
      assert.deepEqual(await programFault({ sort, path, content }, currentRuntime), { message, line, column });
      const { failedTests, errors } = await run(sort, path, content);
      assert.ok(failedTests > 0 || errors.length > 0);
    });
  }
});

test('tests are read as their own ending and their runner say', async () => {
  const typed = `${imported}const a: string = ''; test('a', () => {});`;
  for (const [path, content, message] of [
    ['a.spec.js', typed, 'Missing initializer in const declaration'],
    ['a.spec.mts', typed, undefined],
    ['a.spec.js', `${imported}test('a', () => { () => <b/>; });`, undefined],
    ['a.spec.ts', `${imported}const a = 1;\nconst a = 2;`, "Identifier 'a' has already been declared"],
    // Its runner does not read what lies there.
    ['lib/node_modules/a.js', 'a = = 2', undefined],
  ] as const) {
    const fault = await programFault({ sort: 'spec', path, content }, currentRuntime);
    assert.equal(fault?.message, message, `${path} ${content}`);
  }
});

test('what cannot be read for certain is saved', async () => {
  const deep = '['.repeat(200_000);
  for (const sort of ['plain', 'spec'] as const) {
    assert.equal(await programFault({ sort, path: 'a.ts', content: deep }, currentRuntime), null);
  }
  const tests = { sort: 'spec', path: 'a.spec.ts', content: 'a = = 2' } as const;
  for (const runtime of [
    { ...currentRuntime, folder: '/nowhere' },
    { ...currentRuntime, nodeBinary: '/nowhere/node' },
  ]) {
    assert.equal(await programFault(tests, runtime), null);
  }
});
