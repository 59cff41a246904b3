import type { Dialect } from '../dialect.ts';

/** Planned times in which checks are not run, or tell nobody. */
export function maintenanceWindows({ types, strict }: Dialect): string[] {
  const { id, integer, text, instant } = types;
  return [
    `CREATE TABLE maintenance_windows (account_id ${id} NOT NULL, id ${integer} NOT NULL, definition ${text} NOT NULL,
      created_at ${instant} NOT NULL, updated_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
  ];
}
