// Facts about the installation that several processes change: each change names what it was based on.
import { findRow } from './rows.ts';
import { json, parsed } from './codec.ts';
import type { Db } from './tables/schema.ts';

/** The value of a fact; null = not stored. */
export async function readFact<Value extends object>(db: Db, key: string): Promise<Value | null> {
  const row = await findRow(db, 'installation', { key }, ['value']);
  return row === undefined ? null : parsed<Value>(row.value);
}

/** Replaces the value of a fact; false = it is no longer `before`. */
export async function replaceFact(tx: Db, key: string, before: object | null, after: object): Promise<boolean> {
  const value = json(after);
  if (before === null) {
    const made = await tx
      .insertInto('installation')
      .values({ key, value })
      .onConflict((conflict) => conflict.doNothing())
      .returning('key')
      .executeTakeFirst();
    return made !== undefined;
  }
  const changed = await tx
    .updateTable('installation')
    .set({ value })
    .where('key', '=', key)
    .where('value', '=', json(before))
    .returning('key')
    .executeTakeFirst();
  return changed !== undefined;
}
