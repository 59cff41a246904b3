// Tables as the database itself describes them, so that no table can be forgotten, and statements on their rows.
import { type RawBuilder, sql } from 'kysely';
import { type CopyRule, copyRules } from '../base/tables/copy-rules.ts';
import type { Db } from '../base/tables/schema.ts';
import { copyingFact } from '../base/unfinished.ts';

export type Cell = string | number | Uint8Array | null;
/** Values of a row by the names of its columns. */
export type Row = Readonly<Record<string, Cell>>;

/** A table: its columns, and its primary key in order. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** Columns and their required values; empty = all rows. */
export type Slice = Row;

/** Facts about a database, which are kept when another installation is copied into it. */
export const databaseFacts = ['file', 'schema-version'];

export function copyRuleOf({ name }: Pick<TableShape, 'name'>): CopyRule {
  return (copyRules as Readonly<Record<string, CopyRule>>)[name] ?? {};
}

/** Whether rows of a table are copied with an installation. */
export function isCarried(table: Pick<TableShape, 'name'>): boolean {
  return copyRuleOf(table).with !== 'nothing';
}

/** Whether a table contains rows of one account, which are copied with it. */
export function isOfAccounts(table: TableShape): boolean {
  return table.name === 'accounts' || (table.columns.includes('account_id') && copyRuleOf(table).with === undefined);
}

/** Whether a row of a copied table is copied itself. */
export function isCarriedRow({ name }: Pick<TableShape, 'name'>, row: Row): boolean {
  return name !== 'installation' || ![...databaseFacts, copyingFact].includes(String(row['key']));
}

/** The next rows of a slice in key order. */
export async function readSlice(
  db: Db,
  { name, columns, key }: TableShape,
  slice: Slice,
  after: readonly Cell[] | null,
  max: number,
): Promise<Row[]> {
  const conditions = conditionsOf(slice);
  // Omits columns that are the same in all rows, so that the rest is one range of the key's index.
  const walked = key.filter((column) => slice[column] === undefined);
  if (after !== null && walked.length > 0) {
    const last = walked.map((column) => after[key.indexOf(column)] ?? null);
    conditions.push(sql`(${listOf(walked)}) > (${sql.join(last)})`);
  }
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
  const { rows } = await sql<Row>`SELECT ${listOf(columns)} FROM ${sql.table(name)} ${where}
    ORDER BY ${listOf(key)} LIMIT ${sql.lit(max)}`.execute(db);
  return rows;
}

/** Number of rows in a slice. */
export async function countSlice(db: Db, { name }: TableShape, slice: Slice = {}): Promise<number> {
  const where = Object.keys(slice).length === 0 ? sql`` : sql`WHERE ${sql.join(conditionsOf(slice), sql` AND `)}`;
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.table(name)} ${where}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Deletes up to `max` rows of a slice; returns their number. */
export async function deleteFromSlice(tx: Db, { name, key }: TableShape, slice: Slice, max: number): Promise<number> {
  const [table, where] = [sql.table(name), sql.join(conditionsOf(slice), sql` AND `)];
  const { numAffectedRows } = await sql`DELETE FROM ${table} WHERE ${where} AND (${listOf(key)}) IN (
    SELECT ${listOf(key)} FROM ${table} WHERE ${where} LIMIT ${sql.lit(max)})`.execute(tx);
  return Number(numAffectedRows);
}

function conditionsOf(slice: Slice): RawBuilder<unknown>[] {
  return Object.entries(slice).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
}

function listOf(columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql.ref(column)));
}

/** The key of a row. */
export function keyOf({ key }: Pick<TableShape, 'key'>, row: Row): Cell[] {
  return key.map((column) => row[column] ?? null);
}
