// The one PostgreSQL of a process of tests, for all files of it that have their own databases and leave its settings alone.
import { after } from 'node:test';
import { lightSettings, type PostgresServer, startPostgres } from './postgres.ts';

let starting: Promise<PostgresServer> | null = null;

/** Started when it is first asked for; stopped after the last test of the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  starting ??= startPostgres(null, undefined, lightSettings);
  return starting;
}

after(async () => {
  if (starting !== null) await (await starting).stop();
});
