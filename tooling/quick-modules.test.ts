// Modules that are found quickly are the ones that Node.js finds by itself, and what is wrong with them is said in its words.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const quickModules = fileURLToPath(new URL('quick-modules.ts', import.meta.url));

/** A project whose path has a space and a letter that addresses escape. */
function project(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tocsin modulés-')));
  t.after(() => rmSync(folder, { recursive: true }));
  const own = { 'package.json': '{"type":"module","imports":{"#*":"./src/*"}}' };
  for (const [path, text] of Object.entries({ ...own, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, 'tooling'), { recursive: true });
  cpSync(quickModules, join(folder, 'tooling/quick-modules.ts'));
  return folder;
}

/** What `src/main.ts` prints, found slowly and quickly. */
function bothWays(folder: string): { out: string; err: string; code: number | null }[] {
  const quick = ['--import', './tooling/quick-modules.ts'];
  return [[], quick].map((words) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [...words, 'src/main.ts'], {
      cwd: folder,
      env: {},
      encoding: 'utf8',
    });
    return { out: stdout, err: stderr, code: status };
  });
}

/** Prints where it is and what it is, so that a module that is taken for another one shows. */
const tell = `console.log(import.meta.url.split('/').slice(-3).join('/'), typeof require);`;

test('modules are the same ones, whatever leads to them', (t) => {
  const folder = project(t, {
    'src/main.ts': `import '#room/a.ts'; import './room/b.ts'; import '../src/room/../room/c.ts'; ${tell}
      import './plain.js'; import 'pack';
      await import('./room/d.ts?again'); await import('#room/a.ts');
      const { Worker } = await import('node:worker_threads');
      new Worker(new URL('./room/thread.ts', import.meta.url));`,
    'src/plain.js': tell,
    'src/other.js': tell,
    'src/room/a.ts': `import { b } from './b.ts'; const text: string = b; ${tell} console.log(text);`,
    'src/room/b.ts': `import data from './data.json' with { type: 'json' }; export const b: string = data.text; ${tell}`,
    'src/room/data.json': '{"text":"of a file"}',
    'src/room/c.ts': `import { createRequire } from 'node:module'; ${tell}
      console.log(createRequire(import.meta.url)('./plain.cjs'), createRequire(import.meta.url)('./b.ts').b);`,
    'src/room/plain.cjs': 'module.exports = typeof require;',
    'src/room/d.ts': tell,
    'src/room/thread.ts': `import './d.ts'; import '#room/b.ts'; ${tell}`,
    'node_modules/pack/package.json': '{"type":"module","exports":"./index.js","imports":{"#*":"./own/*"}}',
    'node_modules/pack/index.js': `import './one.js'; import './two.js'; import '#other.js'; import './old/three.js'; ${tell}`,
    'node_modules/pack/one.js': tell,
    'node_modules/pack/two.js': tell,
    'node_modules/pack/own/other.js': tell,
    'node_modules/pack/old/package.json': '{"type":"commonjs"}',
    'node_modules/pack/old/three.js': `console.log('three', typeof require, require('./four.js'));`,
    'node_modules/pack/old/four.js': 'module.exports = 4;',
  });
  const [slow, quick] = bothWays(folder);
  assert.equal(slow?.code, 0, slow?.err);
  assert.match(slow.out, /^of a file$/m);
  assert.match(slow.out, /^three function 4$/m);
  assert.deepEqual(quick, slow);
});

