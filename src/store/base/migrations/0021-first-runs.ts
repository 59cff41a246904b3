// Checks that run at once, before their first slot (docs/decisions/0116).
import type { Dialect } from '../dialect.ts';

export function firstRuns({ types, clustered }: Dialect): string[] {
  return [
    `CREATE TABLE first_runs (account_id ${types.id} NOT NULL, check_id ${types.id} NOT NULL,
      due_at ${types.instant} NOT NULL, PRIMARY KEY (account_id, check_id)) ${clustered}`,
    `CREATE INDEX first_runs_due ON first_runs (due_at)`,
  ];
}
