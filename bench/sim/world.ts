// Time as it is outside of a simulated machine, and as that machine shows it: its clock is set, it sleeps, it goes on.
import type { Clock } from '#lib/clock.ts';

/** One machine and the time around it. All in ms. */
export interface World {
  /** What time it really is, epoch ms: targets, jobs and receivers live by it. */
  readonly trueNow: () => number;
  /** A clock that nobody sets, and that stands still while the machine sleeps. */
  readonly steadyNow: () => number;
  /** The same, but it goes on while the machine sleeps. */
  readonly upMs: () => number;
  /** What the machine takes for the time; it may have been set wrong. */
  readonly machine: Clock;
  /** Time goes by. */
  pass(ms: number): void;
  /** Time goes by, and the machine sleeps. */
  sleep(ms: number): void;
  /** The machine's clock is set: on by so much, or back. */
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
