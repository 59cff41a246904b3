// The script of the targets: each response is a function of the wall clock, so that every party can compute it.

/** Response of a target: 200 at once, 500 at once, or 200 after a delay. */
export type Answer = 'passing' | 'failing' | 'slow';

/** Delay of a slow response, ms; checks are degraded above `degradedAboveMs`. */
export const slowMs = 900;
export const degradedAboveMs = 500;
/** Interval of every check, ms. */
export const intervalMs = 10_000;

/** A period in which a target responds the same way, epoch ms. */
export interface Phase {
  readonly answer: Answer;
  readonly from: number;
  readonly to: number;
}

/** Cycle of a target, ms: failing, then slow or not, then passing. */
interface Round {
  readonly failingMs: number;
  readonly slowMs: number;
  readonly lastsMs: number;
  /** Position in the cycle at time 0. */
  readonly aheadMs: number;
}

/**
 * A fifth never fails, so that the absence of alerts is tested, too. Two fifths have phases that last long enough to be
 * detected in any case and often enough to require some alerts in any two minutes. The others change every two or three
 * slots, so that alerts are optional.
 */
function roundOf(index: number): Round | null {
  if (index % 5 === 4) return null;
  const hasSlow = index % 3 === 0;
  return index % 5 < 2
    ? { failingMs: 70_000, slowMs: hasSlow ? 45_000 : 0, lastsMs: 160_000, aheadMs: index * 4733 }
    : { failingMs: 23_000, slowMs: hasSlow ? 11_000 : 0, lastsMs: 46_000 + (index % 7) * 2000, aheadMs: index * 1733 };
}

/** The phase at `at` (epoch ms) of the target of check number `index`; it ends before `to`. */
function phaseAt(index: number, at: number): Phase {
  const round = roundOf(index);
  if (round === null) return { answer: 'passing', from: 0, to: Number.POSITIVE_INFINITY };
  const slowTo = round.failingMs + round.slowMs;
  const parts: readonly [Answer, number, number][] = [
    ['failing', 0, round.failingMs],
    ['slow', round.failingMs, slowTo],
    ['passing', slowTo, round.lastsMs],
  ];
  const position = (at + round.aheadMs) % round.lastsMs;
  const [answer, from, to] = parts.find((part) => position < part[2]) ?? ['passing', slowTo, round.lastsMs];
  return { answer, from: at - position + from, to: at - position + to };
}

/** The response at `at`, epoch ms, of the target of check number `index`. */
export function scriptAt(index: number, at: number): Answer {
  return phaseAt(index, at).answer;
}

/** All phases of a target between two times, in order; the first and the last are cut there. */
export function phasesOf(index: number, from: number, to: number): Phase[] {
  const phases: Phase[] = [];
  for (let at = from; at < to;) {
    const phase = phaseAt(index, at);
    const cut = { answer: phase.answer, from: at, to: Math.min(phase.to, to) };
    phases.push(cut);
    at = cut.to;
  }
  return phases;
}
