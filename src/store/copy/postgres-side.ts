// A PostgreSQL database as a side of a copy.
import { idTime } from '../base/codec.ts';
import { checkVersion } from './version.ts';
import { type Row, selectOf, type TableShape } from './shape.ts';
import type { Side, Writing } from './side.ts';
import { type PostgresAddress, shownAddress } from '#lib/net/postgres-address.ts';
import { type ColumnTypes, createBulk, readColumnTypes } from '../engines/postgres/bulk.ts';
import { type Connections, openConnections } from '../engines/postgres/connections.ts';
import type { Session } from '../engines/postgres/session.ts';
import { dayMs, createDays } from '../engines/postgres/days.ts';
import { migratePostgres, readSchemaVersion } from '../engines/postgres/schema.ts';

/** The source, which is never migrated. */
export function openPostgresSource(address: PostgresAddress): Promise<Side> {
  return openedSide(address, () => Promise.resolve());
}

/** The target, which is migrated if necessary. */
export function openPostgresTarget(address: PostgresAddress): Promise<Side> {
  return openedSide(address, (connections) => migratePostgres(connections));
}

async function openedSide(
  address: PostgresAddress,
  makeReady: (connections: Connections) => Promise<void>,
): Promise<Side> {
  const connections = await openConnections(address);
  const shown = shownAddress(address);
  try {
    await makeReady(connections);
    checkVersion(shown, await connections.transaction(readSchemaVersion));
    const types = await connections.transaction(readColumnTypes);
    return sideOf(shown, connections, types, await connections.transaction(readTables));
  } catch (error) {
    await connections.close();
    throw error;
  }
}

function sideOf(shown: string, connections: Connections, types: ColumnTypes, shapes: readonly PostgresTable[]): Side {
  const dayColumns = new Map(shapes.flatMap(({ name, byDay }) => (byDay === null ? [] : [[name, byDay] as const])));
  const made = new Set<string>();
  return {
    engine: 'postgres',
    shown,
    tables: shapes,
    read(table, slice, after, max) {
      const { sql, values } = selectOf(table, slice, after, max, (position) => `$${position}`);
      return connections.statement<Row>(sql, values);
    },
    count: ({ name }) =>
      connections.transaction(async (session) => {
        const [row] = await session.query<{ n: number }>(`SELECT count(*) AS n FROM ${name}`);
        return row?.n ?? 0;
      }),
    query: (sql, values) => connections.statement<Row>(numbered(sql), values),
    now: () =>
      connections.transaction(async (session) => {
        const [row] = await session.query<{ now: number }>(
          'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
        );
        return row?.now ?? Number.NaN;
      }),
    write: (work) => connections.transaction((session) => work(writingOn(session, types))),
    async prepare({ name }, rows) {
      const column = dayColumns.get(name);
      if (column === undefined) return;
      const days = new Set(rows.map((row) => dayOf(row[column])));
      const missing = [...days].filter((day) => !made.has(`${name} ${day}`));
      if (missing.length === 0) return;
      await createDays(connections, name, missing);
      for (const day of missing) made.add(`${name} ${day}`);
    },
    // Without table statistics, the first statements would be planned for empty tables.
    settle: async (tables) => {
      for (const { name } of tables) await connections.transaction((session) => session.query(`ANALYZE ${name}`));
    },
    usedBy: () => connections.transaction(usedBy),
    close: () => connections.close(),
  };
}

/** The day of the time at the start of an ID. */
function dayOf(id: unknown): number {
  return Math.floor(idTime(id as Uint8Array) / dayMs);
}

function writingOn(session: Session, types: ColumnTypes): Writing {
  const bulk = createBulk(session, types);
  return {
    insert: async ({ name }, rows) => void (await bulk.insert(name, rows)),
    clear: async ({ name }) => void (await session.query(`TRUNCATE ${name}`)),
    change: (sql, values) => session.change(numbered(sql), values),
    query: (sql, values) => session.query<Row>(numbered(sql), values),
  };
}

function numbered(sql: string): string {
  let position = 0;
  return sql.replaceAll('?', () => `$${++position}`);
}

interface PostgresTable extends TableShape {
  /** The column that defines its daily partitions. */
  readonly byDay: string | null;
}

/** Tables of this schema that are not partitions. */
async function readTables(session: Session): Promise<PostgresTable[]> {
  return session.query<PostgresTable>(
    `SELECT c.relname AS name,
       ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
             ORDER BY attnum) AS columns,
       ARRAY(SELECT a.attname::text FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
             JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
             WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.place) AS key,
       (SELECT a.attname::text FROM pg_partitioned_table p JOIN pg_attribute a
          ON a.attrelid = c.oid AND a.attnum = p.partattrs[0] WHERE p.partrelid = c.oid) AS "byDay"
     FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition ORDER BY c.relname COLLATE "C"`,
  );
}

/** A process whose last heartbeat is newer than this may be alive, ms: it writes one every five seconds. */
const silentMs = 15_000;

async function usedBy(session: Session): Promise<string | null> {
  const [table] = await session.query<{ is: boolean }>(`SELECT to_regclass('processes') IS NOT NULL AS is`);
  if (table?.is !== true) return null;
  const [sign] = await session.query<{ host: string; pid: number; ago: number }>(
    `SELECT host, pid, now_ms - seen_at AS ago
     FROM processes, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms) AS present
     WHERE now_ms - seen_at < $1 ORDER BY seen_at DESC LIMIT 1`,
    [silentMs],
  );
  if (sign === undefined) return null;
  return (
    `process ${sign.pid} on ${sign.host} sent a heartbeat ${(Math.max(0, sign.ago) / 1000).toFixed(0)} s ago. Stop all its ` +
    `processes (a killed process counts as running for ${silentMs / 1000} s)`
  );
}
