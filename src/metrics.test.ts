// What Prometheus reads of the scheduler.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createMetrics } from './metrics.ts';

const figures = {
  conservation: () => Promise.resolve({ askedFor: 0, open: 0, outcomes: {}, difference: 0 }),
  outbox: () => Promise.resolve({ pending: 0, oldestCreatedAt: null }),
  failingChannels: () => Promise.resolve(0),
  checkStates: () => Promise.resolve([]),
};

it('the lag of the scheduler is the longest since the last scrape', async (t) => {
  const metrics = createMetrics(figures as unknown as Parameters<typeof createMetrics>[0], {
    probeLoopDelayMs: () => 0,
    now: () => 0,
    ownProcess: () => null,
  });
  t.after(() => metrics.stop());
  const lag = async (): Promise<string | undefined> =>
    /^tocsin_schedule_lag_seconds (.*)$/m.exec(await metrics.registry.metrics())?.[1];
  metrics.onScheduled({ missed: 0, latestByMs: 1500 });
  metrics.onScheduled({ missed: 0, latestByMs: 20 });
  assert.deepEqual([await lag(), await lag()], ['1.5', '0']);
});
