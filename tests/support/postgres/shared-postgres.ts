// One PostgreSQL for all test files of a run, in databases of their own. A file that is run alone starts its own.
import { lightSettings, openPostgres, type PostgresPlace, type PostgresServer, startPostgres } from './postgres.ts';

let opening: Promise<PostgresServer> | null = null;

/** The server of this run. Its settings and roles are shared as well: a test that changes them starts another one. */
export function sharedPostgres(): Promise<PostgresServer> {
  opening ??= open();
  return opening;
}

async function open(): Promise<PostgresServer> {
  // Set by the runner, `tooling/test.ts`.
  const place = process.env['TEST_POSTGRES_SERVER'];
  if (place !== undefined) return openPostgres(JSON.parse(place) as PostgresPlace);
  const server = await startPostgres(null, undefined, lightSettings);
  server.stopAtExit();
  return server;
}
