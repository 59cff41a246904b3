// Rounds of schedules in PostgreSQL: the process that continues the round of an interval locks it until the end of its
// transaction.
import type { IdBytes } from '../../base/codec.ts';
import { idLength } from '../runs/run-rows.ts';
import { createProgress, newIntervals } from '../../schedules/round-progress.ts';
import {
  type DueSchedule,
  inStep,
  inStepRow,
  nextOfRound,
  openRound,
  phaseAfter,
  type PhaseRange,
  roomOf,
} from '../../schedules/schedule-rounds.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '../../base/tables/schedule-tables.ts';
import type { Bulk } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';

/** The rounds that this tick has locked. */
export interface HeldRounds {
  /** Their due schedules, at most `most`. */
  due(max: number): Promise<DueSchedule[]>;
  /** Starts rounds for schedules of intervals that have none. Before anything of them is written. */
  begin(rows: readonly SchedulesTable[]): Promise<void>;
  /** Whether a schedule that is planned up to now continues in step with its interval. */
  joins(row: SchedulesTable): boolean;
  /** Writes their progress, once it is known which schedules join. */
  send(): void;
  /** Whether there is more to do at once. */
  isMore(): boolean;
  /** When the next future schedule in step is due, epoch ms; Infinity if none. */
  nextDueAt(): number;
}

/**
 * Rounds locked by others are checked again after this time, ms: the lock may be for a change of a check instead of
 * planning.
 */
const othersMs = 20;
const roundUpdate = {
  table: 'schedule_rounds',
  keys: ['interval_ms'],
  set: ['planned_to', 'round_to', 'at_slot', 'at_account', 'at_check'],
} as const;

/** Rows read of all rounds together, as a multiple of a tick's limit: their distribution is unknown before. */
const readAhead = 4;

export async function takeRounds(session: Session, bulk: Bulk, now: number): Promise<HeldRounds> {
  const [held, all] = await Promise.all([
    session.query<ScheduleRoundsTable>('SELECT * FROM schedule_rounds ORDER BY planned_to DESC FOR UPDATE SKIP LOCKED'),
    session.query<{ interval_ms: number }>('SELECT interval_ms FROM schedule_rounds'),
  ]);
  const known = new Set([...all, ...held].map(({ interval_ms }) => interval_ms));
  const progress = createProgress(now);
  let phases: readonly Phases[] = [];
  return {
    async due(max) {
      const open = held.map((row) => openRound(row, now)).filter((round) => round !== null);
      const atOnce = Math.min(max, Math.max(1, Math.ceil((readAhead * max) / Math.max(1, open.length))));
      const [read, found] = await Promise.all([
        Promise.all(
          open.map(({ ranges }) => Promise.all(ranges.map((range) => readRange(session, range, atOnce + 1)))),
        ),
        readPhases(session, held, now),
      ]);
      phases = found;
      const due: DueSchedule[] = [];
      for (const [index, round] of open.entries()) {
        const room = Math.min(atOnce, roomOf(max - due.length, open.length - index));
        due.push(...progress.goOn(round, read[index] ?? [], room));
      }
      return due;
    },
    async begin(rows) {
      progress.begin(await beginRounds(session, newIntervals(rows, known), now));
    },
    joins: (row) => progress.joins(row),
    send() {
      bulk.sendUpdate(roundUpdate, progress.written());
      const empty = phases.filter(({ first, interval_ms }) => first === null && !progress.isJoined(interval_ms));
      endRounds(session, empty);
    },
    isMore: () => progress.isMore(),
    nextDueAt() {
      const others = known.size > held.length ? now + othersMs : Number.POSITIVE_INFINITY;
      return phases.reduce((least, { interval_ms, ...found }) => {
        return Math.min(least, nextOfRound(interval_ms, now, found) ?? Number.POSITIVE_INFINITY);
      }, others);
    },
  };
}

