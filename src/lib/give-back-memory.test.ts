// The setting works in a process that runs, and costs none of the starts after it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const module = new URL('give-back-memory.ts', import.meta.url).href;

function programIn(t: TestContext, lines: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tsn-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'program.mjs');
  writeFileSync(path, lines.join('\n'));
  return path;
}

function run(words: readonly string[], environment: NodeJS.ProcessEnv = {}): string {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    env: { ...env, ...environment },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout + stderr;
}

test('old objects are looked through sooner from then on', (t) => {
  const flood = [
    'const held = Array.from({ length: 300_000 }, (_, n) => ({ text: `${n}`.repeat(9), list: [n] }));',
    'const ring = [];',
    'for (let n = 0; n < 6e6; n++) ring[n % 400_000] = { n, list: [n, held.length] };',
  ];
  const looks = (lines: readonly string[]): number =>
    run(['--trace-gc', programIn(t, lines)]).match(/Mark-Compact/g)?.length ?? 0;
  const [usual, sooner] = [
    looks(flood),
    looks([`import { giveBackMemory } from '${module}';`, 'giveBackMemory();', ...flood]),
  ];
  assert.ok(sooner > usual, `${sooner} times, and ${usual} without`);
});

test('what is compiled in a process that has it is used by the next', (t) => {
  const program = programIn(t, [
    `import { giveBackMemory } from '${module}';`,
    'giveBackMemory();',
    'process.exit(0);',
  ]);
  const kept = { NODE_COMPILE_CACHE: join(program, '..', 'kept'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  assert.match(run([program], kept), /program\.mjs was not initialized/);
  assert.match(run([program], kept), /program\.mjs was accepted/);
});
