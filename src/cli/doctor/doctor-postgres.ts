// Checks a PostgreSQL database: connection, version, schema, clock and poolers.
import { errorMessage } from '#lib/errors.ts';
import { deliveryHoldKey } from '#store/channels/held-deliveries.ts';
import { type PostgresAddress, shownAddress } from '#lib/net/postgres-address.ts';
import { type Connections, openConnections } from '#store/engines/postgres/connections.ts';
import { oldestServer, readSchemaVersion } from '#store/engines/postgres/schema.ts';
import { listensDirectly } from '#store/engines/postgres/wakes.ts';

import { type Finding, heldFindings, ok, problem, schemaFinding, warning } from './finding.ts';

const what = 'database';
/** Clock difference in ms above which the doctor warns. Nothing depends on it. */
const farApartMs = 2000;

/** Runs the database checks. Never throws because of a finding. */
export async function postgresFindings(address: PostgresAddress, listen: PostgresAddress | null): Promise<Finding[]> {
  let connections: Connections;
  try {
    connections = await openConnections(address);
  } catch (error) {
    return [problem(what, `${errorMessage(error)}: see docs/postgresql.md`)];
  }
  try {
    const found = await connections.transaction(readSchemaVersion);
    return [
      await serverFinding(connections, address),
      found === 0 ? ok('schema', 'will be created at the first start') : schemaFinding(found),
      ...heldFindings(await heldOn(connections)),
      await clockFinding(connections),
      await wakeFinding(listen),
    ];
  } catch (error) {
    return [problem(what, errorMessage(error))];
  } finally {
    await connections.close();
  }
}

async function serverFinding(connections: Connections, address: PostgresAddress): Promise<Finding> {
  const [row] = await connections.statement<{ number: number; name: string; encrypted: boolean; size: number }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name,
       coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
       pg_database_size(current_database()) AS size`,
  );
  const { number = 0, name = '', encrypted = false, size = 0 } = row ?? {};
  const where = `${shownAddress(address)}, PostgreSQL ${name}, ${(size / 1e6).toFixed(1)} MB`;
  if (number < oldestServer) return problem(what, `${where}: too old; PostgreSQL 14 or later is required`);
  const isLocal = address.host.startsWith('/') || /^(?:localhost|127\.|::1$)/.test(address.host);
  if (encrypted || isLocal) return ok(what, where);
  return warning(what, `${where}: the connection is not encrypted; add ?sslmode=verify-full`);
}

async function heldOn(connections: Connections): Promise<string | undefined> {
  try {
    const select = 'SELECT value FROM installation WHERE key = $1';
    return (await connections.statement<{ value: string }>(select, [deliveryHoldKey]))[0]?.value;
  } catch {
    // Older schemas lack this table; the schema version is reported separately.
    return undefined;
  }
}

async function clockFinding(connections: Connections): Promise<Finding> {
  const [row] = await connections.statement<{ now: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  const aheadMs = Math.round((row?.now ?? 0) - Date.now());
  const message = `the database clock is ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`;
  return Math.abs(aheadMs) < farApartMs
    ? ok('clock', message)
    : warning('clock', `${message}. Tocsin uses the database clock; synchronize both with NTP`);
}

async function wakeFinding(listen: PostgresAddress | null): Promise<Finding> {
  if (listen === null) return ok('wake-ups', 'off: each process polls every second');
  return (await listensDirectly(listen))
    ? ok('wake-ups', 'direct connection, LISTEN is available')
    : warning(
        'wake-ups',
        'the connection goes through a pooler: set TOCSIN_LISTEN_URL to a direct connection, or to off',
      );
}
