// Reads and writes the rows of one table by the values of some columns. Other statements use Kysely itself. An empty list
// of values or rows issues no statement.
import type { Insertable, JoinBuilder, Kysely, Selectable, SelectQueryBuilder, UpdateObject } from 'kysely';
import type { Page, Slice } from './database.ts';
import type { Db, Tables } from './tables/schema.ts';
import { recorderOf } from './audit/recorder.ts';

type Name = keyof Tables;
type Row<Table extends Name> = Selectable<Tables[Table]>;
type Column<Table extends Name> = keyof Row<Table> & string;

/** Rows per statement of a bulk write: PostgreSQL takes 65,535 values. */
const rowsAtOnce = 500;

/** Values of columns; null = no value, a list = one of these values. */
export type Key<Table extends Name> = {
  readonly [Each in Column<Table>]?: Row<Table>[Each] | readonly NonNullable<Row<Table>[Each]>[];
};

/** The signatures here check tables and columns; below them, every table looks like this one. */
type Untyped = Kysely<{ any: Record<string, unknown> }>;

interface Narrowable<Query> {
  where(column: string, operator: '=' | 'is' | 'in', value: unknown): Query;
}

function narrowed<Query extends Narrowable<Query>>(query: Query, key: object): Query {
  return Object.entries(key).reduce<Query>(
    (rows, [column, value]) => rows.where(column, value === null ? 'is' : Array.isArray(value) ? 'in' : '=', value),
    query,
  );
}

/** A query of rows, which may be narrowed further. Lists in the key must not be empty. */
export function selectRows<Table extends Name>(
  db: Db,
  table: Table,
  key: Key<Table>,
): SelectQueryBuilder<Tables, Table, object> {
  const rows = narrowed((db as unknown as Untyped).selectFrom(table as 'any'), key);
  return rows as unknown as SelectQueryBuilder<Tables, Table, object>;
}

type QualifiedColumn = { [Table in Name]: `${Table}.${Column<Table>}` }[Name];

/** Joins rows of the same account in which these columns are equal. */
export function inAccount(column: QualifiedColumn, other: QualifiedColumn) {
  const accountOf = (qualified: string) => `${qualified.slice(0, qualified.indexOf('.'))}.account_id`;
  return <DB, Table extends keyof DB>(join: JoinBuilder<DB, Table>): JoinBuilder<DB, Table> => {
    const untyped = join as unknown as JoinBuilder<Record<string, Record<string, unknown>>, string>;
    return untyped.onRef(accountOf(column), '=', accountOf(other)).onRef(column, '=', other);
  };
}

function isOfNone(key: object): boolean {
  return Object.values(key).some((value) => Array.isArray(value) && value.length === 0);
}

/** All rows. @param columns to read @param order columns, ascending */
export async function findRows<Table extends Name, Each extends Column<Table> = Column<Table>>(
  db: Db,
  table: Table,
  key: Key<Table>,
  columns: readonly Each[] | '*' = '*',
  order: readonly Column<Table>[] = [],
): Promise<Pick<Row<Table>, Each>[]> {
  if (isOfNone(key)) return [];
  const rows = narrowed((db as unknown as Untyped).selectFrom(table as 'any'), key);
  const selected = columns === '*' ? rows.selectAll() : rows.select(columns);
  const sorted = order.reduce((query, column) => query.orderBy(column), selected);
  const found = await sorted.execute();
  if (columns === '*') recorderOf(db)?.seen(table, found);
  return found as Pick<Row<Table>, Each>[];
}

/** The row of a unique key; undefined = there is none. @param columns to read */
export async function findRow<Table extends Name, Each extends Column<Table> = Column<Table>>(
  db: Db,
  table: Table,
  key: Key<Table>,
  columns: readonly Each[] | '*' = '*',
): Promise<Pick<Row<Table>, Each> | undefined> {
  return (await findRows(db, table, key, columns))[0];
}

