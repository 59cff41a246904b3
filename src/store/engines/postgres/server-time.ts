// The database's clock, by which every process judges leases and due times, whatever its own machine's clock says
// (docs/decisions/0016).
import { uptime } from 'node:os';
import type { Clock } from '#lib/clock.ts';

/** Time as the database server has it, kept between two questions by a steady clock. */
export interface ServerTime extends Clock {
  /** Asks the server once more; keeps going by the last answer when the server is away. */
  measure(): Promise<void>;
  /** Whether, when the time last jumped, the server's own clock was set, rather than this process held up or its machine suspended. */
  readonly wasServerSet: boolean;
}

/** One answer of the server. Milliseconds of a steady clock, and of this machine since its start, sleep included. */
interface Sample {
  readonly offsetMs: number;
  readonly tripMs: number;
  readonly askedAt: number;
  readonly upMs: number;
}

/** What time is asked of, and what it is kept with. */
export interface ServerTimeMeans {
  /** The server's clock, epoch ms with fractions. */
  readonly ask: () => Promise<number>;
  /** A clock that is never set, ms. */
  readonly steadyNow: () => number;
  /** How long this machine is up, sleep included, ms. */
  readonly upMs?: () => number;
}

/** Answers that are remembered: the quickest of them is the most exact. */
const samplesKept = 8;
/** Answers this far apart on the steady clock say nothing of what happened between them, ms. */
const lostSightMs = 30_000;
/** The system tells its uptime in whole seconds. */
const suspendedMs = 1500;

/** Asks the server three times, so that one slow answer at the start does no harm. */
export async function openServerTime(means: ServerTimeMeans): Promise<ServerTime> {
  const time = createServerTime(means, await sampleOf(means));
  await time.measure();
  await time.measure();
  return time;
}

function createServerTime(means: ServerTimeMeans, first: Sample): ServerTime {
  let samples = [first];
  let best = first;
  let wasServerSet = false;
  return {
    now: () => Math.round(means.steadyNow() + best.offsetMs),
    async measure() {
      const sample = await sampleOf(means);
      const last = samples.at(-1) ?? sample;
      // Each answer is right to half its trip: two that cannot both be right have a setting of the clock between them.
      const isSet = Math.abs(sample.offsetMs - best.offsetMs) > (sample.tripMs + best.tripMs) / 2 + 1;
      const sleptMs = sample.upMs - last.upMs - (sample.askedAt - last.askedAt);
      // Stays until the next jump: who asks may be asked himself in between.
      if (isSet) wasServerSet = sample.askedAt - last.askedAt < lostSightMs && sleptMs < suspendedMs;
      samples = isSet ? [sample] : [...samples, sample].slice(-samplesKept);
      best = samples.reduce((a, b) => (b.tripMs <= a.tripMs ? b : a));
    },
    get wasServerSet() {
      return wasServerSet;
    },
  };
}

async function sampleOf({ ask, steadyNow, upMs = () => uptime() * 1000 }: ServerTimeMeans): Promise<Sample> {
  const askedAt = steadyNow();
  const serverNow = await ask();
  const tripMs = steadyNow() - askedAt;
  return { offsetMs: serverNow - askedAt - tripMs / 2, tripMs, askedAt, upMs: upMs() };
}
