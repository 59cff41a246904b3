import type { Dialect } from '../dialect.ts';

/** Schema version 2: which processes work on this database. */
export function processesTable(dialect: Dialect): string[] {
  const { id, text, integer, instant } = dialect.types;
  return [
    `CREATE TABLE processes (id ${id} PRIMARY KEY NOT NULL, roles ${text} NOT NULL, version ${text} NOT NULL,
      location ${text} NOT NULL, location_name ${text} NOT NULL, host ${text} NOT NULL, pid ${integer} NOT NULL,
      public_url ${text}, started_at ${instant} NOT NULL, seen_at ${instant} NOT NULL, runs ${integer} NOT NULL,
      deliveries ${integer} NOT NULL)${dialect.clustered}`,
    ...dialect.churning('processes'),
  ];
}
