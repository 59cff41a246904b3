// Parsing scripts without running them: valid ones are never rejected, and rejected ones do not run.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import type { ScriptReading, ScriptWork } from '#domain/checks/script.ts';
import { countingRuntime, heldRuntime } from '../../tests/support/scripts/odd-runtimes.ts';
import { currentRuntime, runPlain } from '../../tests/support/scripts/script-runs.ts';
import { createScriptReader, type ReadableScript } from './read-script.ts';

const [own, other] = ['account one', 'account two'];
const { scriptFault, programFault } = createScriptReader();

test('parses a script in any form without running it', async () => {
  for (const text of [
    `const axios = require('axios'); const { data } = await axios.get('http://127.0.0.1:9/');`,
    `import { x } from 'nowhere'; export const y: number = x as number;`,
    `process.exit(1); throw 1;`,
  ]) {
    assert.equal(await scriptFault(own, text), null, text);
  }
  assert.deepEqual(await scriptFault(own, 'const a = 1;\n  a = = 2;'), {
    message: 'Expression expected',
    line: 2,
    column: 7,
  });
  assert.match(messageOf(await scriptFault(own, 'enum A { B }')) ?? '', /enum is not supported/);
  assert.deepEqual(await scriptFault(own, '['.repeat(200_000)), { message: 'it is too large or nested too deeply' });
});

function messageOf(reading: ScriptReading): string | undefined {
  return reading === 'no room' ? reading : reading?.message;
}

const imported = "import { test, expect } from '@playwright/test';\n";

/** Description, type, path and text. */
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

describe('accepts a script that runs:', () => {
  for (const [what, sort, path, content] of running) {
    it(what, async () => {
      assert.equal(await programFault(own, { sort, path, content }, currentRuntime), null);
      const { ending, tests, failedTests, errors } = await run(sort, path, content);
      assert.deepEqual([ending, tests, failedTests, errors], ['ended', 1, 0, []]);
    });
  }
});

describe('rejects a script that cannot start, with the place:', () => {
  for (const [what, sort, path, content, message, line, column] of broken) {
    it(what, async () => {
      assert.deepEqual(await programFault(own, { sort, path, content }, currentRuntime), { message, line, column });
      const { failedTests, errors } = await run(sort, path, content);
      assert.ok(failedTests > 0 || errors.length > 0);
    });
  }
});

test('parses tests like their runner, by extension', async () => {
  const typed = `${imported}const a: string = ''; test('a', () => {});`;
  for (const [path, content, message] of [
    ['a.spec.js', typed, 'Missing initializer in const declaration'],
    ['a.spec.mts', typed, undefined],
    ['a.spec.js', `${imported}test('a', () => { () => <b/>; });`, undefined],
    ['a.spec.ts', `${imported}const a = 1;\nconst a = 2;`, "Identifier 'a' has already been declared"],
    // The runner does not parse files there.
    ['lib/node_modules/a.js', 'a = = 2', undefined],
  ] as const) {
    const fault = await programFault(own, { sort: 'spec', path, content }, currentRuntime);
    assert.equal(messageOf(fault), message, `${path} ${content}`);
  }
});

test('accepts what it cannot judge with certainty', async () => {
  const deep = '['.repeat(200_000);
  for (const sort of ['plain', 'spec'] as const) {
    assert.equal(await programFault(own, { sort, path: 'a.ts', content: deep }, currentRuntime), null);
  }
  const tests = { sort: 'spec', path: 'a.spec.ts', content: 'a = = 2' } as const;
  for (const runtime of [
    { ...currentRuntime, folder: '/nowhere' },
    { ...currentRuntime, nodeBinary: '/nowhere/node' },
  ]) {
    assert.equal(await programFault(own, tests, runtime), null);
  }
});

/** Parses a broken script in a runtime that counts calls, and returns the error. */
function counted(t: Parameters<typeof countingRuntime>[0], reader = createScriptReader()) {
  const { runtime, starts } = countingRuntime(t);
  const ask = (change: Partial<ReadableScript> = {}, account = own): Promise<ScriptReading> =>
    reader.programFault(account, { sort: 'plain', path: 'a.mjs', content: 'a = = 2', ...change }, runtime);
  return { runtime, starts, ask };
}

test('caches results by account, type, path and text', async (t) => {
  const { starts, ask } = counted(t, createScriptReader({ atOnce: 1 }));
  const fault = await ask();
  assert.equal(messageOf(fault), "Unexpected token '='");
  for (let again = 0; again < 3; again++) assert.deepEqual(await ask(), fault);
  assert.equal(starts(), 1);
  const changes: readonly (readonly [Partial<ReadableScript>, string?])[] = [
    [{ content: 'a = 2' }],
    [{ path: 'b.mjs' }],
    [{ sort: 'hook' }],
    [{}, other],
  ];
  for (const [index, [change, account]] of changes.entries()) {
    // Concurrent calls for the same text share the result.
    const found = await Promise.all([ask(change, account), ask(change, account)]);
    assert.deepEqual([found[1], starts()], [found[0], 2 + index], JSON.stringify(change));
  }
});

