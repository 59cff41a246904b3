// Marks hours that must be rolled up again, with the query builder, for manual changes.
import type { Db } from '../base/tables/schema.ts';
import type { SchedulesTable } from '../base/tables/schedule-tables.ts';

/** Marks an hour of a check. Call it in the transaction that adds the result. @param startAt epoch ms */
export async function noteLateHour(
  tx: Db,
  { account_id, check_id }: Pick<SchedulesTable, 'account_id' | 'check_id'>,
  startAt: number,
): Promise<void> {
  await tx
    .insertInto('late_hours')
    .values({ account_id, check_id, start_at: startAt, touched: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'check_id', 'start_at'])
        .doUpdateSet((row) => ({ touched: row('late_hours.touched', '+', 1) })),
    )
    .execute();
}
