import type { Dialect } from '../dialect.ts';

/** Which accounts move, or have moved, to another installation; until when a schedule's slots were lost to a move. */
export function accountMoves({ types, clustered }: Dialect): string[] {
  const { id, text, instant } = types;
  return [
    `CREATE TABLE account_moves (account_id ${id} PRIMARY KEY NOT NULL, move_id ${id} NOT NULL, state ${text} NOT NULL,
      place ${text}, note ${text}, renewed_at ${instant} NOT NULL)${clustered}`,
    `ALTER TABLE schedules ADD COLUMN moved_at ${instant}`,
  ];
}
