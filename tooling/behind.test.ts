// What runs behind everything else ends as by itself, and with whoever has started it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';

const behind = 'tooling/behind.ts';

test('a program runs in a session of its own, behind others, and its code is told', () => {
  // Of who is not root the kernel takes ten such words a second, and may take this one of somebody else.
  const program = `const { readFileSync, existsSync } = require('node:fs');
const path = '/proc/self/autogroup';
console.log(require('node:os').getPriority(), existsSync(path) && process.getuid() === 0 ? readFileSync(path, 'utf8').trim().split(' ').at(-1) : 13);
process.exit(7);`;
  const { status, stdout } = spawnSync(process.execPath, [behind, '-e', `setTimeout(() => { ${program} }, 200)`], {
    encoding: 'utf8',
  });
  assert.deepEqual([status, stdout], [7, '13 13\n']);
});

test('it ends with who has started it', { skip: process.platform !== 'linux' }, async () => {
  const program = 'console.log(process.pid); setTimeout(() => {}, 60_000);';
  const child = spawn(process.execPath, [behind, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [pid] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  child.kill('SIGTERM');
  const [code] = (await once(child, 'close')) as [number];
  assert.deepEqual([code, existsSync(`/proc/${pid.trim()}`)], [1, false]);
});
