// When the watchdog is called.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isCallDue, neverCalled, reasonsToWithhold, watchdogIntervalMs } from './watchdog.ts';

const steps = { api: ['record-reception'], deliverer: ['send-deliveries', 'judge-storms'] };
const now = 1_000_000;
const process = (roles: readonly string[], stalled: readonly string[] = [], seenAt = now) => ({
  roles,
  stalled,
  seenAt,
});

it('is called while each step makes progress in one of the processes', () => {
  assert.deepEqual(reasonsToWithhold([process(['api', 'deliverer'])], steps, now), []);
  const two = [process(['api', 'deliverer'], ['send-deliveries']), process(['deliverer'], ['judge-storms'])];
  assert.deepEqual(reasonsToWithhold(two, steps, now), []);
});

it('is not called if a step is stalled everywhere, or nobody has its role', () => {
  const stalled = ['send-deliveries'];
  const both = [process(['api', 'deliverer'], stalled), process(['deliverer'], stalled)];
  assert.deepEqual(reasonsToWithhold(both, steps, now), ['the step send-deliveries makes no progress']);
  const dead = [process(['api']), process(['deliverer'], [], now - 60_000)];
  assert.deepEqual(reasonsToWithhold(dead, steps, now), ['no process with the role deliverer is running']);
  assert.equal(reasonsToWithhold([], steps, now).length, 2);
});

it('is due each minute, also after the clock was set back', () => {
  const due = (dueAt: number): boolean => isCallDue({ ...neverCalled, dueAt }, now);
  assert.deepEqual([due(0), due(now), due(now + 1), due(now + watchdogIntervalMs)], [true, true, false, false]);
  assert.equal(due(now + watchdogIntervalMs + 1), true);
});
