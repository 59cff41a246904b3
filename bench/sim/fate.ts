// What happens in the years that are simulated: chosen by a seed before they begin, so that a run can be repeated.
import { createDice, type Dice } from '../chaos/dice.ts';

const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Something that happens to the machine. `at` is the true time, epoch ms. */
export type Fate =
  | { readonly at: number; readonly what: 'clock'; readonly byMs: number }
  /** Its clock may be wrong when it wakes. */
  | { readonly at: number; readonly what: 'sleep'; readonly ms: number; readonly clockByMs: number }
  | {
      readonly at: number;
      readonly what: 'restart';
      /** In good order; killed between two turns; killed while a check is looked at; killed while an alert is sent. */
      readonly how: RestartSort;
      readonly downMs: number;
      /** Set while nothing ran, ms. */
      readonly clockByMs: number;
    };
export const restartSorts = ['stopped', 'killed', 'killed while probing', 'killed while sending'] as const;
export type RestartSort = (typeof restartSorts)[number];

/** Stretches of true time in which something is not well, in order and apart; epoch ms. */
export type Spells = readonly { readonly from: number; readonly to: number }[];

/** The fates of a span of true time, epoch ms, in their order, minutes apart at least. */
export function fatesOf(seed: number, from: number, to: number): readonly Fate[] {
  const dice = createDice(seed);
  const fates: Fate[] = [];
  // A clock that is wrong is put right some time later, as a time server or a person does.
  for (const { from: at, to: until } of spells(dice, from, to, { everyMs: 14 * dayMs, lastsMs: 2 * dayMs })) {
    const byMs = dice() < 0.5 ? hourMs : -hourMs;
    fates.push({ at, what: 'clock', byMs }, { at: until, what: 'clock', byMs: -byMs });
  }
  for (const { from: at } of spells(dice, from, to, { everyMs: 10 * dayMs, lastsMs: dayMs })) {
    const ms = dice() < 0.7 ? 8 * hourMs : Math.round(dice() * 3 * hourMs) + minuteMs;
    const clockByMs = dice() < 0.2 ? (dice() < 0.5 ? hourMs : -hourMs) : 0;
    fates.push({ at, what: 'sleep', ms, clockByMs });
    // Put right soon: a time server is asked when the network is back.
    if (clockByMs !== 0) fates.push({ at: at + ms + 10 * minuteMs, what: 'clock', byMs: -clockByMs });
  }
  for (const { from: at } of spells(dice, from, to, { everyMs: 5 * dayMs, lastsMs: hourMs })) {
    const how = restartSorts[Math.floor(dice() * restartSorts.length)] ?? 'killed';
    const long = dice();
    const downMs = Math.round(dice() * (long < 0.6 ? minuteMs : long < 0.95 ? 3 * hourMs : 30 * hourMs)) + 500;
    fates.push({ at, what: 'restart', how, downMs, clockByMs: 0 });
    // Put right at the next one, so that the clock does not go astray.
  }
  return setWhileDown(apart(fates.toSorted((a, b) => a.at - b.at)), dice);
}

/** Some clocks are set while nothing runs, and set right while nothing runs at the next restart. */
function setWhileDown(fates: readonly Fate[], dice: Dice): readonly Fate[] {
  let wrongMs = 0;
  return fates.map((fate) => {
    if (fate.what !== 'restart') return fate;
    const clockByMs = wrongMs !== 0 ? -wrongMs : dice() < 0.2 ? (dice() < 0.5 ? hourMs : -hourMs) : 0;
    wrongMs += clockByMs;
    return { ...fate, clockByMs };
  });
}

/** One thing is over before the next happens. */
function apart(fates: readonly Fate[]): readonly Fate[] {
  let free = 0;
  return fates.map((fate) => {
    const at = Math.max(fate.at, free);
    const lastsMs = fate.what === 'sleep' ? fate.ms : fate.what === 'restart' ? fate.downMs : 0;
    free = at + lastsMs + 3 * minuteMs;
    return { ...fate, at };
  });
}

/** Bad spells at random: how often one begins, and how long it lasts at the mean, ms. */
export function spells(
  dice: Dice,
  from: number,
  to: number,
  { everyMs, lastsMs }: { readonly everyMs: number; readonly lastsMs: number },
): Spells {
  const found: { from: number; to: number }[] = [];
  // Exponential distances: a spell is as likely a minute after the last one as at any other time.
  const some = (meanMs: number): number => Math.round(-Math.log(1 - dice()) * meanMs) + minuteMs;
  for (let at = from + some(everyMs); at < to;) {
    const end = at + some(lastsMs);
    found.push({ from: at, to: end });
    at = end + some(everyMs);
  }
  return found;
}

/** Whether a time lies in one of the spells; asked for times that go on, so it looks from where it was. */
export function isWithin(all: Spells): (at: number) => boolean {
  let index = 0;
  return (at) => {
    while (index < all.length && (all[index]?.to ?? 0) <= at) index++;
    const spell = all[index];
    return spell !== undefined && spell.from <= at;
  };
}

/** Whether an instant lies in one of the spans, which may come again when the clock is set back. */
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
