// A PostgreSQL database as a side of a copy.
import { CompiledQuery, sql } from 'kysely';
import { idTime } from '../base/codec.ts';
import { type PostgresAddress, shownAddress } from '#lib/net/postgres-address.ts';
import { insertStatement, readColumnTypes } from '../engines/postgres/bulk.ts';
import { createDays, dayMs } from '../engines/postgres/days.ts';
import { migratePostgres, readSchemaVersion } from '../engines/postgres/schema.ts';
import { connectPostgres } from '../engines/postgres/server.ts';
import type { Session } from '../engines/postgres/session.ts';
import { checkVersion, type Side, type SideUse } from './side.ts';
import type { TableShape } from './table.ts';

/** Opens the database. Throws StoreUnavailableError. */
export async function openPostgresSide(address: PostgresAddress, use: SideUse): Promise<Side> {
  const server = await connectPostgres(address);
  const { connections, waitingTransaction: transaction } = server;
  const shown = shownAddress(address);
  try {
    if (use === 'fill') await migratePostgres(connections);
    checkVersion(shown, await connections.transaction(readSchemaVersion));
    const types = await connections.transaction(readColumnTypes);
    const tables = await connections.transaction(readTables);
    const made = new Set<string>();
    return {
      shown,
      tables,
      reader: server.reader,
      transaction,
      async insert(tx, { name }, rows) {
        if (rows.length > 0) await tx.executeQuery(CompiledQuery.raw(...insertStatement(types, name, rows)));
      },
      clear: (tx, { name }) => sql`TRUNCATE ${sql.table(name)}`.execute(tx),
      now: async () => Math.round(await server.askTime()),
      async prepare({ name }, rows) {
        const column = tables.find((table) => table.name === name)?.byDay ?? null;
        if (column === null) return;
        const days = new Set(rows.map((row) => Math.floor(idTime(row[column] as Uint8Array) / dayMs)));
        const missing = [...days].filter((day) => !made.has(`${name} ${day}`));
        if (missing.length === 0) return;
        await createDays(connections, name, missing);
        for (const day of missing) made.add(`${name} ${day}`);
      },
      // Without table statistics, the first statements would be planned for empty tables.
      settle: async (written) => {
        for (const { name } of written) await connections.transaction((session) => session.query(`ANALYZE ${name}`));
      },
      usedBy: () => connections.transaction(usedBy),
      close: () => connections.close(),
    };
  } catch (error) {
    await connections.close();
    throw error;
  }
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
