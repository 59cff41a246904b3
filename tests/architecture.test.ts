// The rules of the house hold for the sources as they are, and each of them would notice a breach.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Rule, rules } from './support/laws/architecture-rules.ts';
import { readSources, type SourceFile, sourceFile } from './support/laws/source-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = readSources(root, ['src']);
const beside = readSources(root, ['tests', 'bench', 'tooling']);

describe('the architecture', () => {
  it('was judged on the whole tree, not on nothing', () => {
    const imports = sources.filter(({ path }) => !path.endsWith('.test.ts')).flatMap((file) => file.imports);
    assert.ok(sources.length >= 150, `read ${sources.length} files`);
    assert.ok(beside.length >= 80, `read ${beside.length} files beside them`);
    assert.ok(imports.filter(({ kind }) => kind === 'file').length >= 300, 'imports of our own files');
    assert.ok(imports.filter(({ kind }) => kind === 'node').length >= 40, 'imports of Node.js');
    const paths = new Set(sources.map(({ path }) => path));
    const lost = imports.filter(({ kind, from }) => kind === 'file' && from.endsWith('.ts') && !paths.has(from));
    assert.deepEqual(lost, [], 'every import of a file of ours leads to a file that was read');
  });

  for (const { sentence, breaches, isOfTests } of rules) {
    it(sentence, () => assert.deepEqual(breaches(isOfTests ? [...sources, ...beside] : sources), []));
  }
});

/** A file with a comment in front, so that it breaks no other rule. */
const file = (path: string, code: string): SourceFile => sourceFile(path, `// Made for this test.\n${code}\n`);

/** For each rule, by a part of its sentence: one file that breaks it, and one beside it that does not. */
const examples: readonly (readonly [part: string, breach: SourceFile, fine: SourceFile])[] = [
  [
    'in its row',
    file('src/store/a.ts', "import { x } from '../rest/x.ts';"),
    file('src/rest/a.ts', "import { x } from '#actions/x.ts';"),
  ],
  [
    'in its row',
    file('src/lib/a.ts', "import type { C } from '#config/config.ts';"),
    file('src/app/a.ts', "import { x } from '#store/x.ts';"),
  ],
  [
    'in its row',
    file('src/rest/a.ts', "import { x } from '../main.ts';"),
    file('src/tocsin.ts', "import { x } from './main.ts';"),
  ],
  [
    'in its row',
    file('src/checks/runner/a.ts', "const w = new Worker(new URL('../../store/w.ts', import.meta.url));"),
    file('src/checks/runner/b.ts', "await import('./w.ts');"),
  ],
  [
    'stands in order',
    file('src/store/channels/a.ts', "import { x } from '../path/runs/x.ts';"),
    file('src/store/path/runs/a.ts', "import { x } from '../../channels/x.ts';"),
  ],
  [
    'only show parts',
    file('src/checks/kinds/tcp/show.ts', "import { tcpSchema } from './schema.ts';"),
    file('src/checks/kinds/tcp/show.ts', "import type { tcpSchema } from './schema.ts';"),
  ],
  [
    'only types of the store',
    file('src/actions/a.ts', "import {\n  x,\n} from '#store/x.ts';"),
    file('src/actions/a.ts', "import { x } from '#lib/x.ts';\nimport type { Store } from '#store/store.ts';"),
  ],
  ['is a room with', file('src/services/a.ts', ''), file('src/lib/a.ts', '')],
  ['is a room with', file('src/a.ts', ''), file('src/main.ts', '')],
  [
    'guard of egress',
    file('src/checks/kinds/tcp/a.ts', "import { x } from '#egress/guard.ts';"),
    file('src/checks/runner/a.ts', "import { x } from '#egress/guard.ts';"),
  ],
  [
    'another kind',
    file('src/checks/kinds/tcp/a.ts', "import { x } from '../api/x.ts';"),
    file('src/checks/registry.ts', "import { x } from './kinds/api/x.ts';"),
  ],
  [
    'another kind',
    file('src/checks/runner/a.ts', "import { x } from '../kinds/api/x.ts';"),
    file('src/checks/kinds/tcp/a.ts', "import { x } from '../../kind.ts';"),
  ],
  [
    'Only the folder of a channel kind',
    file('src/actions/a.ts', "const type = 'WEBHOOK';"),
    file('src/channels/kinds/webhook/a.ts', "const type = 'WEBHOOK';"),
  ],
  [
    'another kind',
    file('src/checks/parts/http/a.ts', "import { x } from '../../kinds/api/x.ts';"),
    file('src/checks/kinds/api/a.ts', "import { x } from '../../parts/http/x.ts';"),
  ],
  [
    'engines of the store',
    file('src/store/engines/postgres/a.ts', "import type { X } from '../sqlite/x.ts';"),
    file('src/store/path/postgres-a.ts', "import type { X } from '../engines/postgres/x.ts';"),
  ],
  [
    'engines of the store',
    file('src/store/checks/checks.ts', "import { x } from '../engines/sqlite/x.ts';"),
    file('src/store/sqlite-store.ts', "import { x } from './engines/sqlite/x.ts';"),
  ],
  [
    'steps of the pipeline',
    file('src/pipeline/run-checks.ts', "import { x } from './send-deliveries.ts';"),
    file('src/pipeline/run-checks.ts', "import { x } from './parts/lease.ts';"),
  ],
  [
    'neither packages',
    file('src/domain/a.ts', "import { z } from 'zod';"),
    file('src/domain/b.ts', "import { z } from './z.ts';"),
  ],
  [
    'neither packages',
    file('src/domain/a.ts', "import { join } from 'node:path';"),
    file('src/lib/a.ts', "import { join } from 'node:path';"),
  ],
  [
    'no clock',
    file('src/domain/a.ts', 'const now = Date.now();'),
    file('src/domain/b.ts', 'const then = new Date(at); // not Date.now()'),
  ],
  [
    'the environment',
    file('src/store/a.ts', 'const { HOME } = process.env;'),
    file('src/config/config.ts', 'const { HOME } = process.env;'),
  ],
  ['pass on', file('src/lib/a.ts', "export { x } from './x.ts';"), file('src/lib/b.ts', 'export { x };')],
  [
    'sees only schemas',
    file('src/contract/a.ts', "import { x } from '#checks/kind.ts';"),
    file('src/contract/a.ts', "import { x } from '#checks/parts/http/schema.ts';"),
  ],
  ['pass on', file('src/lib/index.ts', ''), file('src/lib/indexes.ts', '')],
  ['Names say', file('src/lib/utils.ts', ''), file('src/lib/clock.ts', '')],
  ['Names say', file('src/lib/apiKey.ts', ''), file('src/lib/api-key.ts', '')],
  [
    'opens with a sentence',
    sourceFile('src/lib/a.test.ts', "import assert from 'node:assert/strict';\n\n// A word too late.\n"),
    sourceFile('src/lib/a.test.ts', "// A word in time.\nimport assert from 'node:assert/strict';\n"),
  ],
  [
    'opens with a sentence',
    sourceFile('src/lib/a.ts', "import b from 'b';\n\n/** One. */\nexport const a = 1;\nexport const b = 2;\n"),
    sourceFile('src/lib/a.ts', "import b from 'b';\n\n/** One. */\nexport const a = 1;\n"),
  ],
  [
    'on both engines',
    file('tests/store/a.test.ts', "import { test } from 'node:test';\n\ntest('rows are kept', () => {});"),
    file('tests/store/postgres-a.test.ts', "import { test } from 'node:test';\n\ntest('rows are kept', () => {});"),
  ],
  [
    'on both engines',
    file(
      'tests/store/a.test.ts',
      "import { describe, test } from 'node:test';\nimport { it } from '../support/store/each-engine.ts';\n\ntest('rows', work);",
    ),
    file(
      'tests/store/a.test.ts',
      "import { describe } from 'node:test';\nimport { it } from '../support/store/each-engine.ts';\n\nit('rows', work);",
    ),
  ],
  [
    'on both engines',
    file('tests/store/file.test.ts', "import { test } from '../support/store/each-engine.ts';"),
    file('tests/store/file.test.ts', "import { test } from 'node:test';"),
  ],
  ['enums', file('src/lib/a.ts', 'export enum Colour { Red }'), file('src/lib/b.ts', "const a = 'enum Colour';")],
  ['more than 400', file('src/lib/a.ts', '\n'.repeat(400)), file('src/lib/a.ts', '\n'.repeat(390))],
  ['Files stay small', file('src/lib/a.ts', '\n'.repeat(95)), file('src/lib/a.ts', '\n'.repeat(80))],
];

