// Warnings before the end of life of a runtime.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Runtime } from '#domain/checks/runtime.ts';
import { createEndWarning } from './installed-runtimes.ts';

const dayMs = 86_400_000;

test('warns in the log once, thirty days before a runtime ends, even in a long-running process', () => {
  const warned: unknown[] = [];
  const warn = createEndWarning({ warn: (name, fields) => void warned.push([name, fields?.['runtime']]) });
  const runtime: Runtime = {
    name: '2026.04',
    stage: 'STABLE',
    runtimeEndOfLife: '04/30/2027',
    multiStepSupport: true,
    description: '',
    nodeJsVersion: 'v22.0.0',
    dependencies: {},
  };
  const lasting: Runtime = { ...runtime, name: '2026.10', runtimeEndOfLife: null };
  const endsAt = Date.UTC(2027, 3, 30);
  for (const daysBefore of [90, 31, 30.5]) warn([runtime, lasting], endsAt - daysBefore * dayMs);
  assert.deepEqual(warned, []);
  for (const daysBefore of [30, 29, 1]) warn([runtime, lasting], endsAt - daysBefore * dayMs);
  assert.deepEqual(warned, [['runtime.ends', '2026.04']]);
});
