// The start of every program of Tocsin: compiled code is kept where only its user can write, and nowhere else.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('node24.sh', import.meta.url));
const nobody = 65_534;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-compiled-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'compiled');
}

/** Where a program that is started with such a folder keeps compiled code, and what is said of it. */
function startedWith(folder: string): { used: string; said: string } {
  const words = [script, '-p', "require('node:module').getCompileCacheDir() ?? 'none'"];
  const { stdout, stderr } = spawnSync('sh', words, {
    env: { ...process.env, NODE_COMPILE_CACHE: folder },
    encoding: 'utf8',
  });
  return { used: stdout.trim(), said: stderr };
}

test('compiled code is kept in a folder that is made so that only its user can write it', (t) => {
  const folder = folderOf(t);
  const previous = process.umask(0o002);
  t.after(() => process.umask(previous));
  const { used, said } = startedWith(folder);
  assert.ok(used.startsWith(folder), used);
  assert.deepEqual([said, statSync(folder).mode & 0o777], ['', 0o755]);
  // Node.js makes a folder of its own in it.
  assert.ok(used.length > folder.length);
  assert.equal(statSync(used).mode & 0o777, 0o755);
  chmodSync(used, 0o775);
  assert.equal(startedWith(folder).used, 'none', 'others could have written what would be run');
});

test('compiled code that others could have written is not run, and it is said why and what would be right', (t) => {
  const folder = folderOf(t);
  mkdirSync(folder);
  for (const mode of [0o775, 0o757, 0o1777]) {
    chmodSync(folder, mode);
    const { used, said } = startedWith(folder);
    assert.equal(used, 'none', mode.toString(8));
    assert.ok(
      said.startsWith(`tocsin: compiled code is not kept: ${folder} is another user's, or others can write it`),
    );
  }
  chmodSync(folder, 0o755);
  assert.deepEqual(startedWith(folder).said, '');
  if (process.getuid?.() !== 0) return;
  chownSync(folder, nobody, nobody);
  assert.equal(startedWith(folder).used, 'none');
});

test('what a start loads is compiled after an install, where the service looks for it', (t) => {
  const service = fileURLToPath(new URL('serve.sh', import.meta.url));
  const env = { ...process.env, NODE_COMPILE_CACHE: folderOf(t) };
  const compiling = spawnSync('sh', [service, '--compile'], { env, encoding: 'utf8' });
  assert.deepEqual([compiling.status, compiling.stdout, compiling.stderr], [0, '', '']);
  const words = [service, '-p', "require('node:module').getCompileCacheDir()"];
  const used = spawnSync('sh', words, { env, encoding: 'utf8' }).stdout.trim();
  const kept = readdirSync(used).length;
  assert.ok(kept > 1000, `${kept} modules are kept in ${used}`);
});

test('the service starts under no setting that keeps it from code compiled without, as Node.js brings it along', () => {
  const service = fileURLToPath(new URL('serve.sh', import.meta.url));
  const tag = ['-p', "require('node:v8').cachedDataVersionTag()"];
  const plain = spawnSync(process.execPath, tag, { encoding: 'utf8' }).stdout;
  assert.match(plain, /^\d+\n$/);
  assert.equal(spawnSync('sh', [service, ...tag], { encoding: 'utf8' }).stdout, plain);
});

test('what is known about folders of modules is loaded before every program', () => {
  const { stdout } = spawnSync('sh', [script, '-p', 'process.execArgv.join()'], { encoding: 'utf8' });
  assert.match(stdout, /--import,\S+\/tooling\/quick-modules\.ts/);
});

test('threads that compile and clear memory away are no more than there are processors', () => {
  const { stdout } = spawnSync('sh', [script, '-p', 'process.execArgv.join()'], { encoding: 'utf8' });
  assert.equal(stdout.includes('--v8-pool-size=0'), availableParallelism() < 5, stdout);
});
