// The classes of prom-client that are used, each from its own file: its whole brings gauges of its own, a push gateway and a
// tracing API along, eighty modules that nothing here calls (docs/decisions/0063).
import { createRequire } from 'node:module';
import type * as Whole from 'prom-client';

const load = createRequire(import.meta.url);

/** A figure that only grows. */
export const Counter = load('prom-client/lib/counter.js') as typeof Whole.Counter;
/** A figure that is set. */
export const Gauge = load('prom-client/lib/gauge.js') as typeof Whole.Gauge;
/** Figures counted by how large they are. */
export const Histogram = load('prom-client/lib/histogram.js') as typeof Whole.Histogram;
/** What Prometheus reads at once. */
export const Registry = load('prom-client/lib/registry.js') as typeof Whole.Registry;
