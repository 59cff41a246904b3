// Run locations of an account's browser checks.
import { sql } from 'kysely';
import { idBytes, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

export interface BrowserChecks {
  /** Location codes of each scheduled one; [] = the server's own. */
  locations(accountId: string): Promise<(readonly string[])[]>;
}

export function createBrowserChecks({ reader }: Database): BrowserChecks {
  return {
    async locations(accountId) {
      const account = idBytes(accountId);
      // A literal in the statement, so that the planner can use the partial index.
      const browser = sql.lit('BROWSER');
      const rows = await reader
        .selectFrom('schedules')
        .select('locations')
        .where('account_id', '=', account)
        .where('check_id', 'in', (from) =>
          from.selectFrom('checks').select('id').where('account_id', '=', account).where('check_type', '=', browser),
        )
        .execute();
      return rows.map((row) => parsed<string[]>(row.locations));
    },
  };
}
