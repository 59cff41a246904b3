// Events of the simulated machine, chosen by a seed in advance, so that a run can be repeated.
import { createRandom, type Random } from '../chaos/random.ts';

const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** An event of the machine. `at` is the true time, epoch ms. */
export type MachineEvent =
  | { readonly at: number; readonly what: 'clock'; readonly byMs: number }
  /** The clock may be wrong after resuming. */
  | { readonly at: number; readonly what: 'sleep'; readonly ms: number; readonly clockByMs: number }
  | {
      readonly at: number;
      readonly what: 'restart';
      /** Stopped normally, or killed: while idle, during a probe, or during a delivery. */
      readonly how: RestartKind;
      readonly downMs: number;
      /** Clock change while nothing runs, ms. */
      readonly clockByMs: number;
    };
export const restartKinds = ['stopped', 'killed', 'killed while probing', 'killed while sending'] as const;
export type RestartKind = (typeof restartKinds)[number];

/** Ordered, disjoint periods of true time with a problem; epoch ms. */
export type Spells = readonly { readonly from: number; readonly to: number }[];

/** The events of a span of true time (epoch ms), in order and at least minutes apart. */
export function eventsOf(seed: number, from: number, to: number): readonly MachineEvent[] {
  const random = createRandom(seed);
  const events: MachineEvent[] = [];
  // A wrong clock is corrected some time later, like by a time server or a person.
  for (const { from: at, to: until } of spells(random, from, to, { everyMs: 14 * dayMs, lastsMs: 2 * dayMs })) {
    const byMs = random() < 0.5 ? hourMs : -hourMs;
    events.push({ at, what: 'clock', byMs }, { at: until, what: 'clock', byMs: -byMs });
  }
  for (const { from: at } of spells(random, from, to, { everyMs: 10 * dayMs, lastsMs: dayMs })) {
    const ms = random() < 0.7 ? 8 * hourMs : Math.round(random() * 3 * hourMs) + minuteMs;
    const clockByMs = random() < 0.2 ? (random() < 0.5 ? hourMs : -hourMs) : 0;
    events.push({ at, what: 'sleep', ms, clockByMs });
    // Corrected soon: the time server is available once the network is back.
    if (clockByMs !== 0) events.push({ at: at + ms + 10 * minuteMs, what: 'clock', byMs: -clockByMs });
  }
  for (const { from: at } of spells(random, from, to, { everyMs: 5 * dayMs, lastsMs: hourMs })) {
    const how = restartKinds[Math.floor(random() * restartKinds.length)] ?? 'killed';
    const long = random();
    const downMs = Math.round(random() * (long < 0.6 ? minuteMs : long < 0.95 ? 3 * hourMs : 30 * hourMs)) + 500;
    events.push({ at, what: 'restart', how, downMs, clockByMs: 0 });
    // Corrected at the next restart, so that errors do not add up.
  }
  return setWhileDown(apart(events.toSorted((a, b) => a.at - b.at)), random);
}

/** Some clocks change while nothing runs, and are corrected while nothing runs at the next restart. */
function setWhileDown(events: readonly MachineEvent[], random: Random): readonly MachineEvent[] {
  let wrongMs = 0;
  return events.map((event) => {
    if (event.what !== 'restart') return event;
    const clockByMs = wrongMs !== 0 ? -wrongMs : random() < 0.2 ? (random() < 0.5 ? hourMs : -hourMs) : 0;
    wrongMs += clockByMs;
    return { ...event, clockByMs };
  });
}

/** Each event ends before the next begins. */
function apart(events: readonly MachineEvent[]): readonly MachineEvent[] {
  let free = 0;
  return events.map((event) => {
    const at = Math.max(event.at, free);
    const lastsMs = event.what === 'sleep' ? event.ms : event.what === 'restart' ? event.downMs : 0;
    free = at + lastsMs + 3 * minuteMs;
    return { ...event, at };
  });
}

/** Random periods of problems. @param everyMs and lastsMs mean distance and duration, ms */
export function spells(
  random: Random,
  from: number,
  to: number,
  { everyMs, lastsMs }: { readonly everyMs: number; readonly lastsMs: number },
): Spells {
  const found: { from: number; to: number }[] = [];
  // Exponential distances: a period is equally likely at any time.
  const some = (meanMs: number): number => Math.round(-Math.log(1 - random()) * meanMs) + minuteMs;
  for (let at = from + some(everyMs); at < to;) {
    const end = at + some(lastsMs);
    found.push({ from: at, to: end });
    at = end + some(everyMs);
  }
  return found;
}

/** Whether a time lies in one of the periods. Must be called with ascending times. */
export function isWithin(all: Spells): (at: number) => boolean {
  let index = 0;
  return (at) => {
    while (index < all.length && (all[index]?.to ?? 0) <= at) index++;
    const spell = all[index];
    return spell !== undefined && spell.from <= at;
  };
}

/** Whether an instant lies in one of the spans; the clock may go back. */
export function within(spans: Spells): (at: number) => boolean {
  return (at) => {
    let [low, high] = [0, spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spans[middle]?.to ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    const span = spans[low];
    return span !== undefined && span.from <= at;
  };
}
