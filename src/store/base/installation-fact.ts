// Facts about the installation. A change of one that several processes change names what it was based on.
import { findRow, insertRows, updateRows } from './rows.ts';
import { json, parsedOrNull } from './codec.ts';
import type { Db } from './tables/schema.ts';

/** The text of a fact; null = not stored. */
export async function findFact(db: Db, key: string): Promise<string | null> {
  return (await findRow(db, 'installation', { key }, ['value']))?.value ?? null;
}

export async function writeFact(tx: Db, key: string, value: string): Promise<void> {
  await tx
    .insertInto('installation')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** The value of a fact that is JSON; null = not stored. */
export async function readFact<Value extends object>(db: Db, key: string): Promise<Value | null> {
  return parsedOrNull<Value>(await findFact(db, key));
}

/** Replaces the value of a fact; false = it is no longer `before`. */
export async function replaceFact(tx: Db, key: string, before: object | null, after: object): Promise<boolean> {
  const value = json(after);
  if (before === null) return (await insertRows(tx, 'installation', { key, value }, 'keep')) > 0;
  return (await updateRows(tx, 'installation', { key, value: json(before) }, { value })) > 0;
}
