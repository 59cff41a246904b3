// The runner of the tests goes green only on tests that ran and passed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const runner = fileURLToPath(new URL('test.ts', import.meta.url));

/** Runs the runner in a project that consists of these files. */
function run(
  files: Readonly<Record<string, string>>,
  ...groups: readonly string[]
): { status: number | null; text: string } {
  return runWith({}, files, ...groups);
}

/** The same, where the environment also holds `variables`. */
function runWith(
  variables: NodeJS.ProcessEnv,
  files: Readonly<Record<string, string>>,
  ...groups: readonly string[]
): { status: number | null; text: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'tocsin-runner-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [runner, ...groups], {
      cwd,
      env: { ...process.env, ...variables },
      encoding: 'utf8',
    });
    return { status, text: stdout + stderr };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const passing = "import { test } from 'node:test';\ntest('fine', () => {});\n";
const failing = "import { test } from 'node:test';\ntest('not fine', () => { throw new Error('no'); });\n";

describe('the runner of the tests', () => {
  it('passes when every test of the group passed, and ends with the figures', () => {
    const { status, text } = run({ 'tests/store/a.test.ts': passing, 'tests/rest/b.test.ts': failing }, 'store');
    assert.equal(status, 0, text);
    assert.match(text, /# files 1 \(store\)\n# tests 1\n# pass 1\n# fail 0\n/);
    assert.match(text, /\n# took \d+ min \d+ s\n/);
  });

  it('gives the tests a folder of its own for what they write meanwhile, where it is told to, and removes it', () => {
    const telling = `import { writeFileSync } from 'node:fs';
      import { tmpdir } from 'node:os';
      import { test } from 'node:test';
      test('told', () => { writeFileSync(tmpdir() + '/kept', ''); console.log('it is ' + tmpdir() + ' .'); });`;
    const { status, text } = run({ 'tests/store/a.test.ts': telling }, 'store');
    assert.equal(status, 0, text);
    const [, folder = ''] = /it is (\S+) \./.exec(text) ?? [];
    // This test has a TMPDIR itself when it is one of many.
    assert.match(folder, /\/tocsin-tests-\w+$/);
    if (process.env['TMPDIR'] !== undefined) assert.equal(dirname(folder), process.env['TMPDIR']);
    assert.ok(!existsSync(folder));
  });

  it('fails when a test failed', () => {
    const { status, text } = run({ 'tests/store/a.test.ts': passing, 'tests/store/b.test.ts': failing }, 'store');
    assert.equal(status, 1);
    assert.match(text, /# pass 1\n# fail 1\n/);
  });

  it('fails when a group has no file, and names it', () => {
    const { status, text } = run({ 'tests/store/a.test.ts': passing }, 'store', 'rest');
    assert.equal(status, 1);
    assert.match(text, /the group rest has no test file/);
  });

  it('fails when a file has no test, and names it', () => {
    const { status, text } = run(
      { 'tests/store/a.test.ts': passing, 'tests/store/b.test.ts': '// Nothing.\n' },
      'store',
    );
    assert.equal(status, 1);
    assert.match(text, /no test was run in .*b\.test\.ts/);
  });

  it('fails on a group it does not know, and lists those there are', () => {
    const { status, text } = run({}, 'everything');
    assert.equal(status, 1);
    assert.match(text, /all, unit, scripts, project, store, rest, flows/);
  });

  it('counts the tests of every file', () => {
    const three = `${passing}test('also fine', () => {});\ntest.skip('later', () => {});\n`;
    const { text } = run({ 'tests/store/a.test.ts': three, 'tests/store/b.test.ts': passing }, 'store');
    assert.match(text, /# files 2 \(store\)\n# tests 4\n# pass 3\n# fail 0\n# cancelled 0\n# skipped 1\n/);
  });

  it('says at its end what was not run on this machine, and why', () => {
    const parts = `import { describe, it } from 'node:test';
describe('with the real one', { skip: 'this machine has none' }, () => { it('part', () => {}); });
it('by root', (t) => t.skip('only root can'));
it('later', { skip: true }, () => {});
it('run', { skip: false }, () => {});\n`;
    const { status, text } = run({ 'tests/store/a.test.ts': parts }, 'store');
    assert.equal(status, 0, text);
    const said = [...text.matchAll(/^# not run here: (.*)$/gm)].map(([, line]) => line);
    assert.deepEqual(said, [
      'with the real one: this machine has none',
      'by root: only root can',
      'later: no reason is given',
    ]);
  });

  it('runs every engine whatever the environment says, and one when it is asked for', () => {
    const telling = `${passing}console.log('engines ' + process.env['TOCSIN_TEST_ENGINES'] + ' .');\n`;
    const files = { 'tests/store/a.test.ts': telling };
    const variables = { TOCSIN_TEST_ENGINES: 'PostgreSQL' };
    const all = runWith(variables, files, 'store').text;
    assert.match(all, /engines undefined \.(.|\n)*# TOCSIN_TEST_ENGINES=PostgreSQL was not heeded/);
    assert.match(runWith(variables, files, 'store', '--sqlite').text, /engines SQLite \.(.|\n)*was not heeded/);
    // `npm run check` tells the tests of this file of its one engine.
    const none = runWith({ TOCSIN_TEST_ENGINES: undefined }, files, 'store').text;
    assert.match(none, /engines undefined \./);
    assert.doesNotMatch(none, /TOCSIN_TEST_ENGINES=/);
  });

  it('ends a file that something a test left open keeps, fails, and names it', () => {
    const open = `${passing}import { createServer } from 'node:net';\ncreateServer().listen(0, '127.0.0.1');\n`;
    const files = { 'tests/store/a.test.ts': open, 'tests/store/b.test.ts': passing, 'tests/flows/c.test.ts': passing };
    const { status, text } = run(files, 'store', 'flows', '--patience', '6');
    assert.equal(status, 1);
    // Those two share a process.
    const names = 'tests/store/a.test.ts or tests/store/b.test.ts';
    assert.ok(text.includes(`tests: ${names} does not end: it is still open 6 s after its last test`), text);
    assert.doesNotMatch(text, /c\.test\.ts does not end/);
  });

  it('lets files share a process that set nothing of it, and no others', () => {
    const telling = `${passing}test('told', () => { console.log(process.pid + ' of ' + process.env['OF_ONE']); });\n`;
    const setting = `${telling}process.env['OF_ONE'] = 'c';\n`;
    const hooked = `import { before } from 'node:test';\n${telling}before(() => {});\n`;
    const [a, b, c, d, e] = ['rest/a', 'rest/b', 'rest/c', 'rest/d', 'flows/e'].map((name) => `tests/${name}.test.ts`);
    const files = { [`${a}`]: telling, [`${b}`]: telling, [`${c}`]: setting, [`${d}`]: hooked, [`${e}`]: telling };
    const { status, text } = run(files, 'rest', 'flows');
    assert.equal(status, 0, text);
    const told = [...text.matchAll(/^(\d+) of (\w+)$/gm)].map(([, pid, word]) => `${pid} ${word}`);
    assert.equal(told.length, 5, text);
    assert.equal(new Set(told).size, 4, text);
    assert.equal(told.filter((each) => each.endsWith(' c')).length, 1, text);
    assert.match(text, /# files 5 \(rest, flows\)\n# tests 10\n/);
  });

  it('lets flows share a process that share a service', () => {
    const telling = (words = ''): string => `import { describe } from '../support/each-topology.ts';
import { test } from 'node:test';
describe('flow', {${words}}, () => { test('told', () => { console.log('in ' + process.pid); }); });\n`;
    const files = {
      'tests/support/each-topology.ts': "export { describe } from 'node:test';\n",
      'tests/flows/a.test.ts': telling(),
      'tests/flows/b.test.ts': telling(),
      'tests/flows/c.test.ts': telling(' own: {} '),
    };
    const { status, text } = run(files, 'flows');
    assert.equal(status, 0, text);
    const told = [...text.matchAll(/^in (\d+)$/gm)].map(([, pid]) => pid);
    assert.deepEqual([told.length, new Set(told).size], [3, 2], text);
  });

  it('waits for a test that takes longer than a file may stay after its last', () => {
    const slow =
      "import { test } from 'node:test';\ntest('slow', () => new Promise((end) => setTimeout(end, 8000)));\n";
    const { status, text } = run({ 'tests/store/a.test.ts': slow }, 'store', '--patience', '6');
    assert.equal(status, 0, text);
  });
});
