// Schedules in step: those of one interval are planned in rounds, without writing to their rows (docs/decisions/0036).
import { nextSlot } from '#domain/checks/schedule.ts';
import type { IdBytes } from '../base/codec.ts';
import type { SchedulesTable, ScheduleRoundsTable } from '../base/tables/schedule-tables.ts';

/**
 * `next_due_at` of a schedule in step, whose progress is that of the round of its interval. Later than any due time.
 */
export const inStep: number = Number.MAX_SAFE_INTEGER;

/** A due schedule, as input for planning. Times are epoch ms. */
export interface DueSchedule {
  readonly row: SchedulesTable;
  /** Its oldest slot without an outcome. */
  readonly nextDueAt: number;
  /** Later slots are planned on another tick. */
  readonly until: number;
}

/** Columns of a schedule in step. */
export type InStepRow = Pick<SchedulesTable, 'account_id' | 'check_id' | 'phase_ms' | 'locations' | 'run_parallel'>;

/** The whole row. */
export function inStepRow(
  { account_id, check_id, phase_ms, locations, run_parallel }: InStepRow,
  intervalMs: number,
): SchedulesTable {
  const times = { next_due_at: inStep, planned_to: inStep, interval_ms: intervalMs };
  return { account_id, check_id, phase_ms, locations, run_parallel, ...times };
}

/** Position in the order of a round: by slot, then account, then check. */
export interface RoundPosition {
  readonly slotAt: number;
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
}

/** Rows whose slots are in a part of a round: after a phase and key, up to a phase of the interval. */
export interface PhaseRange {
  readonly intervalMs: number;
  readonly phaseMs: number;
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
  readonly lastPhaseMs: number;
  /** Added to the phase of a row to get its slot, epoch ms. */
  readonly base: number;
}

/** A round that continues in this tick. */
export interface OpenRound {
  readonly row: ScheduleRoundsTable;
  /** Until when it plans. */
  readonly until: number;
  readonly ranges: readonly PhaseRange[];
}

const none: IdBytes = new Uint8Array(0);

/** The continued round of an interval at `now` (epoch ms); null = everything up to now is planned. */
export function openRound(row: ScheduleRoundsTable, now: number): OpenRound | null {
  const until = row.round_to ?? now;
  if (until <= row.planned_to) return null;
  const after = positionOf(row);
  const from = after?.slotAt ?? row.planned_to + 1;
  // Every schedule once: its first slot that is not planned.
  const last = Math.min(until, row.planned_to + row.interval_ms);
  const start = { phaseMs: 0, accountId: none, checkId: none };
  const ranges: PhaseRange[] = [];
  let base = from - modulo(from, row.interval_ms);
  let begin = {
    ...start,
    phaseMs: from - base,
    ...(after !== null && { accountId: after.accountId, checkId: after.checkId }),
  };
  while (base <= last) {
    const lastPhaseMs = Math.min(last - base, row.interval_ms - 1);
    ranges.push({ ...begin, intervalMs: row.interval_ms, lastPhaseMs, base });
    base += row.interval_ms;
    begin = start;
  }
  return { row, until, ranges };
}

/** Rows found for a round, in its order, and the state of the round after planning them. */
export interface Walked {
  readonly due: readonly DueSchedule[];
  readonly row: ScheduleRoundsTable;
  /** Whether the round is complete: everything of the interval is planned up to its end. */
  readonly isThrough: boolean;
}

/**
 * Continues a round with the rows found for its ranges, one list each.
 * @param most maximum number of rows to take; a range that was not read to its end has at least one more
 */
export function walk({ row, until, ranges }: OpenRound, found: readonly SchedulesTable[][], max: number): Walked {
  const due: DueSchedule[] = [];
  let isThrough = true;
  for (const [index, { base }] of ranges.entries()) {
    const rows = found[index] ?? [];
    const taken = rows.slice(0, Math.max(0, max - due.length));
    for (const each of taken) due.push({ row: each, nextDueAt: base + each.phase_ms, until });
    if (taken.length < rows.length) {
      isThrough = false;
      break;
    }
  }
  const last = due.at(-1);
  if (isThrough) return { due, row: throughOf(row, until), isThrough };
  const place = last === undefined ? positionOf(row) : lastPlace(last);
  const { slotAt = null, accountId = null, checkId = null } = place ?? {};
  return {
    due,
    row: { ...row, round_to: until, at_slot: slotAt, at_account: accountId, at_check: checkId },
    isThrough,
  };
}

