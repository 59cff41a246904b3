// Where checks stand, as the API reads it.
import type { StatusOfCheck } from '#domain/checks/status-of-check.ts';
import { createRecent } from '#lib/recent.ts';
import type { Database } from '../base/database.ts';
import { compareStamps, type KeyRange, type Known, knownOf, type StatusPiece, withStates } from './known-statuses.ts';
import { changedBy, tallyOf } from './state-tally.ts';
import { breathe, createStatusRows } from './status-rows.ts';

/** The state of every check. */
export interface CheckStatuses {
  /**
   * All of them, checks without any result too, oldest check first, side by side in pieces. A piece is the same array
   * again, and a status the same object, as long as nothing in it changed (docs/decisions/0040).
   */
  list(accountId: string): Promise<readonly StatusPiece[]>;
  find(accountId: string, checkId: string): Promise<StatusOfCheck | null>;
}

/** Stamps read in one statement at most. */
const stampsAtOnce = 5000;
/** Checks whose statuses are remembered, of all accounts together: about a kilobyte each. */
const rememberedMost = 50_000;

/** What changed before this long ago is nearly always committed, ms; what is not is noticed by the tally. */
const committedAfterMs = 2000;

/** A range as it is now; keys of what changed in it with their stamps, null = some of it is gone. */
interface ReadRange {
  readonly range: KeyRange;
  readonly changed: ReadonlyMap<string, string> | null;
}

export function createCheckStatuses(database: Database): CheckStatuses {
  const { dialect, clock, writesOfOthers } = database;
  const read = createStatusRows(database);
  // An account without checks counts as one.
  const remembered = createRecent<Known>({ most: rememberedMost, sizeOf: ({ entries }) => Math.max(1, entries.size) });
  const rangeSize = Math.min(dialect.rowsAtOnce ?? stampsAtOnce, stampsAtOnce);
  const readRange = async (accountId: string, known: Known, range: KeyRange): Promise<ReadRange> => {
    const [readAt, ofOthers] = [clock.now(), writesOfOthers()];
    const since = range.readAt - committedAfterMs;
    const tally = readAt < since || ofOthers !== range.ofOthers ? null : range.tally;
    const found = tally === null ? null : changedBy(known, tally, await read.news(accountId, range, since));
    if (found !== null) return { range: { ...range, tally: found.tally, readAt }, changed: found.changed };
    const stamps = await read.stamps(accountId, range);
    const { changed, isGone } = compareStamps(known, range, stamps);
    return { range: { ...range, tally: tallyOf(stamps), readAt, ofOthers }, changed: isGone ? null : changed };
  };
  const readRanges = async (accountId: string, known: Known): Promise<ReadRange[]> => {
    if (dialect.rowsAtOnce === null) {
      return Promise.all(known.ranges.map((range) => readRange(accountId, known, range)));
    }
    const all: ReadRange[] = [];
    for (const range of known.ranges) {
      all.push(await readRange(accountId, known, range));
      await breathe();
    }
    return all;
  };
  /** null = a check was deleted in the midst of it. */
  const readList = async (accountId: string): Promise<Known | null> => {
    // What is remembered is as old as the count before it and the stamps before its states, never newer than either: so
    // whatever is committed later makes one of them differ.
    const revision = await read.revision(accountId);
    const before = remembered.get(accountId);
    const known =
      before?.revision === revision ? before : knownOf(await read.checks(accountId), { revision, before, rangeSize });
    const ranges: KeyRange[] = [];
    const changes: Parameters<typeof withStates>[2][number][] = [];
    for (const { range, changed } of await readRanges(accountId, known)) {
      if (changed === null) return null;
      ranges.push(range);
      if (changed.size === 0) continue;
      for (const [key, state] of await read.states(accountId, [...changed.keys()])) {
        const stamp = changed.get(key);
        if (stamp !== undefined) changes.push({ key, stamp, state });
      }
      await breathe();
    }
    return withStates(known, ranges, changes);
  };
  return {
    async list(accountId) {
      let known = await readList(accountId);
      // Whoever deleted it has counted up the revision: now it is not in the list either.
      known ??= await readList(accountId);
      if (known === null) throw new Error('states of checks went without their checks');
      remembered.set(accountId, known);
      return known.pieces;
    },
    find: (accountId, checkId) => read.one(accountId, checkId),
  };
}
