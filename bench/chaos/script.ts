// The script that targets follow: what each answers is a function of the wall clock, so that every party can compute it.

/** What a target answers: 200 at once, 500 at once, or 200 after a while. */
export type Answer = 'passing' | 'failing' | 'slow';

/** How long a slow answer takes, ms; checks are degraded above `degradedAboveMs`. */
export const slowMs = 900;
export const degradedAboveMs = 500;
/** Every check runs this often, ms. */
export const intervalMs = 10_000;

/** A time in which a target answers the same, epoch ms. */
export interface Phase {
  readonly answer: Answer;
  readonly from: number;
  readonly to: number;
}

/** A target goes round: failing, then slow or not, then passing; ms. */
interface Round {
  readonly failingMs: number;
  readonly slowMs: number;
  readonly lastsMs: number;
  /** Where in its round it is at the begin of time. */
  readonly aheadMs: number;
}

/**
 * A fifth never fails, so that silence is tested too. Two fifths take their time: their phases outlast whatever may pass
 * unseen, and begin all the time, so that in any two minutes some of them must be told. The others change every two slots or
 * three, which may be told or pass.
 */
function roundOf(index: number): Round | null {
  if (index % 5 === 4) return null;
  const hasSlow = index % 3 === 0;
  return index % 5 < 2
    ? { failingMs: 70_000, slowMs: hasSlow ? 45_000 : 0, lastsMs: 160_000, aheadMs: index * 4733 }
    : { failingMs: 23_000, slowMs: hasSlow ? 11_000 : 0, lastsMs: 46_000 + (index % 7) * 2000, aheadMs: index * 1733 };
}

/** The phase of the target of check number `index` that `at` (epoch ms) lies in; it ends before `to`. */
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

/** What the target of check number `index` answers at `at`, epoch ms. */
export function scriptAt(index: number, at: number): Answer {
  return phaseAt(index, at).answer;
}

/** Everything that the script says of a target between two instants, in order; the first and the last phase are cut there. */
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
