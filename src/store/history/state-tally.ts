// What the stamps of states come to together: while it is the same, or becomes so by the stamps of a few of them, the others
// need not be read (docs/decisions/0040).
import { type Known, keyLength, ownText, type Tally } from './known-statuses.ts';

/** Sums of instants since then (epoch ms) are exact for centuries. */
export const instantsFrom = 1_700_000_000_000;

/** The states that changed a while ago are those known; of later ones there are stamps, and a tally of all. */
export interface News extends Tally {
  /** A line for each state that says to have changed lately; null = none does. */
  readonly stamps: string | null;
}

const nothing: Tally = { rows: 0, versions: 0, instants: 0 };

/** The tally of stamps, a line for each: digits of an id, number of its version, and the instant if there is one. */
export function tallyOf(stamps: string): Tally {
  let sum = nothing;
  for (const line of stamps === '' ? [] : stamps.split('\n')) sum = added(sum, line, 1);
  return sum;
}

function added({ rows, versions, instants }: Tally, stamp: string, times: 1 | -1): Tally {
  const [version = '', instant = ''] = stamp.slice(keyLength).split(' ');
  return {
    rows: rows + times,
    versions: versions + times * Number(version),
    instants: instants + (instant === '' ? 0 : times * (Number(instant) - instantsFrom)),
  };
}

/**
 * Which states changed (keys with their new stamps), and the tally of all then; null = others changed too, or are gone, and all
 * stamps have to be read. Any change makes the tally another one: what is written again is written by another transaction.
 */
export function changedBy(
  { entries }: Known,
  before: Tally,
  { stamps, ...now }: News,
): { readonly changed: ReadonlyMap<string, string>; readonly tally: Tally } | null {
  const changed = new Map<string, string>();
  let tally = before;
  for (const line of stamps?.split('\n') ?? []) {
    const key = line.slice(0, keyLength);
    const entry = entries.get(key);
    if (entry === undefined) return null;
    if (entry.stamp === line) continue;
    if (entry.stamp !== null) tally = added(tally, entry.stamp, -1);
    tally = added(tally, line, 1);
    changed.set(key, ownText(line));
  }
  const isSame = tally.rows === now.rows && tally.versions === now.versions && tally.instants === now.instants;
  return isSame ? { changed, tally } : null;
}
