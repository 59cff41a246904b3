// The runner of the tests passes only if tests ran and passed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from '../tests/support/service/plain-environment.ts';
import { until } from '../tests/support/until.ts';

const runner = fileURLToPath(new URL('test.ts', import.meta.url));

/** Runs the runner in a project that consists of these files. */
function run(
  files: Readonly<Record<string, string>>,
  ...groups: readonly string[]
): { status: number | null; text: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'tocsin-runner-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [runner, '--sqlite', ...groups], {
      cwd,
      env: plainEnvironment(),
      encoding: 'utf8',
    });
    return { status, text: stdout + stderr };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const passing = "import { test } from 'node:test';\ntest('fine', () => {});\n";
const failing = "import { test } from 'node:test';\ntest('not fine', () => { throw new Error('no apples'); });\n";

it('passes if every test of the groups passed, with skipped ones and their reasons', () => {
  const skipped = `${passing}test('by root', { skip: 'only root can' }, () => {});\n`;
  const files = { 'tests/store/a.test.ts': passing, 'src/lib/b.test.ts': skipped, 'tests/egress/c.test.ts': failing };
  const { status, text } = run(files, 'store', 'unit');
  assert.equal(status, 0, text);
  assert.match(text, /^skipped in src\/lib\/b\.test\.ts: by root .* # only root can$/m);
  assert.match(text, /^3 tests in \d+:\d\d min, 0 of 2 files and scripts failed$/m);
});

it('lists the names of failed files and tests at the end, then their errors', () => {
  const broken = `${failing}import './missing.ts';\n`;
  const files = {
    'tests/egress/a.test.ts': failing,
    'tests/egress/b.test.ts': passing,
    'tests/egress/c.test.ts': broken,
  };
  const { status, text } = run(files, 'egress');
  assert.equal(status, 1, text);
  const end = text.slice(text.indexOf('\n2 of 3 failed:\n'));
  assert.match(end, /^tests\/egress\/a\.test\.ts:2 not fine /m);
  assert.match(end, /Error: no apples/);
  assert.match(end, /Cannot find module .*missing\.ts/);
  assert.ok(end.split('\n').length <= 100, end);
});

it('runs a failed file again, alone, and names the tests that passed only then', () => {
  const lines = [
    "import { existsSync, writeFileSync } from 'node:fs';",
    "import { test } from 'node:test';",
    "test('fine later', () => {",
    "  if (existsSync('was-here')) return;",
    "  writeFileSync('was-here', '');",
    "  throw new Error('too early');",
    '});',
  ];
  const { status, text } = run({ 'tests/egress/a.test.ts': lines.join('\n') }, 'egress');
  assert.equal(status, 0, text);
  assert.match(text, /too early/);
  assert.match(text, /^unstable, passed only when run again: tests\/egress\/a\.test\.ts:3 fine later /m);
});

it('lists the files that took the most CPU time, with the processes that they start', () => {
  const busy = `import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
test('busy', () => void execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 1e6);']));\n`;
  const names = Array.from({ length: 10 }, (_, index) => `tests/egress/${index}.test.ts`);
  const files = { ...Object.fromEntries(names.map((name) => [name, passing])), 'tests/egress/busy.test.ts': busy };
  const { text } = run(files, 'egress');
  const [, list = ''] = /\n\d+ s of CPU time, most of it in:\n([^]*?)\n\d+ tests in /.exec(text) ?? [];
  const lines = list.split('\n');
  assert.equal(lines.length, 10, text);
  assert.match(lines[0] ?? '', /^ +\d+\.\d s, CPU +[1-9]\.\d s {2}tests\/egress\/busy\.test\.ts$/);
});

it('fails if a hook of a file fails', () => {
  const hook = `${passing}import { after } from 'node:test';\nafter(() => { throw new Error('no pears'); });\n`;
  const { status, text } = run({ 'tests/egress/a.test.ts': hook }, 'egress');
  assert.equal(status, 1, text);
  assert.match(text, /a hook failed[^]*no pears/);
});

it('fails if a file has no test, or a group no file', () => {
  const empty = run({ 'tests/store/a.test.ts': '// Nothing.\n', 'tests/store/b.test.ts': passing }, 'store');
  assert.equal(empty.status, 1);
  assert.match(empty.text, /: no test in tests\/store\/a\.test\.ts$/m);
  const none = run({ 'tests/store/a.test.ts': passing }, 'store', 'egress');
  assert.equal(none.status, 1);
  assert.match(none.text, /the group egress has no test file/);
  assert.match(run({}, 'everything').text, /unknown group everything; use all, unit, scripts/);
});

it('gives tests their own temporary folder, and ends processes that they leave running', async () => {
  const leaving = `import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
test('leaves a process', () => {
  const child = spawn('sleep', ['100'], { stdio: 'ignore' });
  child.unref();
  throw new Error('left ' + child.pid + ' in ' + tmpdir() + ' .');
});\n`;
  const { text } = run({ 'tests/store/a.test.ts': leaving }, 'store');
  const [, pid, folder = ''] = /left (\d+) in (\S+) \./.exec(text) ?? [];
  assert.match(folder, /\/tocsin-tests-\w+$/);
  assert.ok(!existsSync(folder));
  assert.ok(Number(pid) > 0, text);
  await until('the process to end', () => !existsSync(`/proc/${pid}`));
});
