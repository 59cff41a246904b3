// Which variables checks use, so that a missing one is found without reading every check.
import type { Dialect } from '../dialect.ts';

export function checkVariables({ types, clustered }: Dialect): string[] {
  const { id, text, integer } = types;
  return [
    `CREATE TABLE check_variables (account_id ${id} NOT NULL, name ${text} NOT NULL, check_id ${id} NOT NULL,
      PRIMARY KEY (account_id, name, check_id))${clustered}`,
    `CREATE INDEX check_variables_of_check ON check_variables (account_id, check_id)`,
    `ALTER TABLE run_counts ADD COLUMN misconfigured ${integer} NOT NULL DEFAULT 0`,
  ];
}
