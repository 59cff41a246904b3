// Limits of scripts, as documented.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hookLimits, browserLimits, programLimits } from './script.ts';

const mega = 1 << 20;
const max = { memoryBytes: 512 * mega, processes: 64, outputBytes: 4 * mega, diskBytes: 256 * mega };

test('a multi-step check has 120 s, a browser check 240 s, a script around a request 10 s, and each has its own limits', () => {
  assert.deepEqual(programLimits, { wallClockMs: 120_000, ...max });
  assert.deepEqual(hookLimits, { wallClockMs: 10_000, ...max });
  assert.deepEqual(browserLimits, {
    wallClockMs: 240_000,
    memoryBytes: 2048 * mega,
    processes: 128,
    outputBytes: 8 * mega,
    diskBytes: 512 * mega,
  });
});

test('docs/multi-step-checks.md states the actual limits', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'multi-step-checks.md'), 'utf8');
  const rows = (text.split('\n## Limits\n')[1] ?? '').matchAll(/^\| (\w+)[^|]*\| ([^|]+) \| ([^|]+) \|$/gm);
  const reported = Object.fromEntries([...rows].map(([, what = '', ...both]) => [what, both]));
  const bytes = (count: number): string => (count < 1 << 30 ? `${count / mega} MB` : `${count / (1 << 30)} GB`);
  const both = [programLimits, browserLimits];
  assert.deepEqual(reported, {
    time: both.map(({ wallClockMs }) => `${wallClockMs / 1000} s`),
    memory: both.map(({ memoryBytes }) => bytes(memoryBytes)),
    processes: both.map(({ processes }) => String(processes)),
    output: both.map(({ outputBytes }) => bytes(outputBytes)),
    disk: both.map(({ diskBytes }) => bytes(diskBytes)),
  });
});