/**
 * How many schedules a round may use of a tick with a capacity of `most`. The least late rounds come first, and the
 * latest get what they leave.
 * @param rounds remaining rounds, including this one
 */
export function roomOf(max: number, rounds: number): number {
  return Math.max(0, Math.ceil(max / rounds));
}

/**
 * How many individually due schedules a tick of `most` takes: a quarter is reserved for those in step, which an
 * overloaded installation would otherwise never plan.
 */
export function ownShareOf(max: number): number {
  return max - Math.floor(max / 4);
}

/** Everything of the interval is planned up to a time. */
export function throughOf({ interval_ms }: Pick<ScheduleRoundsTable, 'interval_ms'>, at: number): ScheduleRoundsTable {
  return { interval_ms, planned_to: at, round_to: null, at_slot: null, at_account: null, at_check: null };
}

/**
 * When a schedule is due, epoch ms: its own time, or that of its round.
 * @param round of its interval; every schedule in step has one
 */
export function dueAtOf(row: SchedulesTable, round: ScheduleRoundsTable | undefined): number {
  if (row.next_due_at !== inStep || round === undefined) return row.next_due_at;
  const slotAt = nextSlot(round.planned_to + 1, row.interval_ms, row.phase_ms);
  if (round.round_to === null) return slotAt;
  const isPlanned = comesBy({ slotAt, accountId: row.account_id, checkId: row.check_id }, positionOf(round));
  return isPlanned ? nextSlot(round.round_to + 1, row.interval_ms, row.phase_ms) : slotAt;
}

/** The first slot of an interval after `now`, from the lowest phases at and after the current one; null = none. */
export function nextOfRound(
  intervalMs: number,
  now: number,
  { later, first }: { readonly later: number | null; readonly first: number | null },
): number | null {
  const base = now + 1 - modulo(now + 1, intervalMs);
  if (later !== null) return base + later;
  return first === null ? null : base + intervalMs + first;
}

/** The phase of the time after `now`, from which on slots are in the future. */
export function phaseAfter(intervalMs: number, now: number): number {
  return modulo(now + 1, intervalMs);
}

/** Whether a time (epoch ms) is a slot of the schedule. */
export function isOnSlot({ interval_ms, phase_ms }: SchedulesTable, at: number): boolean {
  return modulo(at, interval_ms) === phase_ms;
}

/** The round after the clock was set back to `now` (epoch ms); null = it is unaffected. */
export function broughtBack(row: ScheduleRoundsTable, now: number, toleranceMs: number): ScheduleRoundsTable | null {
  // A slot at this very time is still to come.
  if (row.planned_to > now + toleranceMs) return throughOf(row, now - 1);
  if (row.round_to === null || row.round_to <= now + toleranceMs) return null;
  // Schedules that it has passed are planned beyond now; the others are planned up to now.
  return { ...row, round_to: Math.max(now, row.planned_to + 1) };
}

function lastPlace({ row, nextDueAt }: DueSchedule): RoundPosition {
  return { slotAt: nextDueAt, accountId: row.account_id, checkId: row.check_id };
}

function positionOf({ at_slot, at_account, at_check }: ScheduleRoundsTable): RoundPosition | null {
  if (at_slot === null) return null;
  return { slotAt: at_slot, accountId: at_account ?? none, checkId: at_check ?? none };
}

/** Whether a position is before or at another in the order of a round. */
function comesBy(one: RoundPosition, other: RoundPosition | null): boolean {
  if (other === null) return false;
  const order =
    one.slotAt - other.slotAt ||
    Buffer.compare(one.accountId, other.accountId) ||
    Buffer.compare(one.checkId, other.checkId);
  return order <= 0;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