/** If another process starts the round at the same time, it belongs to that one. */
async function beginRounds(
  session: Session,
  intervals: readonly number[],
  now: number,
): Promise<readonly Pick<ScheduleRoundsTable, 'interval_ms'>[]> {
  if (intervals.length === 0) return [];
  return session.query<Pick<ScheduleRoundsTable, 'interval_ms'>>(
    `INSERT INTO schedule_rounds (interval_ms, planned_to) SELECT given, $2 FROM unnest($1::bigint[]) AS given
     ORDER BY given ON CONFLICT DO NOTHING RETURNING interval_ms`,
    [intervals, now],
  );
}

/** Of intervals without a schedule in step. */
function endRounds(session: Session, empty: readonly Pick<ScheduleRoundsTable, 'interval_ms'>[]): void {
  if (empty.length === 0) return;
  session.send('DELETE FROM schedule_rounds WHERE interval_ms = ANY($1)', [
    empty.map(({ interval_ms }) => interval_ms),
  ]);
}

async function readRange(session: Session, range: PhaseRange, max: number): Promise<SchedulesTable[]> {
  const { intervalMs, phaseMs, accountId, checkId, lastPhaseMs } = range;
  const [lists] = await session.query<RangeLists>(
    `SELECT string_agg(account_id || check_id, '') AS ids, array_agg(phase_ms) AS phases, array_agg(run_parallel) AS parallels,
       CASE WHEN bool_or(locations <> '[]') THEN array_agg(locations) END AS locations
     FROM (SELECT account_id, check_id, phase_ms, locations, run_parallel FROM schedules
       WHERE next_due_at = ${inStep} AND interval_ms = $1
         AND (phase_ms, account_id, check_id) > ($2, $3, $4) AND phase_ms <= $5
       ORDER BY phase_ms, account_id, check_id LIMIT $6) AS due`,
    [intervalMs, phaseMs, accountId, checkId, lastPhaseMs, max],
  );
  return lists === undefined || lists.ids === null ? [] : rowsOf({ ...lists, ids: lists.ids }, intervalMs);
}

/** The rows of a range as lists, in order: individual rows are slow to write there and to read here. */
interface RangeLists {
  /** Concatenated IDs of account and check; null = no row. */
  readonly ids: IdBytes | null;
  readonly phases: readonly number[];
  readonly parallels: readonly number[];
  /** null = `[]` in all of them. */
  readonly locations: readonly string[] | null;
}

function rowsOf({ ids, phases, parallels, locations }: RangeLists & { ids: IdBytes }, intervalMs: number) {
  return phases.map((phase_ms, index) => {
    const at = index * 2 * idLength;
    const row = {
      account_id: ids.subarray(at, at + idLength),
      check_id: ids.subarray(at + idLength, at + 2 * idLength),
      phase_ms,
      locations: locations?.[index] ?? '[]',
      run_parallel: parallels[index] ?? 0,
    };
    return inStepRow(row, intervalMs);
  });
}

/** The lowest phase of an interval's schedules in step, and the lowest that is still to come. */
interface Phases {
  readonly interval_ms: number;
  readonly later: number | null;
  readonly first: number | null;
}

async function readPhases(
  session: Session,
  rounds: readonly ScheduleRoundsTable[],
  now: number,
): Promise<readonly Phases[]> {
  if (rounds.length === 0) return [];
  const next = `SELECT phase_ms FROM schedules WHERE next_due_at = ${inStep} AND interval_ms = given.interval_ms`;
  return session.query<Phases>(
    `SELECT given.interval_ms, (${next} AND phase_ms >= given.phase_ms ORDER BY phase_ms LIMIT 1) AS later,
       (${next} ORDER BY phase_ms LIMIT 1) AS first
     FROM unnest($1::bigint[], $2::bigint[]) AS given (interval_ms, phase_ms)`,
    [rounds.map(({ interval_ms }) => interval_ms), rounds.map(({ interval_ms }) => phaseAfter(interval_ms, now))],
  );
}
