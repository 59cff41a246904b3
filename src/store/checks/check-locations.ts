// The run locations that the scheduled checks of an account name.
import { selectRows } from '../base/rows.ts';
import { idBytes, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';

export function createCheckLocations({ reader }: Database) {
  return {
    /** The lists of an account's scheduled checks, and how many have each; without the empty one. */
    async named(accountId: string): Promise<{ readonly codes: readonly string[]; readonly checks: number }[]> {
      const rows = await selectRows(reader, 'schedules', { account_id: idBytes(accountId) })
        .select(({ fn }) => ['locations', fn.countAll<number>().as('checks')])
        .where('locations', '!=', '[]')
        .groupBy('locations')
        .execute();
      return rows.map(({ locations, checks }) => ({ codes: parsed<string[]>(locations), checks }));
    },
  };
}
