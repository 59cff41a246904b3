// True time and the clocks of a simulated machine, which can be set, suspended and resumed.
import type { Clock } from '#lib/clock.ts';

/** A machine and the true time. All in ms. */
export interface World {
  /** True time, epoch ms, for targets, jobs and receivers. */
  readonly trueNow: () => number;
  /** A monotonic clock that stops during suspension. */
  readonly steadyNow: () => number;
  /** A monotonic clock that continues during suspension. */
  readonly upMs: () => number;
  /** The machine's clock, which may be wrong. */
  readonly machine: Clock;
  /** Advances time. */
  pass(ms: number): void;
  /** Advances time while the machine is suspended. */
  sleep(ms: number): void;
  /** Changes the machine's clock. */
  setClock(byMs: number): void;
}

/** @param startsAt epoch ms */
export function createWorld(startsAt: number): World {
  let trueNow = startsAt;
  let sleptMs = 0;
  let wrongMs = 0;
  return {
    trueNow: () => trueNow,
    steadyNow: () => trueNow - startsAt - sleptMs,
    upMs: () => trueNow - startsAt,
    machine: { now: () => trueNow + wrongMs },
    pass(ms) {
      trueNow += ms;
    },
    sleep(ms) {
      trueNow += ms;
      sleptMs += ms;
    },
    setClock(byMs) {
      wrongMs += byMs;
    },
  };
}