describe('a rule of the architecture', () => {
  for (const [part, breach, fine] of examples) {
    it(`("${part}") notices ${breach.path} and lets ${fine.path} pass`, () => {
      const rule = ruleOf(part);
      assert.notDeepEqual(rule.breaches([breach]), []);
      assert.deepEqual(rule.breaches([fine]), []);
    });
  }

  it('("circle") notices files that import each other over a third', () => {
    const next = (from: string, to: string): SourceFile =>
      file(`src/lib/${from}.ts`, `import { x } from './${to}.ts';`);
    const { breaches } = ruleOf('circle');
    assert.deepEqual(breaches([next('a', 'b'), next('b', 'c'), next('c', 'd')]), []);
    assert.deepEqual(breaches([next('a', 'b'), next('b', 'c'), next('c', 'b')]), [
      'src/lib/b.ts → src/lib/c.ts → src/lib/b.ts',
    ]);
  });

  it('("25 files") notices a folder with one more', () => {
    const { breaches } = ruleOf('25 files');
    const files = Array.from({ length: 26 }, (_, index) => file(`src/lib/a${index}.ts`, ''));
    assert.deepEqual(breaches(files), ['src/lib: 26 files']);
    assert.deepEqual(breaches(files.slice(1)), []);
  });

  it('has an example each', () => {
    const without = rules.filter(
      ({ sentence }) => !/circle|floors|25 files/.test(sentence) && !examples.some(([part]) => sentence.includes(part)),
    );
    assert.deepEqual(
      without.map(({ sentence }) => sentence),
      [],
    );
  });
});

function ruleOf(part: string): Rule {
  const [rule, ...others] = rules.filter(({ sentence }) => sentence.includes(part));
  assert.ok(rule !== undefined && others.length === 0, `one rule says "${part}"`);
  return rule;
}
