// Which metrics there are, asked of the registry that serves them.
import { noFigures } from './no-figures.ts';
import { createMetrics } from '#metrics/metrics.ts';

/** The name of every metric, in the order in which they are made. */
export function metricNames(): readonly string[] {
  const metrics = createMetrics(noFigures, {
    probeLoopDelayMs: () => 0,
    now: () => 0,
    ownProcess: () => null,
    runtimeEnds: () => [],
    showsChecks: true,
  });
  metrics.stop();
  return metrics.registry.getMetricsAsArray().map(({ name }) => name);
}
