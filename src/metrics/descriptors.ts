// Limits connections by file descriptors, so that some remain for Tocsin's own work (docs/decisions/0091).
import { closeSync, openSync, readFileSync } from 'node:fs';

/** Upper limit of connections; each takes about 20 kB. */
const maxConnections = 10_000;
const fewestConnections = 64;
/** Maximum number of connections of the metrics listener. */
export const metricsConnections = 64;
/** Interval between tests whether a file can be opened, ms. */
const pollMs = 250;

/** Maximum number of open files of this process; null = unknown. */
export function descriptorLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/**
 * Maximum number of connections of a listener: half of the descriptors are reserved for checks, deliveries, scripts and
 * the database.
 */
export function connectionsFor(limit: number | null): number {
  if (limit === null) return maxConnections;
  return Math.max(fewestConnections, Math.min(maxConnections, Math.floor(limit / 2)));
}

/**
 * Calls `onNone` repeatedly while no file can be opened: the system then closes connections before Node.js sees them.
 * @returns stops it
 */
export function watchDescriptors(onNone: () => void): () => void {
  const inspect = (): void => {
    try {
      closeSync(openSync('/dev/null', 'r'));
    } catch {
      onNone();
    }
  };
  const timer = setInterval(inspect, pollMs).unref();
  return () => clearInterval(timer);
}
