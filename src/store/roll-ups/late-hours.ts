// Marks hours that must be rolled up again.
import { type IdBytes, idText } from '../base/codec.ts';
import type { LateHoursTable } from '../base/tables/roll-up-tables.ts';
import type { Writes } from '../engines/statements.ts';

/** The marks of a transaction, each hour once. */
export function createLateHours() {
  const hours = new Map<string, LateHoursTable>();
  return {
    /** @param startAt epoch ms */
    note: (account_id: IdBytes, check_id: IdBytes, start_at: number): void => {
      hours.set(`${idText(account_id)}${idText(check_id)}${start_at}`, { account_id, check_id, start_at, touched: 1 });
    },
    // In the same order in every process, to avoid deadlocks.
    rows: (): LateHoursTable[] => [...hours].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
  };
}

export type LateHours = ReturnType<typeof createLateHours>;

/**
 * Writes the marks. Existing ones are updated, and thereby locked until the commit, so that a concurrent roll-up of the
 * hour does not delete them.
 */
export function sendLateHours(writes: Writes, late: LateHours): void {
  writes.send(
    'late_hours',
    late.rows(),
    'ON CONFLICT (account_id, check_id, start_at) DO UPDATE SET touched = late_hours.touched + 1',
  );
}