test('parses a script again after its runtime was reinstalled', async (t) => {
  const { runtime, starts, ask } = counted(t);
  const packages = join(runtime.folder, 'node_modules');
  const files = ['.tocsin-installed', '.package-lock.json'].map((name) => join(packages, name));
  for (const file of files) writeFileSync(file, 'one');
  await ask();
  for (const [index, file] of [...files, runtime.nodeBinary].entries()) {
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n# newer\n`);
    assert.equal(messageOf(await ask()), "Unexpected token '='");
    assert.equal(starts(), 2 + index, file);
  }
});

test('does not cache failures, nor more than the memory limit', async (t) => {
  const deep = counted(t);
  for (let reads = 1; reads < 3; reads++) {
    assert.equal(await deep.ask({ content: '['.repeat(200_000) }), null);
    assert.equal(deep.starts(), reads);
  }
  const few = counted(t, createScriptReader({ rememberedBytes: 300 }));
  for (const content of ['1', '2', '2', '1']) await few.ask({ content });
  assert.equal(few.starts(), 3);
});

const mistaken: ReadableScript = { sort: 'plain', path: 'a.mjs', content: 'a = = 2' };

test('reports to the account if no process is available in time', async (t) => {
  const { runtime, release } = heldRuntime(t);
  const reader = createScriptReader({ atOnce: 1, waitMs: 20 });
  const held = reader.programFault(own, mistaken, runtime);
  assert.equal(await reader.programFault(other, mistaken, currentRuntime), 'no room');
  assert.equal(await reader.scriptFault(own, 'a = 2;'), 'no room');
  await release();
  assert.equal(messageOf(await held), "Unexpected token '='");
  assert.equal(messageOf(await reader.programFault(other, mistaken, currentRuntime)), "Unexpected token '='");
});

test('an account has two concurrent processes, and another account the third', async (t) => {
  const { runtime, release } = heldRuntime(t);
  const reader = createScriptReader();
  const ended: string[] = [];
  const read = async (account: string, of: typeof currentRuntime): Promise<void> => {
    await reader.programFault(account, mistaken, of);
    ended.push(account);
  };
  const held = [read(own, runtime), read(own, runtime), read(own, currentRuntime)];
  await read(other, currentRuntime);
  assert.deepEqual(ended, [other]);
  await release();
  await Promise.all(held);
  assert.equal(ended.length, 4);
});

describe('the files that a script imports are read as well', () => {
  const broken = 'export const a = 1;\nexport const b = = 2;\n';
  /** Description, type, script, files, and the fault; null = none. */
  const cases: readonly (readonly [string, ScriptWork['sort'], string, Record<string, string>, object | null])[] = [
    [
      'a page object',
      'spec',
      `${imported}import { b } from './pages/b';\ntest('a', () => b);`,
      { 'pages/b.ts': broken },
      { file: 'pages/b.ts', message: 'Unexpected token', line: 2, column: 18 },
    ],
    [
      'a file of an imported file',
      'spec',
      `${imported}import './lib';`,
      { 'lib/index.ts': "export * from '../deep.js';", 'deep.ts': broken },
      { file: 'deep.ts', message: 'Unexpected token', line: 2, column: 18 },
    ],
    [
      'a required file',
      'spec',
      "const { test } = require('@playwright/test');\nconst b = require('./b');",
      { 'b.js': broken },
      { file: 'b.js', message: 'Unexpected token', line: 2, column: 18 },
    ],
    [
      'data',
      'spec',
      `${imported}import data from './data.json';\ntest('a', () => data);`,
      { 'data.json': '{\n  "a": 1,,\n}' },
      { file: 'data.json', message: 'Expected double-quoted property name', line: 2, column: 10 },
    ],
    [
      'a file of a program',
      'plain',
      "import { b } from './b.ts';\nb;",
      { 'b.ts': broken },
      { file: 'b.ts', message: 'Expression expected', line: 2, column: 18 },
    ],
    [
      'a circle of files',
      'spec',
      `${imported}import './b';`,
      { 'b.ts': "import './c';", 'c.ts': "import './b';" },
      null,
    ],
    ['types alone', 'spec', `${imported}import type { B } from './b';`, { 'b.ts': broken }, null],
    ['a file that is imported later', 'spec', `${imported}test('a', () => import('./b'));`, { 'b.ts': broken }, null],
    [
      'a file that is read',
      'plain',
      "import { readFileSync } from 'node:fs';\nreadFileSync('./b.ts');",
      { 'b.ts': broken },
      null,
    ],
    [
      'a package and a missing file',
      'spec',
      `${imported}import 'lodash';\nimport './nowhere';`,
      { 'b.ts': broken },
      null,
    ],
  ];
  for (const [what, sort, content, files, fault] of cases) {
    it(what, async () => {
      const path = sort === 'spec' ? 'a.spec.ts' : 'a.ts';
      const others = Object.entries(files).map(([each, text]) => ({ path: each, content: text }));
      assert.deepEqual(await programFault(own, { sort, path, content, files: others }, currentRuntime), fault);
    });
  }
});
