// Many rows in one statement: the columns go as arrays, whose types are asked of the database itself.
import type { Session } from './connections.ts';

/** Types of columns, by table and column. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the types of every column of this schema. */
export async function readColumnTypes(session: Session): Promise<ColumnTypes> {
  const rows = await session.query<{ in_table: string; name: string; type: string }>(
    `SELECT table_name AS in_table, column_name AS name, udt_name AS type FROM information_schema.columns
     WHERE table_schema = current_schema()`,
  );
  const tables = Map.groupBy(rows, ({ in_table }) => in_table);
  return new Map(
    [...tables].map(([table, columns]) => [table, new Map(columns.map(({ name, type }) => [name, type]))]),
  );
}

/** Writes rows of a transaction. */
export interface Bulk {
  /**
   * Inserts rows that all name the same columns; answers with how many it wrote.
   *
   * @param ending what follows the rows: ON CONFLICT …
   */
  insert(table: string, rows: readonly object[], ending?: string): Promise<number>;
}

export function createBulk(session: Session, types: ColumnTypes): Bulk {
  return {
    async insert(table, rows, ending = '') {
      const [first] = rows;
      if (first === undefined) return 0;
      const columns = Object.keys(first);
      const arrays = columns.map((column, index) => `$${index + 1}::${typeOf(types, table, column)}[]`);
      const statement =
        `INSERT INTO ${table} (${columns.join(', ')}) ` +
        `SELECT * FROM unnest(${arrays.join(', ')}) AS given (${columns.join(', ')}) ${ending}`;
      return session.change(
        statement,
        columns.map((column) => rows.map((row) => storable((row as Record<string, unknown>)[column]))),
      );
    },
  };
}

function typeOf(types: ColumnTypes, table: string, column: string): string {
  const type = types.get(table)?.get(column);
  if (type === undefined) throw new Error(`the database has no column ${table}.${column}`);
  return type;
}

/** PostgreSQL's texts cannot hold U+0000, which an answer of a target may bring into a message. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

/** `(a, b) IN (…)` over two arrays that are the values `from` and the next; ids and whatever the second is. */
export function inPairs(columns: string, from: number, second: 'bytea' | 'bigint' = 'bytea'): string {
  return `${columns} IN (SELECT * FROM unnest($${from}::bytea[], $${from + 1}::${second}[]))`;
}
