// What belongs to the operator: keys above those of accounts, limits of each account, and why a process runs no scripts
// (docs/decisions/0118).
import type { Dialect } from '../dialect.ts';

/** The first key of the installation becomes an operator key if it is still there. */
export function operators({ types }: Dialect): string[] {
  return [
    `ALTER TABLE processes ADD COLUMN scripts_refused ${types.text}`,
    `ALTER TABLE accounts ADD COLUMN limits ${types.text}`,
    `ALTER TABLE api_keys ADD COLUMN is_operator ${types.integer}`,
    firstKeyOperates,
  ];
}

/** Only the first start of an installation gives a key this name. Processes of an older version do not read the column. */
export const firstKeyOperates =
  "UPDATE api_keys SET is_operator = 1 WHERE name = 'First key' AND id = (SELECT id FROM api_keys WHERE role = 'admin' ORDER BY created_at, id LIMIT 1)";
