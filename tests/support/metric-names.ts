// Which metrics there are, asked of the registry that serves them.
import { createMetrics } from '../../src/metrics.ts';

/** The name of every metric, in the order in which they are made. */
export function metricNames(): readonly string[] {
  const figures = {
    conservation: () => Promise.resolve({ askedFor: 0, open: 0, outcomes: {}, difference: 0 }),
    outbox: () => Promise.resolve({ pending: 0, oldestDueAt: null }),
    checkStates: () => Promise.resolve([]),
  };
  const metrics = createMetrics(figures as unknown as Parameters<typeof createMetrics>[0], {
    probeLoopDelayMs: () => 0,
    now: () => 0,
    ownProcess: () => null,
    showsChecks: true,
  });
  metrics.stop();
  return metrics.registry.getMetricsAsArray().map(({ name }) => name);
}
