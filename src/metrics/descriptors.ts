// File descriptors: how many connections this process takes, so that its own work always finds one (docs/decisions/0091).
import { closeSync, openSync, readFileSync } from 'node:fs';

/** More connections than anybody needs at a time; each takes some 20 kB. */
const mostConnections = 10_000;
const fewestConnections = 64;
/** Connections that the listener of the metrics takes: scrapers need few. */
export const metricsConnections = 64;
/** Between two looks whether a file can still be opened, ms. */
const lookMs = 250;

/** How many files this process may have open; null = the system does not say. */
export function descriptorLimit(): number | null {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/** How many connections a listener takes: half of the descriptors are kept for checks, deliveries, scripts and the database. */
export function connectionsFor(limit: number | null): number {
  if (limit === null) return mostConnections;
  return Math.max(fewestConnections, Math.min(mostConnections, Math.floor(limit / 2)));
}

/**
 * Calls `onNone` again and again while no file can be opened: the system then closes connections before Node.js sees them.
 *
 * @returns ends it
 */
export function watchDescriptors(onNone: () => void): () => void {
  const look = (): void => {
    try {
      closeSync(openSync('/dev/null', 'r'));
    } catch {
      onNone();
    }
  };
  const timer = setInterval(look, lookMs).unref();
  return () => clearInterval(timer);
}
