// Progress of the rounds of a scheduler tick: which rows it writes, and which schedules join a round. Shared by all
// engines (docs/decisions/0036).
import type { ScheduleRoundsTable, SchedulesTable } from '../base/tables/schedule-tables.ts';
import { type DueSchedule, type OpenRound, throughOf, walk } from './schedule-rounds.ts';

/** Progress of the rounds of a tick. @param now epoch ms */
export function createProgress(now: number) {
  const written = new Map<number, ScheduleRoundsTable>();
  // Rounds that are complete up to now; an empty one is written when a schedule joins it.
  const through = new Map<number, ScheduleRoundsTable>();
  const joined = new Set<number>();
  let isMore = false;
  return {
    /** Continues a round with the rows found for its ranges; returns at most `room` due schedules. */
    goOn(open: OpenRound, found: readonly SchedulesTable[][], room: number): readonly DueSchedule[] {
      const { interval_ms, round_to } = open.row;
      const walked = walk(open, found, room);
      if (walked.isThrough && open.until === now) through.set(interval_ms, walked.row);
      else isMore = true;
      if (walked.due.length > 0 || round_to !== null) written.set(interval_ms, walked.row);
      return walked.due;
    },
    /** Starts rounds of intervals that have none. */
    begin(rounds: readonly Pick<ScheduleRoundsTable, 'interval_ms'>[]): void {
      for (const round of rounds) through.set(round.interval_ms, throughOf(round, now));
    },
    /** Whether a schedule that is planned up to now continues in step with its interval. */
    joins({ interval_ms }: SchedulesTable): boolean {
      const round = through.get(interval_ms);
      if (round === undefined) return false;
      joined.add(interval_ms);
      written.set(interval_ms, round);
      return true;
    },
    isJoined: (intervalMs: number): boolean => joined.has(intervalMs),
    /** Whether a round has more to plan at once. */
    isMore: (): boolean => isMore,
    written: (): ScheduleRoundsTable[] => [...written.values()],
  };
}

/** Intervals of these schedules that have no round. */
export function newIntervals(rows: readonly SchedulesTable[], known: ReadonlySet<number>): number[] {
  return [...new Set(rows.map(({ interval_ms }) => interval_ms))].filter((ms) => !known.has(ms));
}
