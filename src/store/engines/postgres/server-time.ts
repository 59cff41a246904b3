// The database's clock, by which all processes judge leases and due times, whatever their machines' clocks say
// (docs/decisions/0016).
import { uptime } from 'node:os';
import type { Clock } from '#lib/clock.ts';

/** Time of the database server, extrapolated with a monotonic clock. */
export interface ServerTime extends Clock {
  /** Asks the server again; continues with the last answer if it is unavailable. */
  measure(): Promise<void>;
  /**
   * Whether the last jump was caused by setting the server's clock, and not by a delay or suspension of this process.
   */
  readonly wasServerSet: boolean;
}

/** An answer of the server. Milliseconds of a monotonic clock, and of this machine's uptime including suspension. */
interface Sample {
  readonly offsetMs: number;
  readonly tripMs: number;
  readonly sentAt: number;
  readonly upMs: number;
}

/** Sources of time. */
export interface ServerTimeDeps {
  /** The server's clock, epoch ms with fractions. */
  readonly ask: () => Promise<number>;
  /** Monotonic clock, ms. */
  readonly steadyNow: () => number;
  /** Uptime of this machine, suspension included, ms. */
  readonly upMs?: () => number;
}

/** Number of remembered answers: the fastest of them is the most accurate. */
const samplesKept = 8;
/** Answers further apart than this on the monotonic clock are not compared, ms. */
const lostSightMs = 30_000;
/** The system reports its uptime in whole seconds. */
const suspendedMs = 1500;

/** Asks three times, so that one slow answer at the start does no harm. */
export async function openServerTime(deps: ServerTimeDeps): Promise<ServerTime> {
  const time = createServerTime(deps, await sampleOf(deps));
  await time.measure();
  await time.measure();
  return time;
}

function createServerTime(deps: ServerTimeDeps, first: Sample): ServerTime {
  let samples = [first];
  let best = first;
  let wasServerSet = false;
  return {
    now: () => Math.round(deps.steadyNow() + best.offsetMs),
    async measure() {
      const sample = await sampleOf(deps);
      const last = samples.at(-1) ?? sample;
      // Each answer is accurate to half its round trip. If two contradict each other, the clock was set between them.
      const isSet = Math.abs(sample.offsetMs - best.offsetMs) > (sample.tripMs + best.tripMs) / 2 + 1;
      const sleptMs = sample.upMs - last.upMs - (sample.sentAt - last.sentAt);
      // Kept until the next jump, because a caller may be called itself in between.
      if (isSet) wasServerSet = sample.sentAt - last.sentAt < lostSightMs && sleptMs < suspendedMs;
      samples = isSet ? [sample] : [...samples, sample].slice(-samplesKept);
      best = samples.reduce((a, b) => (b.tripMs <= a.tripMs ? b : a));
    },
    get wasServerSet() {
      return wasServerSet;
    },
  };
}

async function sampleOf({ ask, steadyNow, upMs = () => uptime() * 1000 }: ServerTimeDeps): Promise<Sample> {
  const sentAt = steadyNow();
  const serverNow = await ask();
  const tripMs = steadyNow() - sentAt;
  return { offsetMs: serverNow - sentAt - tripMs / 2, tripMs, sentAt, upMs: upMs() };
}
