// Tokens are unique within their account, and not over all of them, where a database may be distributed by account
// (docs/decisions/0078).
import type { Dialect } from '../dialect.ts';

export function tokensByAccount(dialect: Dialect): string[] {
  return dialect.tokensByAccount();
}
