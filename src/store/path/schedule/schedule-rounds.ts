// Schedules in step: those of one interval are planned in rounds, and none of their rows is written for it
// (docs/decisions/0036).
import { nextSlot } from '#domain/checks/slot.ts';
import type { IdBytes } from '../../base/codec.ts';
import type { SchedulesTable, ScheduleRoundsTable } from '../../base/tables/schedule-tables.ts';

/**
 * What stands in `next_due_at` of a schedule in step: how far it is planned is said by the round of its interval. Later
 * than any due time.
 */
export const inStep: number = Number.MAX_SAFE_INTEGER;

/** A schedule that is due, as it is planned from. Instants are epoch ms. */
export interface DueSchedule {
  readonly row: SchedulesTable;
  /** Its oldest slot without an outcome. */
  readonly nextDueAt: number;
  /** Slots after it are planned another time. */
  readonly until: number;
}

/** What is read of a schedule in step. */
export type InStepRow = Pick<SchedulesTable, 'account_id' | 'check_id' | 'phase_ms' | 'locations' | 'run_parallel'>;

/** The whole row. */
export function inStepRow(
  { account_id, check_id, phase_ms, locations, run_parallel }: InStepRow,
  intervalMs: number,
): SchedulesTable {
  const times = { next_due_at: inStep, planned_to: inStep, interval_ms: intervalMs };
  return { account_id, check_id, phase_ms, locations, run_parallel, ...times };
}

/** Where in the order of a round something stands: by slot, then account, then check. */
export interface Place {
  readonly slotAt: number;
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
}

/** Rows whose slots lie in a part of a round: after a phase and key up to a phase, of the interval. */
export interface PhaseRange {
  readonly intervalMs: number;
  readonly phaseMs: number;
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
  readonly lastPhaseMs: number;
  /** What the phase of a row is added to for its slot, epoch ms. */
  readonly base: number;
}

/** A round that goes on in this turn. */
export interface OpenRound {
  readonly row: ScheduleRoundsTable;
  /** Up to which instant it plans. */
  readonly until: number;
  readonly ranges: readonly PhaseRange[];
}

const none: IdBytes = new Uint8Array(0);

/** The round of an interval as it goes on at `now` (epoch ms); null = everything up to now is planned. */
export function openRound(row: ScheduleRoundsTable, now: number): OpenRound | null {
  const until = row.round_to ?? now;
  if (until <= row.planned_to) return null;
  const after = placeOf(row);
  const from = after?.slotAt ?? row.planned_to + 1;
  // Every schedule once: its first slot that is not planned.
  const last = Math.min(until, row.planned_to + row.interval_ms);
  const start = { phaseMs: 0, accountId: none, checkId: none };
  const ranges: PhaseRange[] = [];
  let base = from - modulo(from, row.interval_ms);
  let begin = { ...start, phaseMs: from - base, ...(after !== null && keyOf(after)) };
  while (base <= last) {
    const lastPhaseMs = Math.min(last - base, row.interval_ms - 1);
    ranges.push({ ...begin, intervalMs: row.interval_ms, lastPhaseMs, base });
    base += row.interval_ms;
    begin = start;
  }
  return { row, until, ranges };
}

/** Rows of a round that were found, in its order, and the round as it stands when they are planned. */
export interface Walked {
  readonly due: readonly DueSchedule[];
  readonly row: ScheduleRoundsTable;
  /** Whether the round is through: all of the interval is planned up to its end. */
  readonly isThrough: boolean;
}

/**
 * Goes on with a round by what its ranges found, one list each.
 *
 * @param most of the rows are taken; a range that was not read to its end has one more at least
 */
export function walk({ row, until, ranges }: OpenRound, found: readonly SchedulesTable[][], most: number): Walked {
  const due: DueSchedule[] = [];
  let isThrough = true;
  for (const [index, { base }] of ranges.entries()) {
    const rows = found[index] ?? [];
    const taken = rows.slice(0, Math.max(0, most - due.length));
    for (const each of taken) due.push({ row: each, nextDueAt: base + each.phase_ms, until });
    if (taken.length < rows.length) {
      isThrough = false;
      break;
    }
  }
  const last = due.at(-1);
  if (isThrough) return { due, row: throughOf(row, until), isThrough };
  const place = last === undefined ? placeOf(row) : lastPlace(last);
  return { due, row: { ...row, round_to: until, ...columnsOf(place) }, isThrough };
}

/**
 * How many schedules a round may take of a turn that has room for `most`. Those that are least behind come first, and what
 * they leave is for those that are most.
 *
 * @param rounds that are still to come, this one too
 */
