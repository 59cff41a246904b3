// Checks a PostgreSQL database: connection, version, schema, clock and poolers.
import { errorMessage } from '#lib/errors.ts';
import { deliveryHoldKey } from '#store/channels/held-deliveries.ts';
import { schemaVersion } from '#store/base/migrate.ts';
import { type PostgresAddress, shownAddress } from '#lib/net/postgres-address.ts';
import { type Connections, openConnections } from '#store/engines/postgres/connections.ts';
import { oldestServer, readSchemaVersion } from '#store/engines/postgres/schema.ts';
import { listensDirectly } from '#store/engines/postgres/wakes.ts';
import { heldFindings } from './doctor-held.ts';
import type { Finding } from './finding.ts';

const what = 'database';
/** Clock difference in ms above which the doctor warns. Nothing depends on it. */
const farApartMs = 2000;

/** Runs the database checks. Never throws because of a finding. */
export async function postgresFindings(address: PostgresAddress, listen: PostgresAddress | null): Promise<Finding[]> {
  let connections: Connections;
  try {
    connections = await openConnections(address);
  } catch (error) {
    return [{ what, grade: 'problem', message: `${errorMessage(error)}: see docs/postgresql.md` }];
  }
  try {
    return [
      await serverFinding(connections, address),
      await schemaFinding(connections),
      ...heldFindings(await heldOn(connections)),
      await clockFinding(connections),
      await wakeFinding(listen),
    ];
  } catch (error) {
    return [{ what, grade: 'problem', message: errorMessage(error) }];
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
  if (number < oldestServer)
    return { what, grade: 'problem', message: `${where}: too old; PostgreSQL 14 or later is required` };
  const isLocal = address.host.startsWith('/') || /^(?:localhost|127\.|::1$)/.test(address.host);
  if (encrypted || isLocal) return { what, grade: 'ok', message: where };
  return { what, grade: 'warning', message: `${where}: the connection is not encrypted; add ?sslmode=verify-full` };
}

async function schemaFinding(connections: Connections): Promise<Finding> {
  const found = await connections.transaction(readSchemaVersion);
  if (found === schemaVersion) return { what: 'schema', grade: 'ok', message: `version ${found}` };
  if (found === 0) return { what: 'schema', grade: 'ok', message: 'will be created at the first start' };
  return found < schemaVersion
    ? { what: 'schema', grade: 'warning', message: `version ${found}: the next start upgrades it to ${schemaVersion}` }
    : {
        what: 'schema',
        grade: 'problem',
        message: `version ${found} is newer than this version of Tocsin: upgrade Tocsin`,
      };
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
    ? { what: 'clock', grade: 'ok', message }
    : {
        what: 'clock',
        grade: 'warning',
        message: `${message}. Tocsin uses the database clock; synchronize both with NTP`,
      };
}

async function wakeFinding(listen: PostgresAddress | null): Promise<Finding> {
  if (listen === null) return { what: 'wake-ups', grade: 'ok', message: 'off: each process polls every second' };
  return (await listensDirectly(listen))
    ? { what: 'wake-ups', grade: 'ok', message: 'direct connection, LISTEN is available' }
    : {
        what: 'wake-ups',
        grade: 'warning',
        message: 'the connection goes through a pooler: set TOCSIN_LISTEN_URL to a direct connection, or to off',
      };
}
