// Everything that stands in a database, to say that nothing of it was changed.
import type { DatabaseSync } from 'node:sqlite';
import { until } from '../until.ts';

/** Columns that the service updates on its own: the last use of a key, and heartbeats of processes. */
const unnotified: Readonly<Record<string, string>> = {
  api_keys: 'last_used_at',
  installation: 'value',
  processes: 'seen_at',
};

/** Looks at one database from outside the process that owns it, or beside it. */
export interface DatabaseRows {
  /** Counts the commits of others: the same number = nothing was written since. */
  version(): number;
  /** Every row of every table as text, by table. */
  all(): Record<string, string>;
}

function databaseRows(raw: DatabaseSync): DatabaseRows {
  const version = raw.prepare('PRAGMA data_version');
  const tables = raw
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .map(({ name }) => String(name));
  if (tables.length < 20) throw new Error(`only ${tables.length} tables: this is not the whole database`);
  return {
    version: () => Number(version.get()?.['data_version']),
    all: () =>
      Object.fromEntries(
        tables.map((table) => {
          const rows = raw.prepare(`SELECT * FROM ${table}`).all();
          const column = unnotified[table];
          return [
            table,
            rows.map((row) => JSON.stringify(column === undefined ? row : { ...row, [column]: 0 })).join('\n'),
          ];
        }),
      ),
  };
}

/** The same of a service with a heartbeat, once it has said by itself that it receives pings: later only when is another. */
export async function databaseRowsAtRest(raw: DatabaseSync): Promise<DatabaseRows> {
  const sign = raw.prepare(`SELECT 1 FROM installation WHERE key = 'pings-heard'`);
  await until('the first heartbeat', () => sign.get() !== undefined);
  return databaseRows(raw);
}
