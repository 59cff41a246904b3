// The script that targets follow: what each answers is a function of the wall clock, so that every party can compute it.

/** What a target answers: 200 at once, 500 at once, or 200 after a while. */
export type Answer = 'passing' | 'failing' | 'slow';

/** How long a slow answer takes, ms; checks are degraded above `degradedAboveMs`. */
export const slowMs = 900;
export const degradedAboveMs = 500;
/** Every check runs this often, ms. */
export const intervalMs = 10_000;

/**
 * What the target of check number `index` answers at `at` (epoch ms). Each goes round: passing, failing (two slots and
 * more), every third of them slow in between. A quarter never fails, so that silence is tested too.
 */
export function scriptAt(index: number, at: number): Answer {
  if (index % 4 === 3) return 'passing';
  const roundMs = 46_000 + (index % 7) * 2000;
  const position = (at + index * 1733) % roundMs;
  if (position < 23_000) return 'failing';
  return position < 34_000 && index % 3 === 0 ? 'slow' : 'passing';
}

/** Whether the script says the same over a whole span: only then can a result be held against it. */
export function steadyAnswer(index: number, from: number, to: number): Answer | null {
  const first = scriptAt(index, from);
  for (let at = from; at < to; at += 20) if (scriptAt(index, at) !== first) return null;
  return scriptAt(index, to) === first ? first : null;
}
