// Calls of triggers whose runs are quiet or have variables of their own (docs/decisions/0117).
import type { Dialect } from '../dialect.ts';

export function triggerCalls({ types, clustered }: Dialect): string[] {
  const { id, code, text, instant } = types;
  return [
    `CREATE TABLE trigger_calls (account_id ${id} NOT NULL, id ${id} NOT NULL, called_at ${instant} NOT NULL,
      is_quiet ${code} NOT NULL, variables ${text} NOT NULL, PRIMARY KEY (account_id, id)) ${clustered}`,
  ];
}
