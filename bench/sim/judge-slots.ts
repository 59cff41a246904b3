// Verifies from the rows that every slot of every check has one outcome, even if a time occurred twice.
import { slotRunId } from '#store/schedules/schedule-due.ts';
import { idText } from '#store/base/codec.ts';
import type { DatabaseSync } from 'node:sqlite';

/** Slots of a check. */
export interface CheckSlots {
  readonly id: string;
  readonly intervalMs: number;
}

interface Slot {
  readonly slotAt: number;
  readonly slots: number;
}

/**
 * The slots of each lap of the clock are complete and unique, there are no other slots, and the last one is the current one at
 * `until` (epoch ms). Throws at the first violation; returns the number of verified slots.
 */
export function judgeSlots(raw: DatabaseSync, checks: readonly CheckSlots[], laps: number, until: number): number {
  let count = 0;
  for (const { id, intervalMs } of checks) {
    const byLap = slotsByLap(raw, id, laps);
    for (const [lap, slots] of byLap.entries()) {
      for (const [index, { slotAt, slots: many }] of slots.entries()) {
        count += many;
        const next = slots[index + 1];
        if (next === undefined || next.slotAt === slotAt + many * intervalMs) continue;
        const what = next.slotAt < slotAt + many * intervalMs ? 'with two outcomes' : 'without an outcome';
        const [from, to] = [slotAt, next.slotAt].map((at) => new Date(at).toISOString());
        throw new Error(`${id} has a slot ${what} between ${from} and ${to}, lap ${lap}`);
      }
    }
    assertLapsMeet(id, byLap, intervalMs);
    const last = byLap.findLast((slots) => slots.length > 0)?.at(-1);
    if (last === undefined || last.slotAt + last.slots * intervalMs < until - intervalMs) {
      throw new Error(`${id} has no slot after ${new Date(last?.slotAt ?? 0).toISOString()}`);
    }
  }
  return count;
}

function slotsByLap(raw: DatabaseSync, checkId: string, laps: number): readonly (readonly Slot[])[] {
  const bytes = Buffer.from(checkId.replaceAll('-', ''), 'hex');
  const rows = raw
    .prepare('SELECT id, slots, location FROM results WHERE check_id = ? AND source = 0 ORDER BY id')
    .all(bytes);
  const byLap: Slot[][] = Array.from({ length: laps + 1 }, () => []);
  let last = 0;
  for (const row of rows) {
    const id = Buffer.from(row['id'] as Uint8Array);
    const slotAt = id.readUIntBE(0, 6);
    const isLap = (lap: number): boolean => id.equals(slotRunId(slotAt, checkId, 'local', lap));
    // Most belong to the lap of the previous one or to the next lap.
    const lap = isLap(last) ? last : isLap(last + 1) ? last + 1 : byLap.findIndex((_, one) => isLap(one));
    if (lap < 0 || lap > laps) throw new Error(`${checkId} has the result ${idText(id)}, which belongs to no slot`);
    byLap[lap]?.push({ slotAt, slots: Number(row['slots']) });
    last = lap;
  }
  return byLap;
}

/** A lap begins where the clock was set back to: at or before the end of the previous one, whose last slot was run. */
function assertLapsMeet(id: string, byLap: readonly (readonly Slot[])[], intervalMs: number): void {
  const begun = byLap.filter((slots) => slots.length > 0);
  for (const [index, slots] of begun.entries()) {
    const [last, first] = [slots.at(-1), begun[index + 1]?.[0]];
    if (last === undefined || first === undefined) continue;
    const end = last.slotAt + last.slots * intervalMs;
    if (first.slotAt > end) {
      throw new Error(`${id} has no slot from ${new Date(end).toISOString()} on, where the clock was set back`);
    }
  }
}
