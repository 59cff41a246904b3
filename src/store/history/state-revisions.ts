// Finds what changed in an account since the last read, by revisions that increase with each change
// (docs/decisions/0040).
import { findRow, selectRows } from '../base/rows.ts';
import { sql } from 'kysely';
import { type IdBytes, idBytes, idOfDigits } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { breathe } from '../base/slices.ts';
import type { Db } from '../base/tables/schema.ts';

/** Rows per statement, because it blocks the event loop. */
const [revisionsAtOnce, statesAtOnce] = [5000, 500];
/** Hex digits of an ID. */
const keyLength = 32;

/** Counter of changes to checks, groups, channels, variables and windows. */
export async function accountRevision(reader: Db, accountId: string): Promise<number> {
  const row = await findRow(reader, 'counters', { account_id: idBytes(accountId), noun: 'revision' }, ['last']);
  return row?.last ?? 0;
}

/** Sum of the revisions of all check states, which changes whenever a state does, because revisions only increase. */
export async function stateRevisions(reader: Db, accountId: string): Promise<number> {
  const row = await selectRows(reader, 'check_states', { account_id: idBytes(accountId) })
    .select(sql<number>`coalesce(sum(revision), 0)`.as('sum'))
    .executeTakeFirstOrThrow();
  return row.sum;
}

/**
 * Yields the IDs of checks whose state has another revision than the cached one, up to 500 at a time.
 * @param revisionOf cached revision by the digits of the check; null = it had no state, undefined = skip the check
 */
export async function* changedStates(
  { reader, dialect }: Pick<Database, 'reader' | 'dialect'>,
  accountId: string,
  revisionOf: (key: string) => number | null | undefined,
): AsyncGenerator<IdBytes[]> {
  // One text for thousands of rows costs a third of the rows.
  const line = sql`concat(${dialect.idDigits('check_id')}, revision)`;
  for (let after = Buffer.alloc(0) as Uint8Array; ;) {
    const some = selectRows(reader, 'check_states', { account_id: idBytes(accountId) })
      .select(['check_id', 'revision'])
      .where('check_id', '>', after)
      .orderBy('check_id')
      .limit(revisionsAtOnce);
    const row = await reader
      .selectFrom(some.as('some'))
      .select(sql<string | null>`string_agg(${line}, ',' order by check_id)`.as('lines'))
      .executeTakeFirst();
    const lines = row?.lines?.split(',') ?? [];
    const changed = lines.flatMap((text) => {
      const key = text.slice(0, keyLength);
      const known = revisionOf(key);
      return known === undefined || known === Number(text.slice(keyLength)) ? [] : [idBytes(idOfDigits(key))];
    });
    for (let start = 0; start < changed.length; start += statesAtOnce) {
      yield changed.slice(start, start + statesAtOnce);
      await breathe();
    }
    const last = lines.at(-1);
    if (last === undefined || lines.length < revisionsAtOnce) return;
    after = idBytes(idOfDigits(last.slice(0, keyLength)));
    await breathe();
  }
}