/** @returns number of added rows @param onConflict what becomes of rows whose key exists */
export async function insertRows<Table extends Name>(
  tx: Db,
  table: Table,
  rows: Insertable<Tables[Table]> | readonly Insertable<Tables[Table]>[],
  onConflict: 'fail' | 'keep' = 'fail',
): Promise<number> {
  const all = (Array.isArray(rows) ? rows : [rows]) as readonly Record<string, unknown>[];
  let count = 0;
  for (let from = 0; from < all.length; from += rowsAtOnce) {
    const added = (tx as unknown as Untyped).insertInto(table as 'any').values(all.slice(from, from + rowsAtOnce));
    const kept = onConflict === 'keep' ? added.onConflict((conflict) => conflict.doNothing()) : added;
    count += Number((await kept.executeTakeFirst()).numInsertedOrUpdatedRows ?? 0);
  }
  if (count > 0) recorderOf(tx)?.inserted(table, all);
  return count;
}

/** @returns number of changed rows */
export async function updateRows<Table extends Name>(
  tx: Db,
  table: Table,
  key: Key<Table>,
  values: UpdateObject<Tables, Table>,
): Promise<number> {
  if (isOfNone(key)) return 0;
  const recorder = recorderOf(tx);
  const before = (await recorder?.before(table, key)) ?? [];
  const rows = narrowed((tx as unknown as Untyped).updateTable(table as 'any').set(values), key);
  const count = Number((await rows.executeTakeFirst()).numUpdatedRows);
  if (count > 0) recorder?.updated(table, before, values, count);
  return count;
}

/** Writes complete rows, in place of those with the same key. @param key columns of a unique key */
export async function replaceRows<Table extends Name>(
  tx: Db,
  table: Table,
  key: readonly Column<Table>[],
  rows: readonly Insertable<Tables[Table]>[],
): Promise<void> {
  const recorder = recorderOf(tx);
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce) as readonly Record<string, unknown>[];
    const before = (await recorder?.beforeEach(table, some)) ?? [];
    const columns = Object.keys(some[0] ?? {}).filter((column) => !key.includes(column as Column<Table>));
    await (tx as unknown as Untyped)
      .insertInto(table as 'any')
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns([...key])
          .doUpdateSet((row) => Object.fromEntries(columns.map((column) => [column, row.ref(`excluded.${column}`)]))),
      )
      .execute();
    recorder?.replaced(table, before, some);
  }
}

/** @returns number of deleted rows */
export async function deleteRows<Table extends Name>(tx: Db, table: Table, key: Key<Table>): Promise<number> {
  if (isOfNone(key)) return 0;
  const rows = narrowed((tx as unknown as Untyped).deleteFrom(table as 'any'), key);
  const recorder = recorderOf(tx);
  if (recorder?.records(table) !== true) return Number((await rows.executeTakeFirst()).numDeletedRows);
  const deleted = await rows.returningAll().execute();
  recorder.deleted(table, deleted);
  return deleted.length;
}

/** Number of rows. */
export async function countRows<Table extends Name>(db: Db, table: Table, key: Key<Table>): Promise<number> {
  const rows = narrowed((db as unknown as Untyped).selectFrom(table as 'any'), key);
  const { count } = await rows.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return count;
}

/** The rows of a query in a slice, each mapped, and the number of all its rows. */
export async function readPage<Table extends Name, Output, Item>(
  query: SelectQueryBuilder<Tables, Table, Output>,
  { limit, offset }: Slice,
  itemOf: (row: Output) => Item,
): Promise<Page<Item>> {
  const rows = await query.limit(limit).offset(offset).execute();
  return { rows: rows.map(itemOf), total: await countFound(query) };
}

/** Number of rows that a query finds. */
export async function countFound<Table extends Name, Output>(
  query: SelectQueryBuilder<Tables, Table, Output>,
): Promise<number> {
  const counted = query
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}
