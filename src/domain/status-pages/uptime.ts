// Uptime of a service by hour and day, from the roll-ups of its checks.
import { noTimes, type SlotTimes } from '../results/roll-up.ts';

/** Share of an hour that each check was known to be up and known to be down, 0 to 1. */
interface Shares {
  readonly up: number;
  readonly down: number;
}

/**
 * The times of a service in a period, from those of its checks; in ms of the period. It is down while `count` checks
 * are (null = any), known to be up while too few others could be. Exact for a single check; of several, the share of the
 * period in which they were down is taken to overlap.
 */
export function serviceTimes(checks: readonly SlotTimes[], count: number | null, periodMs: number): SlotTimes {
  const shares = checks.flatMap(sharesOf);
  if (shares.length === 0) return noTimes;
  const needed = Math.min(count ?? 1, shares.length);
  const downs = shares.map(({ down }) => down).sort((one, other) => other - one);
  // With one too few that may be down, the service is up.
  const ups = shares.map(({ up }) => up).sort((one, other) => one - other);
  const down = downs[needed - 1] ?? 0;
  const up = Math.min(ups[needed - 1] ?? 0, 1 - down);
  const [downMs, knownMs] = [Math.round(down * periodMs), Math.round((down + up) * periodMs)];
  return { knownMs, downMs, unknownMs: Math.round(periodMs) - knownMs };
}

function sharesOf({ knownMs, downMs, unknownMs }: SlotTimes): Shares[] {
  const allMs = knownMs + unknownMs;
  return allMs === 0 ? [] : [{ up: (knownMs - downMs) / allMs, down: downMs / allMs }];
}

/** A percentage with two decimals, rounded down so that 100.00 means no downtime: `99.99`. */
export function uptimePercent({ knownMs, downMs }: Pick<SlotTimes, 'knownMs' | 'downMs'>): string | null {
  if (knownMs === 0) return null;
  return (Math.floor(((knownMs - downMs) / knownMs) * 10_000 + 1e-9) / 100).toFixed(2);
}

/** Share of a time that is known, in whole percent, rounded down. */
export function knownPercent({ knownMs, unknownMs }: Pick<SlotTimes, 'knownMs' | 'unknownMs'>): number {
  const allMs = knownMs + unknownMs;
  return allMs === 0 ? 0 : Math.floor((knownMs / allMs) * 100);
}
