// The notice about refused connections says for how long pings may have been refused.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createRefusedConnections } from './refused-connections.ts';

test('the notice names the period, begins anew after a minute, and ends after a day', () => {
  let now = Date.UTC(2026, 10, 1);
  const refused = createRefusedConnections({ count: 0 }, () => now);
  assert.deepEqual(refused.notices(), []);
  const from = now;
  for (let second = 0; second < 150; second += 30) {
    refused.note();
    now += 30_000;
  }
  const [notice] = refused.notices();
  assert.deepEqual([notice?.kind, notice?.since], ['connections-refused', from]);
  assert.match(
    notice?.message ?? '',
    /^For 2 min, until 2026-11-01T00:02:00\.000Z, the process \d+ on \S+ refused connections /,
  );
  now += 120_000;
  refused.note();
  assert.match(refused.notices()[0]?.message ?? '', /^For 1 s, /);
  now += 86_400_001;
  assert.deepEqual(refused.notices(), []);
});