export function roomOf(most: number, rounds: number): number {
  return Math.max(0, Math.ceil(most / rounds));
}

/**
 * How many schedules with a time of their own a turn of `most` takes: a quarter is kept for those in step, which an
 * installation that cannot keep up would otherwise never come to.
 */
export function ownMostOf(most: number): number {
  return most - Math.floor(most / 4);
}

/** Everything of the interval is planned up to an instant. */
export function throughOf({ interval_ms }: Pick<ScheduleRoundsTable, 'interval_ms'>, at: number): ScheduleRoundsTable {
  return { interval_ms, planned_to: at, round_to: null, at_slot: null, at_account: null, at_check: null };
}

/**
 * When a schedule is due, epoch ms: its own time, or that of its round.
 *
 * @param round of its interval; every schedule in step has one
 */
export function dueAtOf(row: SchedulesTable, round: ScheduleRoundsTable | undefined): number {
  if (row.next_due_at !== inStep || round === undefined) return row.next_due_at;
  const slotAt = nextSlot(round.planned_to + 1, row.interval_ms, row.phase_ms);
  if (round.round_to === null) return slotAt;
  const isPlanned = comesBy({ slotAt, accountId: row.account_id, checkId: row.check_id }, placeOf(round));
  return isPlanned ? nextSlot(round.round_to + 1, row.interval_ms, row.phase_ms) : slotAt;
}

/** `dueAtOf` for all the schedules in step of a round, as an expression over their columns; the same on both engines. */
export function dueAtStatement(round: ScheduleRoundsTable): { readonly sql: string; readonly values: IdBytes[] } {
  const slotAfter = (at: number): string => {
    const phase = `(phase_ms - ${modulo(at + 1, round.interval_ms)} + ${round.interval_ms}) % ${round.interval_ms}`;
    return `(${at + 1} + ${phase})`;
  };
  const slotAt = slotAfter(round.planned_to);
  const place = placeOf(round);
  if (round.round_to === null || place === null) return { sql: slotAt, values: [] };
  const isPlanned = `(${slotAt}, account_id, check_id) <= (${place.slotAt}, ?, ?)`;
  return {
    sql: `CASE WHEN ${isPlanned} THEN ${slotAfter(round.round_to)} ELSE ${slotAt} END`,
    values: [place.accountId, place.checkId],
  };
}

/** The first slot of an interval after `now`, by the lowest phases at and from that of the present; null = none. */
export function nextOfRound(
  intervalMs: number,
  now: number,
  { later, first }: { readonly later: number | null; readonly first: number | null },
): number | null {
  const base = now + 1 - modulo(now + 1, intervalMs);
  if (later !== null) return base + later;
  return first === null ? null : base + intervalMs + first;
}

/** The phase of the instant after `now`, from which on slots are still to come. */
export function phaseAfter(intervalMs: number, now: number): number {
  return modulo(now + 1, intervalMs);
}

/** Whether an instant (epoch ms) is a slot of the schedule, as those of a round are. */
export function isOnSlot({ interval_ms, phase_ms }: SchedulesTable, at: number): boolean {
  return modulo(at, interval_ms) === phase_ms;
}

/** The round after the clock was set back to `now` (epoch ms); null = it stands where it may stand. */
export function broughtBack(row: ScheduleRoundsTable, now: number, toleranceMs: number): ScheduleRoundsTable | null {
  // A slot that is now is still to come.
  if (row.planned_to > now + toleranceMs) return throughOf(row, now - 1);
  if (row.round_to === null || row.round_to <= now + toleranceMs) return null;
  // Whoever it has passed is planned up to now and further; the others come up to now.
  return { ...row, round_to: Math.max(now, row.planned_to + 1) };
}

function lastPlace({ row, nextDueAt }: DueSchedule): Place {
  return { slotAt: nextDueAt, accountId: row.account_id, checkId: row.check_id };
}

function placeOf({ at_slot, at_account, at_check }: ScheduleRoundsTable): Place | null {
  if (at_slot === null) return null;
  return { slotAt: at_slot, accountId: at_account ?? none, checkId: at_check ?? none };
}

function columnsOf(place: Place | null) {
  return {
    at_slot: place?.slotAt ?? null,
    at_account: place?.accountId ?? null,
    at_check: place?.checkId ?? null,
  };
}

function keyOf({ accountId, checkId }: Place) {
  return { accountId, checkId };
}

/** Whether one place comes before another in the order of a round, or is it. */
function comesBy(one: Place, other: Place | null): boolean {
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
