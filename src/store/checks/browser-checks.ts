// Run locations of an account's browser checks.
import { selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import { idBytes, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

export function createBrowserChecks({ reader }: Database) {
  return {
    /** Location codes of each scheduled one; [] = the server's own. */
    async locations(accountId: string): Promise<(readonly string[])[]> {
      const account = idBytes(accountId);
      // A literal in the statement, so that the planner can use the partial index.
      const browser = sql.lit('BROWSER');
      const rows = await selectRows(reader, 'schedules', { account_id: account })
        .select('locations')
        .where('check_id', 'in', (from) =>
          from.selectFrom('checks').select('id').where('account_id', '=', account).where('check_type', '=', browser),
        )
        .execute();
      return rows.map((row) => parsed<string[]>(row.locations));
    },
  };
}