test('what `require` names without an ending is what Node.js takes', (t) => {
  const told = (what: string): string => `module.exports = ${JSON.stringify(what)};`;
  const folder = project(t, {
    'src/main.ts': `import { createRequire } from 'node:module'; createRequire(import.meta.url)('pack');`,
    'node_modules/pack/index.js': `for (const name of ['./both', './folder', './data', './exact', './with.dot', './own/', './own', './own/..', '.', './a b', './a%20b'])
      try { const got = require(name); console.log(name, typeof got === 'string' ? got : typeof got); } catch (error) { console.log(name, error.code); }
      try { require('./absent'); } catch (error) { console.log(error.message); }`,
    'node_modules/pack/both.js': told('both.js'),
    'node_modules/pack/both/index.js': told('both/index.js'),
    'node_modules/pack/folder/index.js': told('folder/index.js'),
    'node_modules/pack/data.json': '"data.json"',
    'node_modules/pack/exact': told('exact'),
    'node_modules/pack/exact.js': told('exact.js'),
    'node_modules/pack/with.dot.js': told('with.dot.js'),
    'node_modules/pack/a b.js': told('a b.js'),
    'node_modules/pack/a%20b.js': told('a%20b.js'),
    'node_modules/pack/own/package.json': '{"main":"./other"}',
    'node_modules/pack/own/other.js': told('own/other.js'),
  });
  mkdirSync(join(folder, 'node_modules/elsewhere'));
  writeFileSync(
    join(folder, 'node_modules/elsewhere/linked.js'),
    `console.log(__filename.split('/').at(-1)); ${told('linked')}`,
  );
  const [slow, quick] = bothWays(folder);
  assert.equal(slow?.code, 0, slow?.err);
  assert.match(slow.out, /^\.\/both both\.js$/m);
  assert.deepEqual(quick, slow);
  // A folder with a link in it: the link comes before what has an ending.
  symlinkSync(join(folder, 'node_modules/elsewhere/linked.js'), join(folder, 'node_modules/pack/linked'));
  writeFileSync(join(folder, 'node_modules/pack/linked.js'), told('beside it'));
  writeFileSync(join(folder, 'node_modules/pack/index.js'), `console.log(require('./linked'), require('./both'));`);
  const [slowLinked, quickLinked] = bothWays(folder);
  assert.match(slowLinked?.out ?? '', /^linked\.js\nlinked both\.js$/m);
  assert.deepEqual(quickLinked, slowLinked);
});

test('a link leads to the same module as ever, and keeps its own package', (t) => {
  const folder = project(t, {
    'src/main.ts': `import './a.ts'; import './linked.ts'; import './linked-js.js'; ${tell}`,
    'src/a.ts': `import './plain.js'; ${tell}`,
    'src/plain.js': tell,
    'other/linked.ts': tell,
    'other/package.json': '{"type":"commonjs"}',
    'other/linked.js': `console.log('linked', typeof require);`,
  });
  writeFileSync(join(folder, 'other/linked.ts'), `console.log('linked, TypeScript', typeof require);`);
  symlinkSync('../other/linked.ts', join(folder, 'src/linked.ts'));
  symlinkSync('../other/linked.js', join(folder, 'src/linked-js.js'));
  const [slow, quick] = bothWays(folder);
  assert.equal(slow?.code, 0, slow?.err);
  assert.match(slow.out, /^linked function$/m);
  assert.deepEqual(quick, slow);
});

for (const [what, files] of Object.entries({
  'a module that is not there': { 'src/main.ts': `import './a.ts'; import './nowhere.ts';`, 'src/a.ts': '' },
  'a room that is not there': { 'src/main.ts': `import '#room/a.ts'; import '#room/nowhere.ts';`, 'src/room/a.ts': '' },
  'a folder in the place of a module': {
    'src/main.ts': `import './a.ts'; import './folder.ts';`,
    'src/a.ts': '',
    'src/folder.ts/a.ts': '',
  },
  'types that cannot be left out': {
    'src/main.ts': `import './a.ts'; import './b.ts';`,
    'src/a.ts': '',
    'src/b.ts': 'enum A {}',
  },
})) {
  test(`${what} is said as Node.js says it`, (t) => {
    const [slow, quick] = bothWays(project(t, files));
    assert.notEqual(slow?.code, 0);
    // The stack names what found it out, and is another one.
    const said = (text = ''): string | undefined => text.split('\n').find((line) => /\w*Error\b.*: /.test(line));
    assert.ok(said(slow?.err), slow?.err);
    assert.equal(said(quick?.err), said(slow?.err));
  });
}
