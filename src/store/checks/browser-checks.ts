// Where the browser checks of an account run.
import { sql } from 'kysely';
import { idBytes, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

export interface BrowserChecks {
  /** Of each that runs by itself the codes of its locations; [] = the server's own. */
  locations(accountId: string): Promise<(readonly string[])[]>;
}

export function createBrowserChecks({ reader }: Database): BrowserChecks {
  return {
    async locations(accountId) {
      const account = idBytes(accountId);
      // As a word of the statement, so that the index of these checks alone is known to do.
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
