// What became of the slots of checks, as the rows tell it: one outcome for each, none without and none with two.
import assert from 'node:assert/strict';
import { sourceCodes } from '#store/base/codes.ts';
import type { RawRows } from './raw-rows.ts';

/** A result; a missed stretch is one with several slots. */
export interface ResultRow {
  readonly id: string;
  /** The id of its check, in hexadecimal digits. */
  readonly check: string;
  /** Epoch ms: the first 48 bits of the id. */
  readonly slotAt: number;
  readonly slots: number;
  readonly message: string;
  /** Whether the scheduler made it, and not somebody's call. */
  readonly isScheduled: boolean;
}

const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');

/** Every result there is, in the order of their ids. */
export function resultRows(raw: RawRows): ResultRow[] {
  return rowsOf(raw, `SELECT id, check_id, slots, coalesce(message, '') AS message, source FROM results ORDER BY id`);
}

/** The same of every run that has no result yet. */
export function openRunRows(raw: RawRows): ResultRow[] {
  return rowsOf(raw, `SELECT id, check_id, 1 AS slots, '' AS message, source FROM runs ORDER BY id`);
}

function rowsOf(raw: RawRows, statement: string): ResultRow[] {
  const rows = raw.prepare(statement).all();
  return rows.map(({ id, check_id, slots, message, source }) => ({
    id: hex(id),
    check: hex(check_id),
    slotAt: Number.parseInt(hex(id).slice(0, 12), 16),
    slots: Number(slots),
    message: String(message),
    isScheduled: Number(source) === sourceCodes.encode('SCHEDULER'),
  }));
}

/** One outcome for each slot of each check, runs on demand apart, from its first to its last. @param checks how many there are at least */
export function assertEverySlotOnce(rows: readonly ResultRow[], intervalMs: number, checks: number): void {
  const byCheck = Map.groupBy(
    rows.filter(({ isScheduled }) => isScheduled),
    ({ check }) => check,
  );
  assert.ok(byCheck.size >= checks, `${byCheck.size} checks have results, not ${checks}`);
  for (const own of byCheck.values()) {
    const inOrder = own.toSorted((a, b) => a.slotAt - b.slotAt);
    for (const [index, { slotAt, slots }] of inOrder.entries()) {
      const next = inOrder[index + 1];
      if (next) assert.equal(next.slotAt, slotAt + slots * intervalMs, 'a slot without an outcome, or with two');
    }
  }
}

/** Runs asked for, minus outcomes, minus open runs. */
export function conservationDifference(raw: RawRows): number {
  const row = raw
    .prepare(
      `SELECT sum(scheduled + on_demand - passed - degraded - failed - unknown - missed)
         - (SELECT count(*) FROM runs) AS difference FROM account_counts`,
    )
    .get();
  return Number(row?.['difference']);
}
